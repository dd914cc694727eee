package streams

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
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
			Trial:  calling,
			Fix:    own,
			Run:    related,
		},
		{
			ID:     "http/get-stream-messages-unrelated",
			Title:  "the stream that GET opens brings nothing of a request that is being served",
			Checks: []requirements.ID{"http-get-messages-unrelated"},
			Needs:  needs,
			Trial:  calling,
			Fix:    own,
			Run:    unrelated,
		},
		{
			ID:     "http/message-on-one-stream",
			Title:  "no message is sent on two streams",
			Checks: []requirements.ID{"http-message-on-one-stream"},
			Needs:  needs,
			Trial:  calling,
			Fix:    "choose one stream for each message instead of sending it on all that are open",
			Run:    once,
		},
		{
			ID:     "http/get-stream-no-responses",
			Title:  "the stream that GET opens brings no responses",
			Checks: []requirements.ID{"http-get-no-responses"},
			Fix:    "send the response to a request in answer to its POST",
			Sees:   "a message on a stream that GET opened",
			Watch:  watching(noResponses),
		},
	}
}

// The two calls are one trial.
const calling = "http:traffic"

// A traffic is the messages that came while the client listened by GET and two calls
// reported progress.
type traffic struct {
	calls     []reporting.Work
	listening *probe.Stream    // nil if GET opens no stream
	progress  []reporting.Told // of the calls
}

// seen makes the traffic, once for the connection.
func seen(c *probe.Client) *traffic {
	return probe.Once(c, calling, func() (*traffic, bool) {
		from := c.Mark()
		t := &traffic{listening: listen(c, "")}
		for range 2 {
			t.calls = append(t.calls, reporting.Begin(c, ""))
		}
		for _, call := range t.calls {
			call.Await(c.Waits().Answer, reporting.Responds)
		}
		c.Barrier()
		if t.listening != nil {
			t.listenOn(c, from)
			t.listening.Abort()
		}
		t.progress = slices.DeleteFunc(reporting.Progress(c.Since(from)...), func(p reporting.Told) bool {
			return p.Token != t.calls[0].Token && p.Token != t.calls[1].Token
		})
		return t, true
	})
}

// listenOn makes one more call where GET brought progress, so that progress/ends-with-answer
// sees on one stream what comes of a call after its answer.
func (t *traffic) listenOn(c *probe.Client, from probe.Mark) {
	astray := func(s probe.Seen) bool {
		return s.Exchange == t.listening.Exchange() && len(reporting.Progress(s)) > 0
	}
	if _, found := c.Find(from, astray); !found {
		return
	}
	again := c.Mark()
	reporting.Begin(c, "").Await(c.Waits().Answer, reporting.Responds)
	c.Settle(again)
}

// tries is how often GET is tried while the server may not have noticed the end of the
// previous stream.
const tries = 5

// listen opens a stream by GET; nil if the server offers none. It is closed at the end of
// the case, however that ends: it may be the only one that the server has.
func listen(c *probe.Client, lastEvent string) *probe.Stream {
	if !protocol.Resumable().At(c.Revision()) {
		return nil
	}
	stream, head, came := knock(c, lastEvent)
	if came && head.Streams() {
		c.Cleanup(stream.Abort)
		return stream
	}
	stream.Abort()
	return nil
}

// knock asks for a stream, and asks again where another one is still open.
func knock(c *probe.Client, lastEvent string) (stream *probe.Stream, head probe.Seen, came bool) {
	for try := 1; ; try++ {
		stream = get(c, lastEvent)
		head, came = stream.Head()
		if !came || head.HTTP.Status != http.StatusConflict || try == tries {
			return stream, head, came
		}
		stream.Abort()
		c.Barrier()
	}
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
		for _, call := range t.calls {
			if !call.Owns(p.In) {
				continue
			}
			if p.Token != call.Token {
				return probe.Shown(call, probe.One(p.In.Frame)).Violation(
					"the stream of a call brings the progress of another, with the token %s, want its own only", probe.Show(p.Token))
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
		if p.In.Exchange == t.listening.Exchange() {
			return probe.Shown(t.listening, probe.One(p.In.Frame)).Violation(
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
			if p.Token == before.Token && probe.Same(p.Progress, before.Progress) && p.In.Exchange != before.In.Exchange {
				return probe.Shown(probe.One(before.In.Frame), probe.One(p.In.Frame)).Violation(
					"the notification with the progress %s comes on two streams, want one", probe.Show(p.Progress))
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
	case reporting.Responds(s):
		return x.Evidence(s).Violation("a response comes on the stream that GET opened, want it in answer to the POST of its request").Opinion()
	case s.Kind == frame.KindMessage || s.Kind == frame.KindEnd:
		return probe.Kept()
	}
	return probe.Nothing()
}
