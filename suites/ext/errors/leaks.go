package errors

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func leaks(scanner *proposal.Scanner) []suite.Case {
	internals := func(r record) func(string) []proposal.Hit {
		return func(text string) []proposal.Hit { return scanner.Internals(text, r.Survey.Given.Host) }
	}
	return []suite.Case{
		watched("details-no-internals", "details show nothing of the inside of the server", "ext-error-no-internals",
			"name in details what the caller can change, and write traces, queries, paths and addresses to your own log",
			func(r record) probe.Opinion {
				said := r.scanned("details", internals(r))
				if !r.Survey.Given.Production {
					return said.AtMostWarn()
				}
				return said
			}),
		watched("details-no-secrets", "details contain no credentials", "ext-error-no-internals",
			"copy nothing into details but what the caller sent or may read", func(r record) probe.Opinion {
				return r.scanned("details", func(text string) []proposal.Hit { return scanner.Secrets(text, r.Survey.Given.Secrets) })
			}),
		watched("message-no-internals", "the message shows nothing of the inside of the server", "ext-error-no-internals",
			"write the message yourself instead of passing on that of an exception", func(r record) probe.Opinion {
				return r.scanned("message", internals(r)).AtMostWarn()
			}),
		watched("suggestion-safe", "the suggestion asks for no other credentials and no less security", "ext-error-no-social-engineering",
			"suggest what the caller may do with the rights it has, since a model may follow the suggestion unasked",
			func(r record) probe.Opinion { return r.scanned("suggestion", scanner.UnsafeAdvice) }),
	}
}

// most is how much of one property is looked through: the patterns take seconds for
// a megabyte.
const most = 256 << 10

// scanned looks through the strings of a property. What the request said itself is
// left out: repeating it shows nothing.
func (r record) scanned(property string, scan func(string) []proposal.Hit) probe.Opinion {
	texts := proposal.Strings(r.Record[property])
	if len(texts) == 0 {
		return probe.Nothing()
	}
	said, room := probe.Kept(), most
	for _, text := range texts {
		if room -= len(text); room < 0 {
			err := fmt.Errorf("%s has more than %d KiB of strings, and the kit looks through no more", name(r.Told, property), most>>10)
			return said.And(probe.Failed(err))
		}
		own := proposal.WithoutEchoes(text, r.Request.Params, r.Survey.Given.Host)
		for _, hit := range scan(own) {
			opinion := probe.Breaks("%s shows %s, %s", name(r.Told, property), hit.What, probe.Show(hit.Text))
			if !hit.Weak {
				return opinion
			}
			said = said.And(opinion.AtMostWarn())
		}
	}
	return said
}
