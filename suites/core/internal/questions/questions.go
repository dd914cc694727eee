// Package questions finds and judges what a server asks its client: requests of the
// server up to 2025-11-25, and input requests within a result since.
//
// A page lists its rules about one kind of question as rows, and Watchers makes the cases:
//
//	questions.Watchers("elicitation", questions.Row{
//		Slug: "url-valid", Title: "the URL of an elicitation is an absolute URL", Rule: "elicitation-url-valid",
//		Asks: questions.Elicitation, Sees: "an elicitation by URL", Owns: []string{"/url"}, Judge: urlValid,
//		Fix:  "…",
//	})
package questions

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The methods of questions.
const (
	Elicitation = "elicitation/create"
	Sampling    = "sampling/createMessage"
	Roots       = "roots/list"
)

// Askable are the requests of a client that a result may answer with questions.
func Askable() []string { return []string{"tools/call", "prompts/get", "resources/read"} }

// A Question is one thing that a server asks its client.
type Question struct {
	probe.Message
	Asks   string         // the method of the question
	Params map[string]any // nil where they are no object
	at     string         // of the question in the message, as a JSON pointer
}

// Pointer is the place of a value of the params in the message.
func (q Question) Pointer(within string) string { return q.at + "/params" + within }

// Shown writes the place of a value of the params as problems show it.
func (q Question) Shown(within string) string { return q.Where(q.Pointer(within)) }

// Named is a value of the params, and whether it is there.
func (q Question) Named(name string) (value any, there bool) {
	value, there = q.Params[name]
	return value, there
}

// In are the questions of a message of the server, in the order of their keys.
func In(m probe.Message) []Question {
	return probe.Shared(m, "questions", func() []Question { return read(m) })
}

func read(m probe.Message) []Question {
	if m.Class == frame.Request {
		params, _ := m.At("/params")
		return []Question{{Message: m, Asks: m.Method, Params: probe.ObjectOf(params)}}
	}
	if m.Class != frame.Result {
		return nil
	}
	asked, _ := m.At("/result/inputRequests")
	all := probe.ObjectOf(asked)
	found := make([]Question, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		q := probe.ObjectOf(all[key])
		method, _ := q["method"].(string)
		found = append(found, Question{Message: m, Asks: method, Params: probe.ObjectOf(q["params"]), at: At(key)})
	}
	return found
}

const requests = "/result/inputRequests/"

// At is the place of a question in a result that asks.
func At(key string) string { return requests + frame.Escape(key) }

// IsKey reports whether a place in a message is that of a question in a result.
func IsKey(pointer string) bool {
	key, within := strings.CutPrefix(pointer, requests)
	return within && !strings.Contains(key, "/")
}

// AsksAsComplete reports whether a result holds questions although its type is complete.
func AsksAsComplete(m probe.Message) bool {
	return m.Value("/result/resultType") == protocol.Complete && slices.Contains(Askable(), m.Request.Method) &&
		slices.ContainsFunc(In(m), Question.Known)
}

// Known reports whether a question is of a kind that servers may ask.
func (q Question) Known() bool {
	return slices.Contains([]string{Elicitation, Sampling, Roots}, q.Asks)
}

// A Row is one rule about the questions of one kind.
type Row struct {
	Slug, Title, Fix string
	Rule             requirements.ID
	Asks             string // the method of the questions that it judges
	Sees             string
	Owns             []string // places within the params that no other case judges
	Depth            probe.Depth
	Judge            func(Question) probe.Opinion
}

// Watchers makes a watcher of each row: whoever makes the server ask, its questions are judged.
func Watchers(page string, rows ...Row) []suite.Case {
	cases := make([]suite.Case, len(rows))
	for i, r := range rows {
		cases[i] = suite.Case{
			ID: page + "/" + r.Slug, Title: r.Title, Fix: r.Fix, Checks: []requirements.ID{r.Rule}, Sees: r.Sees,
			Owns: Parts(r.Asks, r.Depth, r.Owns...), Watch: On(r.Asks, r.Judge),
		}
	}
	return cases
}

// On makes watchers of the questions of one kind.
func On(method string, judge func(Question) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		said := probe.Nothing()
		for _, q := range In(m) {
			if q.Asks == method {
				said = said.And(judge(q))
			}
		}
		return said
	})
}

// Parts are places within the params of a kind of question, in both forms.
func Parts(method string, depth probe.Depth, within ...string) []suite.Part {
	var parts []suite.Part
	for _, at := range within {
		parts = append(parts, suite.Part{Of: method, At: "/params" + at, Depth: depth})
		for _, asked := range Askable() {
			parts = append(parts, suite.Part{Of: asked, At: "/inputRequests/*/params" + at, Depth: depth})
		}
	}
	return parts
}
