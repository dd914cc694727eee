package probe_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// inGoroutine runs a function in a goroutine of its own and waits for its end.
func inGoroutine(do func()) {
	var all sync.WaitGroup
	all.Go(do)
	all.Wait()
}

// The verdict of a case does not depend on the place where it ends.
func TestCaseEnds(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	stops := func(c *probe.Client) { inGoroutine(func() { c.Stop(first) }) }
	for name, row := range map[string]struct {
		speak func(t *testing.T, c *probe.Client) error
		want  string
	}{
		"it returns nothing":  {func(*testing.T, *probe.Client) error { return nil }, ""},
		"it returns an error": {func(*testing.T, *probe.Client) error { return first }, "first"},
		"it is stopped from below": {func(t *testing.T, c *probe.Client) error {
			func() { func() { c.Stop(first) }() }()
			t.Error("the case goes on")
			return second
		}, "first"},
		"it is undecided":                        {func(_ *testing.T, c *probe.Client) error { c.Undecide("who knows"); return second }, "who knows"},
		"its goroutine stops it, and it returns": {func(_ *testing.T, c *probe.Client) error { stops(c); return second }, "first"},
		"its goroutine stops it, and it stops": {func(_ *testing.T, c *probe.Client) error {
			stops(c)
			c.Stop(second)
			return nil
		}, "first"},
		"its goroutine stops it, and it panics": {func(_ *testing.T, c *probe.Client) error { stops(c); panic("ours") }, "first"},
		"its goroutine stops it, and it calls": {func(t *testing.T, c *probe.Client) error {
			stops(c)
			c.Call("ping", nil)
			t.Error("the case goes on")
			return second
		}, "first"},
		"its goroutine stops it, and another calls": {func(t *testing.T, c *probe.Client) error {
			stops(c)
			inGoroutine(func() { c.Call("ping", nil); t.Error("the other goroutine goes on") })
			return nil
		}, "first"},
		"it panics":           {func(*testing.T, *probe.Client) error { panic("ours") }, "the case panicked: ours"},
		"it ends the routine": {func(*testing.T, *probe.Client) error { runtime.Goexit(); return nil }, "the case ended its goroutine instead of returning"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{hear: polite}
				c := connect(t, s)
				deferred := false
				err := control(c).Run(t.Context(), func(c *probe.Client) error {
					defer func() { deferred = true }()
					return row.speak(t, c)
				})
				if text(err) != row.want || !deferred {
					t.Errorf("got %v, want %q; deferred functions have run: %t", err, row.want, deferred)
				}
				if sent := s.texts(); sent != "" {
					t.Errorf("the stopped case sent %s", sent)
				}
				if !c.Barrier().Answered() {
					t.Error("the connection is of no more use for the next case")
				}
			})
		})
	}
}

// Cleanups run separately, the last one first, however the case ends.
func TestCleanup(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		speak func(ctx context.Context, c *probe.Client, cut func()) error
		want  string
	}{
		"it returns":      {func(context.Context, *probe.Client, func()) error { return errors.New("the verdict") }, "the verdict"},
		"it is stopped":   {func(_ context.Context, c *probe.Client, _ func()) error { c.Stop(errors.New("why")); return nil }, "why"},
		"it panics":       {func(context.Context, *probe.Client, func()) error { panic("ours") }, "the case panicked: ours"},
		"it is cut short": {func(_ context.Context, c *probe.Client, cut func()) error { cut(); c.Barrier(); return nil }, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{hear: polite}
				ctx, cut := context.WithCancel(t.Context())
				defer cut()
				var done []string
				err := control(connect(t, s)).Run(ctx, func(c *probe.Client) error {
					c.Cleanup(func() { done = append(done, "first") })
					c.Cleanup(func() { c.Stop(errors.New("nobody hears of it")) })
					c.Cleanup(func() { panic("nor of this") })
					c.Cleanup(func() { done = append(done, "last: "+c.Call("tidy", nil).Outcome()) })
					return row.speak(ctx, c, cut)
				})
				if text(err) != row.want {
					t.Errorf("got %v, want %s", err, row.want)
				}
				if diff := cmp.Diff([]string{"last: result {}", "first"}, done); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A run that is cut short leaves a moment for cleanups, and no more.
func TestCleanupOfCutRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cut := context.WithCancel(t.Context())
		began, tidied := time.Now(), false
		err := control(connect(t, &server{})).Run(ctx, func(c *probe.Client) error {
			c.Cleanup(func() { tidied = true })
			c.Cleanup(func() { c.Call("tidy", nil); t.Error("silence is waited for") })
			cut()
			return nil
		})
		if err != nil || !tidied || time.Since(began) != time.Second {
			t.Errorf("got %v after %s, tidied up: %t", err, time.Since(began), tidied)
		}
	})
}

// A case continues after a part that was stopped, unless the run is cut short
// or the part is broken.
func TestTry(t *testing.T) {
	t.Parallel()
	first := errors.New("first")
	for name, row := range map[string]struct {
		part   func(c *probe.Client, cut func())
		why    string
		goesOn bool
		want   string
	}{
		"it comes to its end": {func(*probe.Client, func()) {}, "", true, ""},
		"it is stopped":       {func(c *probe.Client, _ func()) { c.Stop(first) }, "first", true, ""},
		"within another":      {func(c *probe.Client, _ func()) { c.Stop(c.Try(func() { c.Stop(first) })) }, "first", true, ""},
		"it panics":           {func(*probe.Client, func()) { panic("ours") }, "", false, "the case panicked: ours"},
		"it ends the routine": {func(*probe.Client, func()) { runtime.Goexit() }, "", false, "the case ended its goroutine instead of returning"},
		"it is cut short":     {func(c *probe.Client, cut func()) { cut(); c.Barrier() }, "", false, "context canceled"},
		"cut short unnoticed": {func(_ *probe.Client, cut func()) { cut() }, "", false, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cut := context.WithCancel(t.Context())
				defer cut()
				goesOn := false
				err := control(connect(t, &server{hear: polite})).Run(ctx, func(c *probe.Client) error {
					why := c.Try(func() { row.part(c, cut) })
					goesOn = c.Barrier().Answered()
					if text(why) != row.why {
						t.Errorf("the part was stopped by %v, want %q", why, row.why)
					}
					return nil
				})
				if goesOn != row.goesOn || text(err) != row.want {
					t.Errorf("goes on: %t, and ends with %v, want %t and %q", goesOn, err, row.goesOn, row.want)
				}
			})
		})
	}
}

// A goroutine that outlives its case sends nothing more to the server.
func TestAfterTheEnd(t *testing.T) {
	t.Parallel()
	for name, speak := range map[string]func(c *probe.Client){
		"a call":         func(c *probe.Client) { c.Call("late", nil) },
		"a notification": func(c *probe.Client) { c.Notify("late", nil) },
		"a frame":        func(c *probe.Client) { c.Send("late") },
		"a connection":   func(c *probe.Client) { c.Another() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{hear: polite}
				var left sync.WaitGroup
				ended := make(chan struct{})
				if err := stopped(t, connect(t, s), func(c *probe.Client) {
					left.Go(func() {
						<-ended
						speak(c)
						t.Error("the goroutine goes on")
					})
				}); err != nil {
					t.Error(err)
				}
				close(ended)
				left.Wait()
				if sent := s.texts(); sent != "" {
					t.Errorf("the server got %s", sent)
				}
			})
		})
	}
}

// A learned reason to stop stops each case that asks for the key; a reading
// that was cut short is repeated.
func TestLearnStops(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		stop  error
		again bool
	}{
		"no verdict": {&probe.Undecided{Reason: "who knows"}, false},
		"cut short":  {context.Canceled, true},
		"too slow":   {context.DeadlineExceeded, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{})
				learned := 0
				for n := range 3 {
					err := stopped(t, c, func(c *probe.Client) {
						c.Learn("key", func() string { learned++; c.Stop(row.stop); return "value" })
						t.Errorf("case %d goes on", n)
					})
					if !errors.Is(err, row.stop) {
						t.Errorf("case %d is stopped by %v", n, err)
					}
				}
				if again := learned == 3; again != row.again || learned == 0 || learned == 2 {
					t.Errorf("it was learned %d times", learned)
				}
			})
		})
	}
}

// A case that breaks while it learns leaves nobody waiting, and no value.
func TestLearnBreaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{})
		if err := stopped(t, c, func(c *probe.Client) { c.Learn("key", func() string { panic("ours") }) }); text(err) != "the case panicked: ours" {
			t.Errorf("stopped by %v", err)
		}
		if got := c.Learn("key", func() string { return "value" }); got != "value" {
			t.Errorf("got %q", got)
		}
	})
}
