package elicitation

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// requestCases judge what a request consists of.
func requestCases() []suite.Case {
	return questions.Watchers("elicitation",
		questions.Row{
			Slug: "request", Title: "a form has a message, and an object as its schema", Rule: "elicitation-request-schema",
			Asks: questions.Elicitation, Sees: "a form", Owns: []string{"", "/message", "/requestedSchema"}, Depth: probe.Itself,
			Fix:   "send a message that says what is asked, and a requestedSchema, or mode url and a url",
			Judge: wholeRequest,
		},
		questions.Row{
			Slug: "form-mode", Title: "a form has the mode form, or none", Rule: "elicitation-form-mode",
			Asks: questions.Elicitation, Sees: "a form", Owns: []string{"/mode"},
			Fix:   "write form as the mode of a request with a requestedSchema, or leave the mode out",
			Judge: formMode,
		},
	)
}

// byURL reports whether an elicitation wants a URL visited. Before 2025-11-25 there are
// forms only.
func byURL(q questions.Question) bool {
	return q.Params["mode"] == "url" && protocol.ElicitationModes().At(q.Revision)
}

func wholeRequest(q questions.Question) probe.Opinion {
	if byURL(q) {
		return probe.Nothing()
	}
	if _, ok := q.Params["message"].(string); !ok {
		return probe.Breaks("%s is %s, want a string", q.Shown("/message"), probe.Show(q.Value(q.Pointer("/message"))))
	}
	if probe.ObjectOf(q.Params["requestedSchema"]) == nil {
		return probe.Breaks("%s is %s, want an object", q.Shown("/requestedSchema"),
			probe.Show(q.Value(q.Pointer("/requestedSchema"))))
	}
	return probe.Kept()
}

// formMode takes a request with a schema for a form, unless it wants a URL visited: further
// properties are allowed.
func formMode(q questions.Question) probe.Opinion {
	mode, given := q.Named("mode")
	_, url := q.Named("url")
	switch {
	case q.Params["requestedSchema"] == nil, mode == "url" && url:
		return probe.Nothing()
	case given && mode != "form":
		return probe.Breaks("%s is %s in a request with a requestedSchema, want form or no mode", q.Shown("/mode"), probe.Show(mode))
	}
	return probe.Kept()
}
