package schema

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A messages watcher holds what the server says against the schema. Errors and
// the envelope of responses are the business of the JSON-RPC pages.
type messages struct {
	bound probe.Binding
	known *memory
}

// schemaOf is the schema of the revision, where there is one.
func schemaOf(s probe.Seen) (*schemas.Set, bool) {
	if s.Schemas == nil {
		return nil, false
	}
	set, err := s.Schemas.Core(string(s.Revision))
	return set, err == nil
}

func (w *messages) See(s probe.Seen) probe.Opinion {
	m, ok := w.bound.Message(s)
	if !ok {
		return probe.Nothing()
	}
	s.Revision = w.bound.Revision() // what was agreed on meanwhile binds other messages
	set, ok := schemaOf(s)
	if !ok {
		return probe.Nothing()
	}
	definition, pointer, ok := definitionOf(set, s.Request, m)
	if !ok {
		return probe.Nothing()
	}
	key := keyOf(s, m, definition)
	if w.known.has(key) {
		return probe.Kept()
	}
	value, _ := m.At(pointer)
	faults := slices.DeleteFunc(set.Validate(definition, value), func(f schemas.Fault) bool { return foreign(f.Pointer) })
	if len(faults) > 0 {
		return s.Break(probe.Faults(pointer, faults)).Opinion()
	}
	w.known.add(key)
	return probe.Kept()
}

// definitionOf names what the part of the message at the pointer has to fit. A
// method that the revision does not have is left to others, and so are requests
// that an extension may answer.
func definitionOf(set *schemas.Set, asked probe.Asked, m frame.Message) (definition, pointer string, ok bool) {
	switch m.Class {
	case frame.Result:
		if !asked.Plain() {
			return "", "", false
		}
		definition, ok = set.ResultOf(asked.Method)
		if ok && asked.Method == "tools/call" && makesTask(set, asked, m) {
			definition = "CreateTaskResult"
		}
		return definition, "/result", ok
	case frame.Notification:
		definition, ok = set.NotificationOf(m.Method)
	case frame.Request:
		definition, ok = set.RequestOf(m.Method)
	case frame.Error, frame.Batch, frame.NotAMessage, frame.NotJSON:
	}
	return definition, "", ok
}

// makesTask reports whether a call was answered with a task in place of its
// result, as 2025-11-25 has it.
func makesTask(set *schemas.Set, asked probe.Asked, m frame.Message) bool {
	_, wanted := asked.Params["task"]
	_, made := m.At("/result/task")
	_, content := m.At("/result/content")
	return set.Has("CreateTaskResult") && made && (wanted || !content)
}

// foreign reports whether a place in a result belongs to an extension or an
// experiment, of which the schema of the protocol knows little.
func foreign(pointer string) bool {
	return strings.HasPrefix(pointer, "/capabilities/extensions/") || strings.HasPrefix(pointer, "/capabilities/experimental/")
}
