package streams

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// trafficCases judge which messages come on which streams.
func trafficCases() []suite.Case {
	const own = "send what a request says on the stream that answers it, and on no other"
	needs := []suite.Need{reporting.Need()}
	return []suite.Case{
		{
			ID:     "http/stream-messages-related",
			Title:  "the stream of a request brings the progress of that request and of no other",
			Checks: []requirements.ID{"http-sse-messages-related"},
			Needs:  needs,
			Fix:    own,
			Run:    related,
		},
		{
			ID:     "http/get-stream-messages-unrelated",
			Title:  "the stream that GET opens brings nothing of a request that is being served",
			Checks: []requirements.ID{"http-get-messages-unrelated"},
			Needs:  needs,
			Fix:    own,
			Run:    unrelated,
		},
		{
			ID:     "http/message-on-one-stream",
			Title:  "no message is sent on two streams",
			Checks: []requirements.ID{"http-message-on-one-stream"},
			Needs:  needs,
			Fix:    "choose one stream for each message instead of sending it on all that are open",
			Run:    once,
		},
		{
			ID:     "http/get-stream-no-responses",
			Title:  "the stream that GET opens brings no responses",
			Checks: []requirements.ID{"http-get-no-responses"},
			Fix:    "send the response to a request in answer to its POST",
			Watch:  watching(noResponses),
		},
	}
}

// A traffic is the messages that came while the client listened by GET and two calls
// reported progress.
type traffic struct {
	tokens    []string
	calls     []*probe.Stream
	listening *probe.Stream // nil if GET opens no stream
	progress  []told
}

// A told is one notification of progress.
type told struct {
	token    string
	progress any
	in       probe.Seen
}

// seen makes the traffic, once for the connection.
func seen(c *probe.Client) *traffic {
	return probe.Once(c, "http:traffic", func() (*traffic, bool) {
		t := &traffic{tokens: []string{c.Nonce(), c.Nonce()}}
		t.exchange(c)
		return t, true
	})
}

func (t *traffic) exchange(c *probe.Client) {
	from := c.Mark()
	t.listening = listen(c, "")
	for _, token := range t.tokens {
		call := reporting.Call(c)
		params := call.Params(probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}})
		stream := c.Begin(probe.Outgoing{Text: c.Compose("tools/call", params)})
		t.calls = append(t.calls, stream)
	}
	for _, stream := range t.calls {
		stream.Await(c.Waits().Answer, responds)
	}
	c.Barrier()
	if t.listening != nil {
		t.listening.Abort()
	}
	for _, s := range c.Since(from) {
		t.note(s)
	}
}

// note keeps the progress notifications of the calls.
func (t *traffic) note(s probe.Seen) {
	if s.Dir == frame.Sent || s.Kind != frame.KindMessage {
		return
	}
	for _, m := range probe.Singles(s.Message()) {
		token, _ := m.At("/params/progressToken")
		text, ok := token.(string)
		if ok && m.Method == "notifications/progress" && slices.Contains(t.tokens, text) {
			progress, _ := m.At("/params/progress")
			t.progress = append(t.progress, told{text, progress, s})
		}
	}
}

// tries is how often GET is tried while the server may not have noticed the end of the
// previous stream.
const tries = 5

// listen opens a stream by GET; nil if the server offers none.
func listen(c *probe.Client, lastEvent string) *probe.Stream {
	if !protocol.Resumable().At(c.Revision()) {
		return nil
	}
	for range tries {
		stream := get(c, lastEvent)
		head, came := stream.Head()
		if came && head.Streams() {
			return stream
		}
		stream.Abort()
		if !came || head.HTTP.Status != http.StatusConflict {
			return nil
		}
		c.Barrier()
	}
	return nil
}

func get(c *probe.Client, lastEvent string) *probe.Stream {
	if lastEvent != "" {
		return c.Resume(lastEvent)
	}
	return c.Begin(probe.Outgoing{Method: http.MethodGet})
}

// reported ends a case as not seen where no progress came.
func (t *traffic) reported(c *probe.Client) {
	c.NotSeenIf(len(t.progress) == 0, "the calls reported no progress")
}

func related(c *probe.Client) error {
	t := seen(c)
	streamed := false
	for _, p := range t.progress {
		for i, call := range t.calls {
			if p.in.Exchange != call.Exchange() {
				continue
			}
			if p.token != t.tokens[i] {
				return probe.Shown(call, probe.One(p.in.Frame)).Violation(
					"the stream of a call brings the progress of another, with the token %s, want its own only", probe.Show(p.token))
			}
			streamed = true
		}
	}
	c.NotSeenIf(!streamed, "no call was answered by a stream that brought progress")
	return nil
}

func unrelated(c *probe.Client) error {
	t := seen(c)
	c.NotSeenIf(t.listening == nil, "GET opens no stream")
	for _, p := range t.progress {
		if p.in.Exchange == t.listening.Exchange() {
			return probe.Shown(t.listening, probe.One(p.in.Frame)).Violation(
				"the progress of a call comes on the stream that GET opened, want it on the stream of the call")
		}
	}
	t.reported(c)
	return nil
}

func once(c *probe.Client) error {
	t := seen(c)
	for i, p := range t.progress {
		for _, before := range t.progress[:i] {
			if p.token == before.token && probe.Same(p.progress, before.progress) && p.in.Exchange != before.in.Exchange {
				return probe.Shown(probe.One(before.in.Frame), probe.One(p.in.Frame)).Violation(
					"the notification with the progress %s comes on two streams, want one", probe.Show(p.progress))
			}
		}
	}
	t.reported(c)
	return nil
}

// noResponses judges streams that GET opens anew; a resumed stream may bring responses.
func noResponses(x *exchanges.Exchange, s probe.Seen) probe.Opinion {
	switch {
	case !x.Listens():
		return probe.Nothing()
	case responds(s):
		return x.Evidence(s).Violation("a response comes on the stream that GET opened, want it in answer to the POST of its request").Opinion()
	case s.Kind == frame.KindMessage || s.Kind == frame.KindEnd:
		return probe.Kept()
	}
	return probe.Nothing()
}
