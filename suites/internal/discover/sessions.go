package discover

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// TrySessions learns whether a new session over HTTP ends the one before, and whether the
// server bears atOnce sessions. TrySessions closes the connections that were kept for a
// survey if they would occupy sessions that cases need.
func (f *Found) TrySessions(ctx context.Context, atOnce int) error {
	handshake := slices.DeleteFunc(f.Revisions(), requirements.Revision.Modern)
	if len(handshake) == 0 || f.look.Transport != requirements.HTTP || !f.Sessions {
		return nil
	}
	newest := slices.Max(handshake)
	var open sessions
	defer open.close(ctx)
	for range 2 {
		if !open.begin(ctx, f.look, newest) {
			f.limited(ctx, newest, &open)
			return ctx.Err()
		}
	}
	if _, err := called(ctx, open.all[0], "ping"); err != nil {
		return ctx.Err()
	}
	if open.all[0].SessionEnded() {
		f.Tolerance = tolerance.LastSession
		// To ask for the other revisions later would end the session of some case.
		_, err := f.Versions(ctx)
		f.Close(ctx)
		return err
	}
	var opening sync.WaitGroup
	for range atOnce - len(open.all) {
		opening.Go(func() { open.begin(ctx, f.look, newest) })
	}
	opening.Wait()
	if len(open.all) < atOnce {
		f.limited(ctx, newest, &open)
	}
	if f.Together = open.endTogether(ctx); f.Together {
		f.Close(ctx) // those that were kept for a survey have ended too
	}
	return ctx.Err()
}

// endTogether reports whether the end of one session is that of another: it closes one and asks
// in another. http/session-ended-alone judges that.
func (s *sessions) endTogether(ctx context.Context) bool {
	if len(s.all) < 2 {
		return false
	}
	_ = s.all[0].Close(context.WithoutCancel(ctx))
	s.all = s.all[1:]
	_, err := called(ctx, s.all[0], "ping")
	return err == nil && s.all[0].SessionEnded()
}

// sessions are open at the same time.
type sessions struct {
	mu  sync.Mutex
	all []*probe.Control
}

// begin opens a further session, and reports whether that was possible.
func (s *sessions) begin(ctx context.Context, l Look, r requirements.Revision) bool {
	k, err := l.begin(ctx, r)
	if err != nil {
		return false // nothing listens any more, which shows soon
	}
	if err := k.Open(ctx); err != nil {
		_ = k.Close(context.WithoutCancel(ctx))
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, k)
	return true
}

func (s *sessions) close(ctx context.Context) {
	var closing sync.WaitGroup
	for _, k := range s.all {
		closing.Go(func() { _ = k.Close(context.WithoutCancel(ctx)) })
	}
	closing.Wait()
	s.all = nil
}

// limited learns how many sessions a server bears that refused one. It closes the sessions
// that were tried, and asks for a session again. If the server refuses that one too, only
// the kept session can be used. Otherwise limited closes the kept sessions as well, to
// make room for cases.
func (f *Found) limited(ctx context.Context, r requirements.Revision, open *sessions) {
	if !f.look.refused(ctx, r) {
		return
	}
	open.close(ctx)
	if f.look.refused(ctx, r) {
		f.Tolerance = tolerance.OneForAll
		return
	}
	f.Tolerance = tolerance.Few
	f.Close(ctx)
}

// refused reports whether the server refuses to begin a session now.
func (l Look) refused(ctx context.Context, r requirements.Revision) bool {
	k, err := l.begin(ctx, r)
	if err != nil {
		return false
	}
	defer func() { _ = k.Close(context.WithoutCancel(ctx)) }()
	return refusal(k.Open(ctx))
}

// refusal reports whether the server refused an opening for a reason other than missing
// credentials or too many requests.
func refusal(err error) bool {
	o, ok := errors.AsType[*probe.OpeningError](err)
	if !ok {
		return false
	}
	switch o.Reply.Status() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	return o.Reply.Status() >= http.StatusBadRequest || o.Reply.Failed()
}

// streams learns what a second stream of HTTP+SSE does to the first. Usually it does
// nothing; but the server may refuse the second stream, send it the messages of the first,
// or end the first.
func (f *Found) streams(ctx context.Context) {
	began := f.look.ask(ctx, newest(), &f.pace, true)
	defer func() { round{began}.close(context.WithoutCancel(ctx)); f.Parted(ctx) }()
	if began.err != nil || !began.on.reply.Answered() {
		return
	}
	second, err := f.look.begin(ctx, newest())
	if err != nil {
		return
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	reply, err := first(ctx, second)
	if err != nil || !reply.Answered() {
		if second.StreamRefused() {
			f.Tolerance = tolerance.OneStream
		}
		return
	}
	const id = `"kit-stream"`
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var asked sync.WaitGroup
	closed := false
	asked.Go(func() {
		defer stop()
		reply, err := called(asking, began.on.control, "ping", probe.WithID(id))
		closed = err == nil && reply.Died()
	})
	diverted := false
	_ = second.Run(asking, func(c *probe.Client) error {
		_, diverted = c.Await(0, f.look.Setup.Waits.Answer, func(s probe.Seen) bool {
			m := s.Message()
			return s.Dir == frame.Received && m.HasID && frame.SameID(m.ID, id)
		})
		return nil
	})
	stop()
	asked.Wait()
	if diverted || closed {
		f.Tolerance = tolerance.LastStream
	}
}

// called makes one call and waits for the answer.
func called(ctx context.Context, k *probe.Control, method string, options ...probe.Option) (reply *probe.Reply, err error) {
	err = k.Run(ctx, func(c *probe.Client) error {
		reply = c.Call(method, nil, options...)
		return nil
	})
	return reply, err
}

// Parted gives the server time to notice that a stream was closed. Without that time the
// server might refuse the next stream, or end it together with the closed one.
func (f *Found) Parted(ctx context.Context) {
	const notice = 100 * time.Millisecond
	if !f.Tolerance.Lags() {
		return
	}
	select {
	case <-time.After(notice):
	case <-ctx.Done():
	}
}
