package jsonrpc

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// resultTypeCases watch the resultType of results.
func resultTypeCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-type-present",
			Title:  "every result has a resultType",
			Checks: []requirements.ID{"jsonrpc-result-type-present", "ext-degrade-modern-envelope"},
			Fix:    `put "resultType": "complete" into every finished result, empty ones included`,
			Owns:   []suite.Part{{Class: frame.Result, At: "/resultType"}},
			Sees:   "a result",
			Watch:  onResultType(resultTypePresent),
		},
		{
			ID:     "jsonrpc/result-type-known",
			Title:  "the resultType is one that both sides know",
			Checks: []requirements.ID{"jsonrpc-result-type-known"},
			Fix:    "use complete or input_required, and the type of an extension only where the request declares it",
			Sees:   "a resultType",
			Watch:  onResultType(resultTypeKnown),
		},
		{
			ID:     "jsonrpc/result-type-complete",
			Title:  "a result with its final content is labelled complete",
			Checks: []requirements.ID{"jsonrpc-result-type-complete"},
			Fix:    "label a result complete when nothing is left to ask for",
			Sees:   "a result with its final content",
			Watch:  onResultType(resultTypeComplete),
		},
	}
}

// onResultType judges the results of well-formed requests on connections without a
// handshake. With a handshake, a server of both eras answers in the older form.
func onResultType(judge func(m probe.Message, kind any) probe.Opinion) func() probe.Watcher {
	return probe.OnEachStateless(func(m probe.Message) probe.Opinion {
		request := m.Request.Method
		if m.Class != frame.Result || m.Frame.Malformed || request == "" || request == "initialize" {
			return probe.Nothing()
		}
		if _, ok := m.Value("/result").(map[string]any); !ok {
			return probe.Nothing()
		}
		return judge(m, m.Value("/result/resultType"))
	})
}

func resultTypePresent(m probe.Message, kind any) probe.Opinion {
	if _, ok := kind.(string); !ok {
		return probe.Breaks("%s is %s, want a string", m.Where("/result/resultType"), probe.Show(kind))
	}
	return probe.Kept()
}

func resultTypeKnown(m probe.Message, kind any) probe.Opinion {
	_, ok := kind.(string)
	switch {
	case !ok:
		return probe.Nothing()
	case kind == protocol.Complete, kind == protocol.InputRequired, kind == protocol.Task && tasksAgreed(m):
		return probe.Kept()
	case foreignExtension(m):
		return probe.Nothing() // the extension may define the value
	}
	return probe.Breaks("%s is %s, want complete, input_required or the type of an extension that both sides declared",
		m.Where("/result/resultType"), probe.Show(kind))
}

// tasksAgreed reports whether the request and the server both declare tasks.
func tasksAgreed(m probe.Message) bool {
	return m.Request.Extensions()[protocol.TasksExtension] != nil && m.Survey.Extensions()[protocol.TasksExtension] != nil
}

// foreignExtension reports whether the server has an extension whose result types the kit
// does not know.
func foreignExtension(m probe.Message) bool {
	for name := range m.Survey.Extensions() {
		known := name == protocol.TasksExtension || name == protocol.DashdashExtension
		if !known && !strings.HasPrefix(name, protocol.ProposalPrefix) {
			return true
		}
	}
	return false
}

func resultTypeComplete(m probe.Message, kind any) probe.Opinion {
	asked, _ := protocol.MethodOf(protocol.Client, m.Request.Method)
	_, holds := m.Value("/result/" + asked.Holds).([]any)
	if asked.Holds == "" || !holds || !slices.Contains([]any{protocol.Complete, protocol.InputRequired}, kind) {
		return probe.Nothing()
	}
	// Results are open objects: a result that asks for input may hold other properties
	// beside its questions.
	_, asks := m.At("/result/inputRequests")
	_, waits := m.At("/result/requestState")
	if kind == protocol.InputRequired && !asks && !waits {
		return probe.Breaks("%s is input_required, and the result holds %s and asks for nothing, want complete",
			m.Where("/result/resultType"), asked.Holds)
	}
	return probe.Kept()
}
