package jsonrpc

import (
	"encoding/json"
	"math"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// responseCases watch the members of responses.
func responseCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-xor-error",
			Title:  "a response has either a result or an error",
			Checks: []requirements.ID{"jsonrpc-result-xor-error"},
			Fix:    "leave the unused one of result and error out instead of setting it to null",
			Sees:   "a response",
			Watch:  probe.OnEach(resultXorError),
		},
		{
			ID:     "jsonrpc/result-is-object",
			Title:  "a result is an object, also where there is nothing to return",
			Checks: []requirements.ID{"jsonrpc-result-is-object"},
			Fix:    "answer {} where there is nothing to return, never null, true or an array",
			Owns:   []suite.Part{{Class: frame.Result, Depth: suite.AsObject}},
			Sees:   "a result",
			Watch:  probe.OnEach(resultIsObject),
		},
		{
			ID:     "jsonrpc/error-shape",
			Title:  "an error has a code and a message",
			Checks: []requirements.ID{"jsonrpc-error-object-shape"},
			Fix:    "give every error object a code and a message that is a string",
			Sees:   "an error",
			Watch:  probe.OnEach(errorShape),
		},
		{
			ID:     "jsonrpc/error-code-integer",
			Title:  "error codes are integers",
			Checks: []requirements.ID{"jsonrpc-error-code-integer"},
			Fix:    "write the code of an error as a JSON integer, not as a string",
			Sees:   "an error",
			Watch:  probe.OnEach(errorCodeInteger),
		},
	}
}

func resultXorError(m probe.Message) probe.Opinion {
	_, hasResult := m.Members["result"]
	_, hasError := m.Members["error"]
	_, hasMethod := m.Members["method"]
	switch {
	case m.Responds() && hasResult && hasError:
		return probe.Breaks("%s has a result beside the error, want exactly one of them", m.Place)
	case m.Class == frame.NotAMessage && m.HasID && !hasMethod:
		return probe.Breaks("%s has neither a result nor an error, want exactly one of them", m.Place)
	case m.Responds():
		return probe.Kept()
	}
	return probe.Nothing()
}

func resultIsObject(m probe.Message) probe.Opinion {
	if m.Class != frame.Result {
		return probe.Nothing()
	}
	result := m.Value("/result")
	if _, ok := result.(map[string]any); !ok {
		return probe.Breaks("%s is %s, want an object", m.Where("/result"), probe.Show(result))
	}
	return probe.Kept()
}

func errorShape(m probe.Message) probe.Opinion {
	if m.Class != frame.Error {
		return probe.Nothing()
	}
	failure, text := m.Value("/error"), m.Value("/error/message")
	if _, ok := failure.(map[string]any); !ok {
		return probe.Breaks("%s is %s, want an object with code and message", m.Where("/error"), probe.Show(failure))
	}
	if _, ok := m.At("/error/code"); !ok {
		return probe.Breaks("%s is absent, want an integer", m.Where("/error/code"))
	}
	if _, ok := text.(string); !ok {
		return probe.Breaks("%s is %s, want a string", m.Where("/error/message"), probe.Show(text))
	}
	return probe.Kept()
}

func errorCodeInteger(m probe.Message) probe.Opinion {
	code, ok := m.At("/error/code")
	if m.Class != frame.Error || !ok {
		return probe.Nothing()
	}
	if n, isNumber := code.(json.Number); !isNumber || !whole(n) {
		return probe.Breaks("%s is %s, want an integer", m.Where("/error/code"), probe.Show(code))
	}
	return probe.Kept()
}

// whole reports whether a number has no fraction; 1.0 is an unusual spelling of an
// integer, but a valid one.
func whole(n json.Number) bool {
	f, err := n.Float64()
	return err != nil || f == math.Trunc(f)
}
