package jsonrpc

import (
	"context"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A volley is an array of messages and what came back for it.
type volley struct {
	answers map[string][]frame.Message // by the id of the request
	extra   []frame.Message            // responses to none of its requests
	array   bool                       // some came as an array
	said    bool                       // some message came
	body    bool                       // over HTTP there was a body that is none
	status  int                        // of HTTP
	died    bool                       // the connection ended
	ended   bool                       // nothing more can come
	frames  []frame.Frame
}

// array writes messages as one array.
func array(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

// fire sends an array and waits until every id is answered, the array is
// refused as a whole or the time is up; then it looks whether anything follows.
func fire(ctx context.Context, c *probe.Client, text string, ids ...string) (volley, error) {
	if err := quiet(ctx, c); err != nil {
		return volley{}, err
	}
	from := c.Mark()
	if err := c.Send(ctx, text); err != nil && ctx.Err() != nil {
		return volley{}, ctx.Err()
	}
	_, _, err := c.Await(ctx, from, c.Waits().Answer, func(probe.Seen) bool {
		return since(c, from, ids).settled(ids)
	})
	if err != nil {
		return volley{}, err
	}
	return look(ctx, c, from, ids)
}

// glance is fire for what may be passed over in silence.
func glance(ctx context.Context, c *probe.Client, text string, ids ...string) (volley, error) {
	if err := quiet(ctx, c); err != nil {
		return volley{}, err
	}
	from := c.Mark()
	if err := c.Send(ctx, text); err != nil && ctx.Err() != nil {
		return volley{}, ctx.Err()
	}
	return look(ctx, c, from, ids)
}

func look(ctx context.Context, c *probe.Client, from probe.Mark, ids []string) (volley, error) {
	err := dealtWith(ctx, c, from)
	if err != nil && ctx.Err() != nil {
		return volley{}, err
	}
	// That the server is gone is in the volley.
	return since(c, from, ids), nil
}

// since reads what came for the frame sent at the mark. What answers a request
// from before may come late.
func since(c *probe.Client, from probe.Mark, ids []string) volley {
	return collect(c.Since(from), askedIDs(c.Since(0)), ids)
}

// collect reads what belongs to the first frame sent among these, and not to
// others.
func collect(seen []probe.Seen, others map[string]bool, ids []string) volley {
	v := volley{answers: map[string][]frame.Message{}}
	exchange, sent := 0, false
	for _, s := range seen {
		switch {
		case s.Dir == frame.Sent && !sent:
			exchange, sent = s.Exchange, true
			v.frames = append(v.frames, s.Frame)
		case s.Kind == frame.KindEnd && s.Exchange == 0:
			v.died, v.ended = true, true
			v.frames = append(v.frames, s.Frame)
		case s.Dir == frame.Sent || s.Exchange != exchange:
		case s.Kind == frame.KindHead && s.HTTP != nil:
			v.status = s.HTTP.Status
			v.frames = append(v.frames, s.Frame)
		case s.Kind == frame.KindBody:
			v.body = v.body || s.Size > 0
		case s.Kind == frame.KindEnd:
			v.ended = true
			v.died = s.End != nil && s.End.Err != ""
		case s.Kind == frame.KindMessage:
			v.take(s, ids, others)
		}
	}
	return v
}

func (v *volley) take(s probe.Seen, ids []string, others map[string]bool) {
	read := s.Message()
	kept := read.Class == frame.Batch && len(read.Batch) == 0
	for _, m := range probe.Singles(read) {
		_, isResult := m.Members["result"]
		_, isError := m.Members["error"]
		if m.Method != "" || !probe.LooksLikeMessage(m) || !isResult && !isError || m.HasID && others[bare(m.ID)] {
			continue
		}
		kept = true
		if id, ok := among(m, ids); ok {
			v.answers[id] = append(v.answers[id], m)
		} else {
			v.extra = append(v.extra, m)
		}
	}
	if kept {
		v.said = true
		v.array = v.array || read.Class == frame.Batch
		v.frames = append(v.frames, s.Frame)
	}
}

func among(m frame.Message, ids []string) (string, bool) {
	for _, id := range ids {
		if m.HasID && frame.SameID(m.ID, id) {
			return id, true
		}
	}
	return "", false
}

// settled reports whether nothing more needs to be waited for.
func (v volley) settled(ids []string) bool {
	if v.ended || len(v.answers) == len(ids) {
		return true
	}
	_, refused := v.refusal()
	return refused && len(v.answers) == 0
}

// refusal is an error without an id: what answers the array as a whole.
func (v volley) refusal() (frame.Message, bool) {
	for _, m := range v.extra {
		if m.Class == frame.Error && (!m.HasID || m.ID == "null") {
			return m, true
		}
	}
	return frame.Message{}, false
}

// refused reports whether the array was declined as a whole.
func (v volley) refused() bool {
	_, ok := v.refusal()
	return ok && len(v.answers) == 0 || v.status >= 400
}

// served counts the ids that got a result.
func (v volley) served() int {
	n := 0
	for _, answers := range v.answers {
		for _, m := range answers {
			if m.Class == frame.Result {
				n++
				break
			}
		}
	}
	return n
}

// silent reports whether nothing at all came back.
func (v volley) silent() bool {
	return len(v.answers) == 0 && len(v.extra) == 0 && !v.array && v.status == 0 && !v.died
}

func (v volley) broken(format string, args ...any) *probe.Violation {
	return probe.Broken(v.frames, format, args...)
}
