// Package ping holds the ways to break ping.
package ping

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault { return append(answers(), behaviour()...) }

// pinged makes a hook that applies then to the pings that when selects.
func pinged(when func(fault.Exchange) bool, then func(fault.Exchange) fault.Verdict) func(fault.Exchange) fault.Verdict {
	return func(x fault.Exchange) fault.Verdict {
		if x.Method != "ping" || !when(x) {
			return fault.Verdict{}
		}
		return then(x)
	}
}

func answers() []fault.Fault {
	always := func(fault.Exchange) bool { return true }
	return []fault.Fault{
		{Breaks: "ping-empty-result", Each: []fault.Fault{
			{Name: "ping-result-not-empty", Title: "the result of ping is not an empty object", Reply: fault.Set("ping", "/result/pong", true)},
			{
				Name: "ping-unknown-method", Title: "ping is an unknown method",
				Inbound: pinged(always, func(x fault.Exchange) fault.Verdict { return fault.Refuse(x, -32601, "unknown method") }),
			},
		}},
		{
			// The first pings are answered, so that other cases do not wait in vain.
			Name: "ping-not-answered", Title: "on each connection, pings are never answered after the first four", Breaks: "ping-prompt",
			Hangs: true,
			May:   []string{"jsonrpc/all-answered"},
			Inbound: pinged(func(x fault.Exchange) bool { return x.Nth > 4 },
				func(fault.Exchange) fault.Verdict { return fault.Verdict{Hang: true} }),
		}, {
			Name: "ping-slow", Title: "pings are answered late after the first two", Breaks: "ping-prompt",
			May: []string{"ping/while-busy"},
			Inbound: pinged(func(x fault.Exchange) bool { return x.Nth > 2 },
				func(fault.Exchange) fault.Verdict { return fault.Verdict{Delay: 1200 * time.Millisecond} }),
		},
	}
}

func behaviour() []fault.Fault {
	early := func(x fault.Exchange) bool { return !x.Ready && x.Revision != "" }
	return []fault.Fault{{
		Name: "ping-waits-its-turn", Title: "a ping is answered only after the request before it has finished",
		Breaks: "ping-while-busy", Kills: []string{"ping/while-busy"}, In: fault.OverStdio(requirements.R20251125), Serial: true,
	}, {
		Name: "ping-waits-for-slow-call", Title: "a ping is answered only after a call of six seconds has finished",
		Breaks: "ping-while-busy", Kills: []string{"ping/during-slow-call"}, May: []string{"ping/while-busy"},
		Silent: []string{"tools/read-only-tools-answer"}, In: fault.OverStdio(requirements.R20251125), Serial: true,
		Inbound: fault.When(func(x fault.Exchange) bool { return x.Tool() == "office_hours" }).Verdict(func(fault.Exchange) fault.Verdict {
			return fault.Verdict{Delay: 6 * time.Second}
		}),
	}, {
		Name: "ping-refused-early", Title: "a ping is rejected until the handshake is complete",
		Breaks:  "ping-during-initialization",
		Inbound: pinged(early, func(x fault.Exchange) fault.Verdict { return fault.Refuse(x, -32600, "the client is not ready") }),
	}, {
		Name: "ping-held-back-early", Title: "a ping is not answered until the handshake is complete",
		Breaks: "ping-during-initialization", Hangs: true,
		Inbound: pinged(early, func(fault.Exchange) fault.Verdict { return fault.Verdict{Hang: true} }),
	}, {
		Name: "ping-flood", Title: "the server pings its client without end", Breaks: "ping-server-not-excessive",
		In: fault.OverStdio(requirements.R20251125),
		Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			sent := []fault.Message{m}
			for i := range 40 {
				if x.Method == "initialize" {
					sent = append(sent, fault.Message{"jsonrpc": "2.0", "id": fmt.Sprintf("pulse-%d", i+1), "method": "ping"})
				}
			}
			return sent
		},
	}, queued()}
}
