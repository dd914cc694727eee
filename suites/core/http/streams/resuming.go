package streams

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func resumeCases() []suite.Case {
	needs := over(suite.Role(roles.ProgressTool))
	return []suite.Case{
		{
			ID:     "http/resumed-stream-own",
			Title:  "a stream that is resumed brings nothing of another stream",
			Checks: []requirements.ID{"http-resume-no-cross-stream", "http-event-id-encodes-stream"},
			Needs:  needs,
			Fix:    "find the stream by its event id, and replay what was sent on that stream only",
			Run:    resumesOwn,
		},
		{
			ID:     "http/resumed-session-own",
			Title:  "a stream that is resumed brings nothing of another session",
			Checks: []requirements.ID{"http-resume-no-cross-stream", "http-session-isolation"},
			Needs:  append(needs[:len(needs):len(needs)], suite.Trait(probe.Sessions)),
			Fix:    "look for an event id among the streams of the session that the request names, and nowhere else",
			Run:    resumesOwnSession,
		},
		{
			ID:     "http/resume-by-get",
			Title:  "GET with the id of an event that came by POST is taken as GET is without one",
			Checks: []requirements.ID{"http-resume-via-get"},
			Needs:  needs,
			Fix:    "let GET with Last-Event-ID resume any stream, whether POST or GET opened it",
			Run:    resumesByGet,
		},
	}
}

// An interruption is two calls of which the client says that it lost all behind the
// first event with an id, and what came when it resumed each of them.
type interruption struct {
	tokens  []string
	ids     []string        // of the requests
	events  []string        // the last ones that the client had
	resumed []*probe.Stream // nil where the server opened none
	came    bool            // something of a stream came once more
	without error           // why there was nothing to resume
}

// interrupted makes and resumes two calls, once for the connection.
func interrupted(ctx context.Context, c *probe.Client) (*interruption, error) {
	x, err := probe.Once(c, "http:interruption", func() (*interruption, bool, error) {
		x := &interruption{tokens: []string{c.Nonce(), c.Nonce()}}
		err := x.make(ctx, c)
		return x, err == nil, err
	})
	if err == nil {
		err = x.without
	}
	return x, err
}

func (x *interruption) make(ctx context.Context, c *probe.Client) error {
	calls := make([]*probe.Stream, len(x.tokens))
	for i, token := range x.tokens {
		call, err := c.Role(roles.ProgressTool).Call()
		if err != nil {
			return err
		}
		text := c.Compose("tools/call", call.Params(probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}}))
		x.ids = append(x.ids, frame.IDKey(frame.Read([]byte(text)).ID))
		if calls[i], err = c.Begin(ctx, probe.Outgoing{Text: text}); err != nil {
			return err
		}
	}
	// What was said to the end is there to be replayed at once; of a call under way
	// nobody knows when more comes.
	for _, call := range calls {
		if _, _, err := call.Await(ctx, c.Waits().Answer, responds); err != nil {
			return err
		}
		first, ok := firstEvent(call)
		if !ok {
			x.without = probe.NotSeen("the events of the server's streams have no ids")
			return nil
		}
		if err := call.Abort(ctx); err != nil {
			return err
		}
		x.events = append(x.events, first)
	}
	for i := range x.events {
		if err := x.resume(ctx, c, i); err != nil {
			return err
		}
	}
	return nil
}

// firstEvent is the id of the first event that had one, unless that is the response.
func firstEvent(stream *probe.Stream) (string, bool) {
	for _, s := range stream.Frames() {
		if s.SSE != nil && s.SSE.HasID && s.SSE.ID != "" {
			return s.SSE.ID, !responds(s)
		}
	}
	return "", false
}

// resume takes one stream up again. What a server replays comes before it answers what
// is asked later.
func (x *interruption) resume(ctx context.Context, c *probe.Client, i int) error {
	stream, err := listen(ctx, c, x.events[i])
	if err != nil {
		return err
	}
	x.resumed = append(x.resumed, stream)
	if stream == nil {
		return nil
	}
	for range tries {
		if slices.ContainsFunc(stream.Frames(), responds) {
			x.came = true
			break
		}
		if _, err := c.Barrier(ctx); err != nil {
			return err
		}
	}
	return stream.Abort(ctx)
}

func resumesOwn(ctx context.Context, c *probe.Client) error {
	x, err := interrupted(ctx, c)
	if err != nil {
		return err
	}
	for i, stream := range x.resumed {
		if stream == nil {
			continue
		}
		for _, s := range stream.Frames() {
			if what := belongs(s, x.tokens[1-i], x.ids[1-i]); what != "" {
				return probe.Shown(stream, probe.One(s.Frame)).Violation(
					"the stream of one call, resumed behind the event %s, brings %s of another call, want its own only", probe.Show(x.events[i]), what)
			}
		}
	}
	if !x.came {
		return probe.NotSeen("the server replays nothing when a stream is resumed")
	}
	return nil
}

// belongs says what in a frame belongs to a call; empty where nothing does.
func belongs(s probe.Seen, token, id string) string {
	if s.Dir == frame.Sent || s.Kind != frame.KindMessage {
		return ""
	}
	for _, m := range responses(s) {
		if frame.IDKey(m.ID) == id {
			return "the response"
		}
	}
	for _, m := range probe.Singles(s.Message()) {
		if told, _ := m.At("/params/progressToken"); told == token {
			return "progress"
		}
	}
	return ""
}

func resumesByGet(ctx context.Context, c *probe.Client) error {
	x, err := interrupted(ctx, c)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(x.resumed, func(s *probe.Stream) bool { return s != nil }) {
		return nil
	}
	plain, err := listen(ctx, c, "")
	if err != nil {
		return err
	}
	if plain == nil {
		return probe.NotSeen("GET opens no stream, with Last-Event-ID or without")
	}
	if err := plain.Abort(ctx); err != nil {
		return err
	}
	stream, err := c.Resume(ctx, x.events[0])
	if err != nil {
		return err
	}
	head, came, err := stream.Head(ctx)
	if err != nil {
		return err
	}
	shown := probe.Shown(plain, stream)
	switch {
	case !came:
		return probe.Undecide("GET with Last-Event-ID is not answered")
	case head.Streams() || head.HTTP.Status == http.StatusConflict:
		return stream.Abort(ctx)
	}
	return shown.Violation("GET opens a stream, but with the id of an event of a POST's stream it gets status %d, want a stream",
		head.HTTP.Status)
}
