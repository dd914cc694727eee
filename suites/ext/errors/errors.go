// Package errors holds the cases of the structured-errors proposal: what fails says
// so in the plain form of the protocol, and beside it in a record for programs.
package errors

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	scanner := proposal.NewScanner()
	return suite.Suite{
		Name:      "ext-structured-errors",
		Title:     "failures tell programs what went wrong and whether to try again",
		Extension: proposal.Extension("structured-errors"),
		Cases: slices.Concat(
			carriers(), required(), retries(), leaks(scanner), failures(), intact(), undeclared(),
		),
	}
}

// provoked is a case about a failure that the kit provokes.
func provoked(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, needs ...suite.Need) suite.Case {
	return bench.Case("ext-structured-errors/"+slug, title, rule, fix, run, needs...)
}

// watched is a case about each record that the server tells, whatever provoked it. Of says
// which records it judges, where these are not all.
func watched(slug, of, title string, rule requirements.ID, fix string, judge func(record) probe.Opinion) suite.Case {
	return suite.Case{
		ID:     "ext-structured-errors/" + slug,
		Title:  title,
		Checks: []requirements.ID{rule},
		Fix:    fix,
		Sees:   strings.TrimSpace("a record of a failure " + of),
		Watch:  onRecord(judge),
	}
}

// A record is one that the server told, with the message that it stands in.
type record struct {
	probe.Message
	proposal.Told
}

// onRecord makes watchers of all records that the server tells, whatever provoked
// them. Where one stands in several places, the first counts.
func onRecord(judge func(record) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		if all := tells(m); len(all) > 0 {
			return judge(record{m, all[0]})
		}
		return probe.Nothing()
	})
}

// tells are the records of a message, which every watcher here asks for.
func tells(m probe.Message) []proposal.Told {
	return probe.Shared(m, "structured-errors", func() []proposal.Told { return proposal.Tells(m.Message, m.Request, m.Survey) })
}

// of is the record of a reply; ok is false where it has none.
func of(c *probe.Client, reply *probe.Reply) (found proposal.Told, ok bool) {
	seen, _ := reply.Seen()
	all := proposal.Tells(reply.Message(), seen.Request, c.Survey)
	if len(all) == 0 {
		return proposal.Told{}, false
	}
	return all[0], true
}

func (r record) get(name string) any { return probe.Member(r.Record, name) }

func (r record) text(name string) string { s, _ := r.get(name).(string); return s }

// name is how problems write a property of the record.
func name(told proposal.Told, property string) string {
	if strings.HasPrefix(told.Place, "the ") {
		return property + " of the record in " + told.Place
	}
	return told.Place + "." + property
}

func (r record) breaks(property, want string) probe.Opinion {
	return probe.Breaks("%s is %s, want %s", name(r.Told, property), probe.Show(r.get(property)), want)
}

// fits expects a property to fit a definition of the extension's schema. One that is
// absent is the business of another rule.
func (r record) fits(property, definition, want string) probe.Opinion {
	value := r.get(property)
	if value == (any)(probe.Absent{}) {
		return probe.Nothing()
	}
	set, err := r.Frame.Schemas.Extension("structured-errors")
	switch {
	case err != nil:
		return probe.Failed(err)
	case len(set.Validate(definition, value)) > 0:
		return r.breaks(property, want)
	}
	return probe.Kept()
}

func leaks(scanner *proposal.Scanner) []suite.Case {
	internals := func(r record) func(string) []proposal.Hit {
		return func(text string) []proposal.Hit { return scanner.Internals(text, r.Survey().Given.Host) }
	}
	return []suite.Case{
		watched("details-no-internals", "with details", "details show nothing of the inside of the server", "ext-error-no-internals",
			"name in details what the caller can change, and write traces, queries, paths and addresses to your own log",
			func(r record) probe.Opinion {
				said := r.scanned("details", internals(r))
				if !r.Survey().Given.Production {
					return said.AtMostWarn()
				}
				return said
			}),
		watched("details-no-secrets", "with details", "details contain no credentials", "ext-error-no-internals",
			"copy nothing into details but what the caller sent or may read", func(r record) probe.Opinion {
				return r.scanned("details", func(text string) []proposal.Hit {
					return scanner.Secrets(text, r.Survey().Given.Secrets, r.Survey().Tokens.All())
				})
			}),
		watched("message-no-internals", "whose message is a string",
			"the message shows nothing of the inside of the server", "ext-error-no-internals",
			"write the message yourself instead of passing on that of an exception", func(r record) probe.Opinion {
				return r.scanned("message", internals(r)).AtMostWarn()
			}),
		watched("suggestion-safe", "with suggestion",
			"the suggestion asks for no other credentials and no less security", "ext-error-no-social-engineering",
			"suggest what the caller may do with the rights it has, since a model may follow the suggestion unasked",
			func(r record) probe.Opinion { return r.scanned("suggestion", scanner.UnsafeAdvice) }),
	}
}

// most is how much of one property is looked through: the patterns take seconds for
// a megabyte.
const most = 256 << 10

// scanned looks through the strings of a property. What the request said itself is
// left out: repeating it shows nothing. The names of params are words of the protocol.
func (r record) scanned(property string, scan func(string) []proposal.Hit) probe.Opinion {
	texts := probe.Texts(r.Record[property])
	if len(texts) == 0 {
		return probe.Nothing()
	}
	said, room := probe.Kept(), most
	request := slices.Collect(maps.Values(r.Request.Params()))
	for _, text := range texts {
		if room -= len(text); room < 0 {
			err := fmt.Errorf("%s has more than %d KiB of strings, and the kit looks through no more", name(r.Told, property), most>>10)
			return said.And(probe.Failed(err))
		}
		for _, hit := range scan(proposal.WithoutEchoes(text, request, r.Survey().Given.Host)) {
			opinion := probe.Breaks("%s shows %s, %s", name(r.Told, property), hit.What, probe.Show(hit.Text))
			if !hit.Weak {
				return opinion
			}
			said = said.And(opinion.AtMostWarn())
		}
	}
	return said
}
