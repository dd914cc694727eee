package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
)

// twin is how soon after the first signal another one is the same: timeout(1) signals the
// program and then its group, and npx passes on what the terminal sent to both.
const twin = 300 * time.Millisecond

// interruptible cancels the context at the first SIGINT, SIGTERM or SIGHUP, and ends the
// process at the second, after calling last. Stop ends the listening.
func interruptible(ctx context.Context, w world, last func()) (_ context.Context, interrupted func() bool, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores SIGHUP
		signal.Notify(signals, syscall.SIGHUP)
	}
	// When the reader of the progress goes away, the run must not die and leave its
	// servers behind.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	var came atomic.Bool
	done := make(chan struct{})
	var listening sync.WaitGroup
	listening.Go(func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			switch {
			case !came.Swap(true):
				first = time.Now()
				cancel()
				w.say("interrupted; interrupt again to stop at once, without a report")
			case time.Since(first) > twin:
				last()
				w.exit(reports.ExitInterrupted)
			}
		}
	})
	return ctx, came.Load, func() {
		signal.Stop(signals)
		close(done)
		listening.Wait()
		cancel()
	}
}
