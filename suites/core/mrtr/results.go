package mrtr

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const (
	kindAt      = "/result/resultType"
	requestsAt  = "/result/inputRequests"
	stateAt     = "/result/requestState"
	seesAsking  = "a result that asks for input"
	seesRequest = "an input request"
)

// resultCases watch what a result that asks consists of. The params of the questions
// belong to the pages of their methods.
func resultCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "mrtr/supported-methods",
			Title:  "only tools/call, prompts/get and resources/read are answered with a request for input",
			Checks: []requirements.ID{"mrtr-supported-methods-only"},
			Fix:    "answer other methods with a complete result or an error",
			Sees:   "a result of another method",
			Watch:  probe.OnBinding(supportedMethod),
		},
		{
			ID:     "mrtr/result-type",
			Title:  "a result that asks for input has the resultType input_required",
			Checks: []requirements.ID{"mrtr-result-type"},
			Fix:    "write input_required as resultType of a result with inputRequests",
			Sees:   seesAsking,
			Watch:  probe.OnResults(questions.Askable(), resultType),
		},
		{
			ID:     "mrtr/asks-for-something",
			Title:  "a result that asks for input has inputRequests or requestState",
			Checks: []requirements.ID{"mrtr-at-least-one-member"},
			Fix:    "write what is asked into inputRequests, or send a requestState for the client to bring back",
			Sees:   seesAsking, Owns: parts("", probe.Itself),
			Watch: onAsking(func(a probe.Answer) probe.Opinion {
				_, asks := a.Result["inputRequests"]
				_, waits := a.Result["requestState"]
				if !asks && !waits {
					return probe.Breaks("%s has neither inputRequests nor requestState, want one of them", a.Where("/result"))
				}
				return probe.Kept()
			}),
		},
		{
			ID:     "mrtr/input-requests",
			Title:  "inputRequests is an object of objects",
			Checks: []requirements.ID{"mrtr-input-request-envelope"},
			Fix:    "write inputRequests as an object, and each of its values as an object with method and params",
			Sees:   seesRequest, Owns: slices.Concat(parts("/inputRequests", probe.Itself), parts("/inputRequests/*", probe.Itself)),
			Watch: onAsking(envelope),
		},
		{
			ID:     "mrtr/input-request-kinds",
			Title:  "each input request is an elicitation, a sampling request or roots/list",
			Checks: []requirements.ID{"mrtr-input-request-kinds"},
			Fix:    "ask only by elicitation/create, sampling/createMessage and roots/list",
			Sees:   seesRequest, Owns: parts("/inputRequests/*/method", probe.Itself),
			Watch: onAsking(kinds),
		},
		{
			ID:     "mrtr/keys-unique",
			Title:  "no key stands twice in inputRequests",
			Checks: []requirements.ID{"mrtr-keys-unique"},
			Fix:    "give each input request a key of its own",
			Sees:   seesRequest,
			Watch:  onAsking(keysUnique),
		},
		{
			ID:     "mrtr/request-state",
			Title:  "requestState is a string",
			Checks: []requirements.ID{"mrtr-request-state-string"},
			Fix:    "encode the state as a string, such as base64 of what is signed",
			Sees:   "a requestState", Owns: parts("/requestState", probe.All),
			Watch: onAsking(func(a probe.Answer) probe.Opinion {
				state, given := a.Result["requestState"]
				if _, text := state.(string); given && !text {
					return probe.Breaks("%s is %s, want a string", a.Where(stateAt), probe.Show(state))
				}
				return saidIf(given)
			}),
		},
	}
}

// parts are places within the results that may ask.
func parts(at string, depth probe.Depth) []suite.Part {
	var all []suite.Part
	for _, method := range questions.Askable() {
		all = append(all, suite.Part{Of: method, At: at, Depth: depth})
	}
	return all
}

// onAsking watches the results that ask by their type.
func onAsking(judge func(probe.Answer) probe.Opinion) func() probe.Watcher {
	return probe.OnResults(questions.Askable(), func(a probe.Answer) probe.Opinion {
		if a.Result["resultType"] != protocol.InputRequired {
			return probe.Nothing()
		}
		return judge(a)
	})
}

func saidIf(judged bool) probe.Opinion {
	if judged {
		return probe.Kept()
	}
	return probe.Nothing()
}

// supportedMethod judges methods of the protocol only: those of an extension may define
// their results. jsonrpc/result-type-complete judges a list that only claims to need input.
func supportedMethod(m probe.Message) probe.Opinion {
	method, known := protocol.MethodOf(protocol.Client, m.Request.Method)
	if m.Class != frame.Result || !known || !method.In(m.Revision) || slices.Contains(questions.Askable(), m.Request.Method) {
		return probe.Nothing()
	}
	_, asks := m.At(requestsAt)
	_, waits := m.At(stateAt)
	_, lists := m.Value("/result/" + method.Holds).([]any)
	if m.Value(kindAt) == protocol.InputRequired && (asks || waits || method.Holds == "" || !lists) {
		return probe.Breaks("%s of %s is input_required, want complete", m.Where(kindAt), m.Request.Method)
	}
	return probe.Kept()
}

// resultType judges results that say to be complete and hold questions: jsonrpc/result-type-present
// judges a missing type, and other types belong to extensions.
func resultType(a probe.Answer) probe.Opinion {
	switch {
	case a.Result["resultType"] == protocol.InputRequired:
		return probe.Kept()
	case questions.AsksAsComplete(a.Message):
		return probe.Breaks("%s is complete, and the result has inputRequests, want input_required", a.Where(kindAt))
	}
	return probe.Nothing()
}

func envelope(a probe.Answer) probe.Opinion {
	asked, given := a.Result["inputRequests"]
	if !given {
		return probe.Nothing()
	}
	all, object := asked.(map[string]any)
	if !object {
		return probe.Breaks("%s is %s, want an object", a.Where(requestsAt), probe.Show(asked))
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if probe.ObjectOf(all[key]) == nil {
			return probe.Breaks("%s is %s, want an object with method and params", a.Where(questions.At(key)), probe.Show(all[key]))
		}
	}
	return saidIf(len(all) > 0)
}

// kinds passes over what is no object: mrtr/input-requests judges that.
func kinds(a probe.Answer) probe.Opinion {
	said := probe.Nothing()
	all := probe.ObjectOf(a.Result["inputRequests"])
	for _, key := range slices.Sorted(maps.Keys(all)) {
		asked := probe.ObjectOf(all[key])
		if asked == nil {
			continue
		}
		at := questions.At(key) + "/method"
		if method, _ := asked["method"].(string); !(questions.Question{Asks: method}).Known() {
			return probe.Breaks("%s is %s, want elicitation/create, sampling/createMessage or roots/list", a.Where(at), probe.Show(a.Value(at)))
		}
		said = probe.Kept()
	}
	return said
}

// keysUnique leaves keys that stand twice deeper in a question to jsonrpc/property-names-unique.
func keysUnique(a probe.Answer) probe.Opinion {
	for _, p := range a.Problems {
		if p.Kind == frame.Duplicate && questions.IsKey(p.Pointer) {
			return probe.Breaks("%s stands twice, want a key of its own for each input request", a.Where(p.Pointer))
		}
	}
	return saidIf(len(probe.ObjectOf(a.Result["inputRequests"])) > 0)
}
