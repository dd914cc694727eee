package lifecycle

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func operationCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/negotiated-version",
			Title:  "nothing is sent that the agreed revision does not have",
			Checks: []requirements.ID{"lifecycle-respect-negotiated-version"},
			Fix:    "leave out or translate what is newer than the revision that the handshake agreed on",
			Wide:   true,
			Watch:  func() probe.Watcher { return &versionWatcher{} },
		},
		{
			ID:     "lifecycle/negotiated-capabilities",
			Title:  "only what both sides declared is used",
			Checks: []requirements.ID{"lifecycle-only-negotiated-capabilities"},
			Fix:    "look at the client's capabilities before asking it for anything, and declare what the server notifies of",
			Watch:  func() probe.Watcher { return &capabilityWatcher{} },
		},
	}
}

// A versionWatcher looks for what did not exist yet in the agreed revision, or
// no more. Further members of open objects are left alone.
type versionWatcher struct {
	sentArray bool // an answer in kind shows nothing
}

// A novelty is something that came with a revision.
type novelty struct {
	what  string
	since requirements.Revision
	in    func(probe.Seen, frame.Message) bool
}

func novelties() []novelty {
	return []novelty{
		{"an audio block", requirements.R20250326, hasBlock("audio")},
		{"a resource_link block", requirements.R20250618, hasBlock("resource_link")},
		{"elicitation/create", requirements.R20250618, func(_ probe.Seen, m frame.Message) bool {
			return m.Class == frame.Request && m.Method == "elicitation/create"
		}},
		{"a method of tasks", requirements.R20251125, func(_ probe.Seen, m frame.Message) bool {
			return m.Class == frame.Request && strings.HasPrefix(m.Method, "tasks/") ||
				m.Class == frame.Notification && m.Method == "notifications/tasks/status"
		}},
		{"a task in place of the result of a call", requirements.R20251125, func(s probe.Seen, m frame.Message) bool {
			_, content := m.At("/result/content")
			task, _ := m.At("/result/task")
			_, isTask := task.(map[string]any)
			return s.Request.Method == "tools/call" && isTask && !content
		}},
	}
}

// See judges what the server sends of its own accord or as the answer to a
// good request.
func (w *versionWatcher) See(s probe.Seen) probe.Opinion {
	if s.Kind != frame.KindMessage {
		return probe.Nothing()
	}
	batch := s.Message().Class == frame.Batch
	if s.Dir == frame.Sent {
		w.sentArray = w.sentArray || batch
		return probe.Nothing()
	}
	if s.Malformed || batch && w.sentArray && s.Revision != requirements.R20250326 {
		return probe.Nothing()
	}
	if batch && s.Revision != requirements.R20250326 {
		return s.Break("the message is an array, which " + string(s.Revision) + " does not have").Opinion()
	}
	for _, m := range received(s) {
		for _, n := range novelties() {
			if s.Revision.Before(n.since) && n.in(s, m) {
				return s.Break("the message is or holds " + n.what + ", which " + string(s.Revision) + " does not have").Opinion()
			}
		}
	}
	return probe.Kept()
}

// hasBlock looks for a content block in the results that hold such.
func hasBlock(kind string) func(probe.Seen, frame.Message) bool {
	is := func(block any) bool {
		b, _ := block.(map[string]any)
		return b["type"] == kind
	}
	return func(s probe.Seen, m frame.Message) bool {
		switch s.Request.Method {
		case "tools/call":
			for _, block := range array(m, "/result/content") {
				if is(block) {
					return true
				}
			}
		case "prompts/get":
			for _, message := range array(m, "/result/messages") {
				if said, _ := message.(map[string]any); is(said["content"]) {
					return true
				}
			}
		}
		return false
	}
}

func array(m frame.Message, pointer string) []any {
	v, _ := m.At(pointer)
	items, _ := v.([]any)
	return items
}
