package errors

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

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
	all := proposal.Tells(reply.Message(), seen.Request, c.Survey())
	if len(all) == 0 {
		return proposal.Told{}, false
	}
	return all[0], true
}

// get is a property of a record, or Absent.
func get(told proposal.Told, name string) any {
	if v, ok := told.Record[name]; ok {
		return v
	}
	return probe.Absent{}
}

func (r record) get(name string) any { return get(r.Told, name) }

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
