package fault

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func ping() []Fault {
	return append(pingAnswers(), pingBehaviour()...)
}

// pinged makes a hook for the pings of a client that a decision picks.
func pinged(when func(Exchange) bool, then func(Exchange) Verdict) func(Exchange) Verdict {
	return func(x Exchange) Verdict {
		if x.Method != "ping" || !when(x) {
			return Verdict{}
		}
		return then(x)
	}
}

func pingAnswers() []Fault {
	always := func(Exchange) bool { return true }
	return []Fault{
		{
			Name: "ping-result-not-empty", Title: "a ping is answered with more than an empty object",
			Breaks: "ping-empty-result",
			Kills:  []string{"ping/empty-result"},
			Reply:  onResult("ping", func(result Message) { result["pong"] = true }),
		},
		{
			Name: "ping-unknown-method", Title: "ping is an unknown method",
			Breaks:  "ping-empty-result",
			Kills:   []string{"ping/empty-result"},
			Inbound: pinged(always, func(x Exchange) Verdict { return refusing(x, -32601, "unknown method") }),
		},
		{
			// The first pings are answered, so that nobody else is left waiting.
			Name: "ping-not-answered", Title: "the fifth ping is never answered",
			Breaks: "ping-prompt",
			Kills:  []string{"ping/prompt"},
			Also:   []string{"jsonrpc/all-answered"},
			Inbound: pinged(func(x Exchange) bool { return x.Nth == 5 },
				func(Exchange) Verdict { return Verdict{Hang: true} }),
		},
		{
			Name: "ping-slow", Title: "a ping is answered late once a few were answered",
			Breaks: "ping-prompt",
			Kills:  []string{"ping/prompt"},
			Also:   []string{"ping/while-busy"},
			Inbound: pinged(func(x Exchange) bool { return x.Nth > 2 },
				func(Exchange) Verdict { return Verdict{Delay: 1200 * time.Millisecond} }),
		},
	}
}

func refusing(x Exchange, code int, text string) Verdict {
	return Verdict{Instead: true, Answer: []Message{x.Refusal(code, text)}}
}

func pingBehaviour() []Fault {
	early := func(x Exchange) bool { return !x.Ready && x.Revision != "" }
	return []Fault{
		{
			Name: "ping-waits-its-turn", Title: "a ping is taken up when the request before it is finished",
			Breaks: "ping-while-busy",
			Kills:  []string{"ping/while-busy"},
			In:     pipes(requirements.R20251125),
			Serial: true,
		},
		{
			Name: "ping-refused-early", Title: "a ping is refused until the handshake is complete",
			Breaks:  "ping-during-initialization",
			Kills:   []string{"ping/during-initialization"},
			Inbound: pinged(early, func(x Exchange) Verdict { return refusing(x, -32600, "the client is not ready") }),
		},
		{
			Name: "ping-held-back-early", Title: "a ping is not answered until the handshake is complete",
			Breaks:  "ping-during-initialization",
			Kills:   []string{"ping/during-initialization"},
			Inbound: pinged(early, func(Exchange) Verdict { return Verdict{Hang: true} }),
		},
		{
			Name: "ping-flood", Title: "the server pings its client without end",
			Breaks: "ping-server-not-excessive",
			Kills:  []string{"ping/server-not-excessive"},
			In:     pipes(requirements.R20251125),
			Reply: func(x Exchange, m Message) []Message {
				answers := []Message{m}
				for i := range 40 {
					if x.Method == "initialize" {
						answers = append(answers, Message{"jsonrpc": "2.0", "id": fmt.Sprintf("pulse-%d", i+1), "method": "ping"})
					}
				}
				return answers
			},
		},
	}
}
