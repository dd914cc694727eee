package discover

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// OneSession reports whether the server has one session at a time, so that a new
// one ends the one before, or takes its place. Connections that were kept for a survey
// are of no use then, and closed.
func (l Look) OneSession(ctx context.Context, found *Found) (bool, error) {
	handshake := slices.DeleteFunc(found.Revisions(), requirements.Revision.Modern)
	if len(handshake) == 0 {
		return false, nil
	}
	newest := slices.Max(handshake)
	switch {
	case l.Transport == requirements.SSE:
		return found.Displaces, nil
	case l.Transport != requirements.HTTP || !found.Sessions:
		return false, nil
	}
	first, err := l.begin(ctx, newest)
	if err != nil {
		return false, nil // nothing listens any more, which shows soon
	}
	defer func() { _ = first.Close(context.WithoutCancel(ctx)) }()
	second, err := l.begin(ctx, newest)
	if err != nil {
		return false, nil
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	for _, k := range []*probe.Control{first, second} {
		if err := k.Open(ctx); err != nil {
			found.Lone = refusal(err) && l.refused(ctx, newest)
			return false, ctx.Err()
		}
	}
	if _, err := first.Client.Call(ctx, "ping", nil); err != nil {
		return false, ctx.Err()
	}
	if !first.SessionEnded() {
		return false, nil
	}
	// What was not asked for yet would end the session of some case later on.
	_, err = found.Versions(ctx)
	found.Close(ctx)
	return true, err
}

// refused reports whether no session can be begun now.
func (l Look) refused(ctx context.Context, r requirements.Revision) bool {
	k, err := l.begin(ctx, r)
	if err != nil {
		return false
	}
	defer func() { _ = k.Close(context.WithoutCancel(ctx)) }()
	return refusal(k.Open(ctx))
}

// refusal reports whether an opening was refused, though neither access nor the number
// of requests is what is wrong.
func refusal(err error) bool {
	o := (*probe.OpeningError)(nil)
	if !errors.As(err, &o) {
		return false
	}
	switch o.Reply.Status() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	return o.Reply.Status() >= http.StatusBadRequest || o.Reply.Failed()
}

// streams learns what a further stream of HTTP+SSE does to the one before: nothing, as
// a rule; but it may be refused, get what is for the other, or end it.
func (f *Found) streams(ctx context.Context) {
	first := f.look.ask(ctx, newest(), &f.pace, true)
	defer func() { round{first}.close(context.WithoutCancel(ctx)); f.Parted(ctx) }()
	if first.err != nil || !first.on.reply.Answered() {
		return
	}
	second, err := f.look.begin(ctx, newest())
	if err != nil {
		return
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	reply, err := second.Client.First(ctx)
	if err != nil || !reply.Answered() {
		f.Exclusive = second.StreamRefused()
		return
	}
	const id = `"kit-stream"`
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var asked sync.WaitGroup
	closed := false
	asked.Go(func() {
		defer stop()
		reply, err := first.on.control.Client.Call(asking, "ping", nil, probe.WithID(id))
		closed = err == nil && reply.Died()
	})
	_, f.Displaces, _ = second.Client.Await(asking, 0, f.look.Setup.Waits.Answer, func(s probe.Seen) bool {
		m := s.Message()
		return s.Dir == frame.Received && m.HasID && frame.SameID(m.ID, id)
	})
	stop()
	asked.Wait()
	f.Displaces = f.Displaces || closed
}

// Parted leaves the server time to notice that a stream was closed, where it would
// refuse the next one, or where the end of the one before may take the next one along.
func (f *Found) Parted(ctx context.Context) {
	const notice = 100 * time.Millisecond
	if !f.Exclusive && !f.Displaces || f.look.Transport != requirements.SSE {
		return
	}
	select {
	case <-time.After(notice):
	case <-ctx.Done():
	}
}
