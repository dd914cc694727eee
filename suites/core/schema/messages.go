package schema

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// onMessages holds what the server says against the schema. Errors and the
// envelope of responses are the business of the JSON-RPC pages, and parts that other
// cases own are left to those.
func onMessages(known *memory) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		if m.Frame.Schemas == nil {
			return probe.Failed(errors.New("there are no schemas"))
		}
		set, err := m.Frame.Schemas.Core(string(m.Revision))
		if err != nil {
			return probe.Failed(err)
		}
		definition, pointer, ok := definitionOf(set, m)
		if !ok {
			return probe.Nothing()
		}
		key := keyOf(m, definition)
		if known.has(key) {
			return probe.Kept()
		}
		value, _ := m.At(pointer)
		faults := m.Unowned(messagesValid, set.Validate(definition, value))
		if len(faults) > 0 {
			return probe.Breaks("%s", probe.Faults(pointer, faults))
		}
		known.add(key)
		return probe.Kept()
	})
}

// definitionOf names the definition that the part of the message at the pointer has to
// fit. It passes over methods that the revision does not define, and over requests that
// an extension may answer; other cases judge those.
func definitionOf(set *schemas.Set, m probe.Message) (definition, pointer string, ok bool) {
	switch m.Class {
	case frame.Result:
		if !m.Request.Plain() {
			return "", "", false
		}
		definition, ok = set.ResultOf(m.Request.Method)
		if ok && m.Request.Method == "tools/call" && makesTask(set, m) {
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

// makesTask reports whether a call was answered with a task in place of its result, as in
// 2025-11-25.
func makesTask(set *schemas.Set, m probe.Message) bool {
	_, wanted := m.Request.Params["task"]
	_, made := m.At("/result/task")
	_, content := m.At("/result/content")
	return set.Has("CreateTaskResult") && made && (wanted || !content)
}
