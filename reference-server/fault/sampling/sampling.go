// Package sampling holds the ways to break client/sampling.
package sampling

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return []fault.Fault{
		{
			Name: "sampling-undeclared", Title: "any client is asked for sampling", Breaks: "sampling-only-if-declared",
			May: []string{"lifecycle/negotiated-capabilities", "meta/undeclared-capability"}, Skip: []fault.Check{fault.CheckClientCapability},
			In: []requirements.Column{
				{Revision: requirements.R20251125, Transport: requirements.Stdio}, {Revision: requirements.R20251125, Transport: requirements.HTTP},
				{Revision: requirements.R20260728, Transport: requirements.HTTP},
			},
		}, {
			Name: "sampling-undeclared-early", Title: "any client is asked for sampling, at the oldest revisions",
			Breaks: "sampling-only-if-declared-early", May: []string{"lifecycle/negotiated-capabilities"},
			Skip: []fault.Check{fault.CheckClientCapability},
		}, {
			Name: "sampling-rejection-hangs", Title: "a call is never answered once the client rejects the sampling request",
			Breaks: "sampling-rejection-handled", Hangs: true,
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if _, asks := m["method"]; x.Tool() == "test_sampling" && !asks {
					return nil
				}
				return []fault.Message{m}
			},
			In: []requirements.Column{
				{Revision: requirements.R20251125, Transport: requirements.Stdio}, {Revision: requirements.R20241105, Transport: requirements.SSE},
			},
		},
	}
}
