// Package declared makes cases of rows that hold a capability against what the server does.
//
// A row names a list, and with it a capability and the method that the capability brings.
// Answered wants the list where the capability is declared, Unknown wants no list where the
// capability is not declared. Watchers of what a server sends ask Notified.
//
//	declared.Answered(declared.Row{
//		ID: "resources/list-answered", Title: "resources/list is answered where resources are declared",
//		Checks: []requirements.ID{"resources-list-answered"}, List: protocol.Resources(),
//		Fix:    "serve resources/list or leave resources out of the capabilities",
//	})
package declared

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Row is one capability.
type Row struct {
	ID, Title, Fix string
	Checks         []requirements.ID
	Proves         []suite.Need
	List           protocol.List
}

// Answered makes cases of capabilities that are declared and not answered. The capability
// is no need of such a case: the list that proves it is missing when the rule is broken.
func Answered(rows ...Row) []suite.Case { return cases(rows, answered) }

// Unknown makes cases of lists that are answered and not declared.
func Unknown(rows ...Row) []suite.Case { return cases(rows, unknown) }

func cases(rows []Row, run func(*probe.Client, protocol.List) error) []suite.Case {
	all := make([]suite.Case, len(rows))
	for i, r := range rows {
		all[i] = suite.Case{
			ID: r.ID, Title: r.Title, Checks: r.Checks, Proves: r.Proves, Fix: r.Fix,
			Run: func(c *probe.Client) error { return run(c, r.List) },
		}
	}
	return all
}

func answered(c *probe.Client, l protocol.List) error {
	c.NotSeenIf(c.Survey().Capabilities[l.Capability] == nil, "the server does not declare "+l.Capability)
	reply := c.Call(l.Method, nil)
	if reply.HasCode(protocol.MethodNotFound) {
		return reply.Violation("$.error.code is %d, want a list, since server/discover declares %s", protocol.MethodNotFound, l.Capability)
	}
	if reply.Refused() {
		return nil // the list may come from somewhere that cannot be reached
	}
	return reply.WantAnswer()
}

// A list with entries belongs to a capability that should be declared, which is
// the rule of the page of that list.
func unknown(c *probe.Client, l protocol.List) error {
	_, declares := c.Survey().Capabilities[l.Capability]
	c.NotSeenIf(declares, "the server declares "+l.Capability)
	reply := c.Call(l.Method, nil)
	listed, _ := reply.At("/result/" + l.Items)
	entries, _ := listed.([]any)
	code, coded := reply.Code()
	switch served := reply.Served(); {
	case len(entries) > 0:
		c.NotSeen("the server lists " + l.Name + " without declaring them, which is another rule's")
	case served && !protocol.UndeclaredUnknown().At(c.Revision()):
		c.Note(l.Method + " is answered with a result, and " + l.Capability + " is not declared")
		return nil
	case served || coded:
		if code == protocol.MethodNotFound {
			return nil
		}
		return reply.WantError(protocol.MethodNotFound)
	case reply.Refused():
		return nil // over HTTP by the status alone
	}
	c.Undecide("the answer to " + l.Method + " is " + reply.Outcome())
	return nil
}

// Notified judges a notification that a server sends and does not declare. It follows a
// path of capabilities, joined by dots, through what the handshake declared.
func Notified(method, path string, capabilities map[string]any) probe.Opinion {
	if probe.Misdeclared(capabilities, path) {
		return probe.Nothing()
	}
	if In(capabilities, path) {
		return probe.Kept()
	}
	return probe.Breaks("the server sends %s without declaring %s", method, path)
}

// In reports whether capabilities declare what a path of properties, joined by dots, leads to.
func In(capabilities map[string]any, path string) bool {
	name, rest, deeper := strings.Cut(path, ".")
	value := capabilities[name]
	if deeper {
		return In(probe.ObjectOf(value), rest)
	}
	return value != nil && value != false
}
