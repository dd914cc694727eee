package sampling

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const asked = "a sampling request"

// messageCases judge what a sampling request consists of.
func messageCases() []suite.Case {
	priorities := []string{"/modelPreferences/costPriority", "/modelPreferences/speedPriority", "/modelPreferences/intelligencePriority"}
	return append(questions.Watchers("sampling",
		questions.Row{
			Slug: "request", Title: "a sampling request has an array of messages and a number of tokens at most",
			Rule: "sampling-request-schema", Asks: questions.Sampling, Sees: asked, Depth: probe.Itself,
			Owns:  []string{"", "/messages", "/maxTokens"},
			Fix:   "send messages as an array, and maxTokens as a number",
			Judge: wholeRequest,
		},
		questions.Row{
			Slug: "message-shape", Title: "a sampling message has the role user or assistant, and content", Rule: "sampling-message-shape",
			Asks: questions.Sampling, Sees: "a sampling message", Depth: probe.Itself,
			Owns:  []string{"/messages/*", "/messages/*/role", "/messages/*/content"},
			Fix:   "write user or assistant as role, and a block as content, or an array of blocks where the revision has that",
			Judge: eachMessage(messageShape),
		},
		questions.Row{
			Slug: "content-types", Title: "the content of sampling messages is of the types that the revision has",
			Rule: "sampling-content-types", Asks: questions.Sampling, Sees: "a sampling message",
			Owns:  []string{"/messages/*/content/type", "/messages/*/content/*/type"},
			Fix:   "use the types of content of the revision in use, and write what it does not have as text",
			Judge: eachMessage(contentTypes),
		},
		questions.Row{
			Slug: "priorities", Title: "the priorities of a model lie between 0 and 1", Rule: "sampling-priority-range",
			Asks: questions.Sampling, Sees: "a priority in a sampling request", Owns: priorities,
			Fix: "write costPriority, speedPriority and intelligencePriority as numbers from 0 to 1",
			Judge: func(q questions.Question) probe.Opinion {
				said := probe.Nothing()
				for _, at := range priorities {
					if value, given := q.At(q.Pointer(at)); given {
						said = said.And(probe.Kept())
						if n, ok := probe.NumberOf(value); !ok || n < 0 || n > 1 {
							said = said.And(probe.Breaks("%s is %s, want a number from 0 to 1", q.Shown(at), probe.Show(value)))
						}
					}
				}
				return said
			},
		},
	), suite.Case{
		ID:     "sampling/include-context",
		Title:  "a sampling request does not ask for the context of servers",
		Checks: []requirements.ID{"sampling-include-context-avoided", "sampling-include-context-gated"},
		Fix:    "leave includeContext out, and put what the model has to know into the messages",
		Sees:   asked,
		Watch:  func() probe.Watcher { return &contexts{} },
	})
}

func wholeRequest(q questions.Question) probe.Opinion {
	if _, ok := q.Params["messages"].([]any); !ok {
		return probe.Breaks("%s is %s, want an array", q.Shown("/messages"), probe.Show(q.Value(q.Pointer("/messages"))))
	}
	if _, ok := probe.NumberOf(q.Params["maxTokens"]); !ok {
		return probe.Breaks("%s is %s, want a number", q.Shown("/maxTokens"), probe.Show(q.Value(q.Pointer("/maxTokens"))))
	}
	return probe.Kept()
}

// A message is one message of a sampling request.
type message struct {
	questions.Question
	value map[string]any
	at    string // within the params
}

func messagesOf(q questions.Question) []message {
	list := probe.ArrayOf(q.Params["messages"])
	all := make([]message, len(list))
	for i, each := range list {
		all[i] = message{q, probe.ObjectOf(each), "/messages/" + strconv.Itoa(i)}
	}
	return all
}

func eachMessage(judge func(message) probe.Opinion) func(questions.Question) probe.Opinion {
	return func(q questions.Question) probe.Opinion {
		said := probe.Nothing()
		for _, m := range messagesOf(q) {
			said = said.And(judge(m))
		}
		return said
	}
}

func messageShape(m message) probe.Opinion {
	if role := m.value["role"]; role != "user" && role != "assistant" {
		return probe.Breaks("%s is %s, want user or assistant", m.Shown(m.at+"/role"), probe.Show(m.Value(m.Pointer(m.at+"/role"))))
	}
	_, list := m.value["content"].([]any)
	if probe.ObjectOf(m.value["content"]) == nil && (!list || !protocol.SamplingLists().At(m.Revision)) {
		return probe.Breaks("%s is %s, want content of the revision", m.Shown(m.at+"/content"), probe.Show(m.Value(m.Pointer(m.at+"/content"))))
	}
	return probe.Kept()
}

// blocks are the blocks of a message, which may be a single one.
func (m message) blocks() []map[string]any {
	if one := probe.ObjectOf(m.value["content"]); one != nil {
		return []map[string]any{one}
	}
	var all []map[string]any
	for _, each := range probe.ArrayOf(m.value["content"]) {
		all = append(all, probe.ObjectOf(each))
	}
	return all
}

func contentTypes(m message) probe.Opinion {
	said := probe.Nothing()
	known := protocol.SamplingTypes().At(m.Revision)
	for _, block := range m.blocks() {
		said = said.And(probe.Kept())
		if kind, ok := block["type"].(string); !ok || !slices.Contains(known, kind) {
			broken := probe.Breaks("the type of a block in %s is %s, want one of %s", m.Shown(m.at+"/content"),
				probe.Show(block["type"]), strings.Join(known, ", "))
			if block == nil {
				broken = broken.Unless(probe.Elsewhere{Case: "schema/messages-valid", Why: "a block of the content is not an object"})
			}
			said = said.And(broken)
		}
	}
	return said
}

// holds reports whether a text stands anywhere in a value.
func holds(value any, text string) bool { return strings.Contains(probe.JSON(value), text) }

// contexts remembers what the client declared in the handshake.
type contexts struct {
	declared map[string]any
}

func (w *contexts) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		if m := s.Message(); m.Method == "initialize" {
			given, _ := m.At("/params/capabilities")
			w.declared = probe.ObjectOf(given)
		}
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		declared := w.declared
		if given := probe.ObjectOf(m.Request.Meta(protocol.MetaCapabilities)); given != nil {
			declared = given
		}
		for _, q := range questions.In(m) {
			if q.Asks == questions.Sampling {
				said = said.And(contextOf(q, probe.ObjectOf(declared["sampling"])))
			}
		}
	}
	return said
}

// contextOf knows no sampling.context before 2025-11-25, and does not speak of those revisions.
func contextOf(q questions.Question, declared map[string]any) probe.Opinion {
	value, given := q.Named("includeContext")
	switch _, able := declared["context"]; {
	case !given || value == "none":
		return probe.Kept()
	case !able:
		return probe.Breaks("%s is %s, and the client does not declare sampling.context, want none", q.Shown("/includeContext"),
			probe.Show(value)).Violation().Under("sampling-include-context-gated").Opinion()
	}
	return probe.Breaks("%s is %s, want none", q.Shown("/includeContext"), probe.Show(value)).Violation().
		Under("sampling-include-context-avoided").Opinion()
}
