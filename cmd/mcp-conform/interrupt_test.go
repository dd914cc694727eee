//go:build unix

package main

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// The first signal ends the context, and a later one the process. One that comes at once is
// the same for two receivers.
func TestInterruptible(t *testing.T) {
	codes := make(chan int, 1)
	var told bytes.Buffer
	ctx, interrupted, stop := interruptible(t.Context(), world{err: &told, exit: func(code int) { codes <- code }}, func() {})
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if interrupted() {
		t.Error("interrupted before any signal")
	}
	signal := func() {
		if err := self.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	signal()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("the context did not end")
	}
	signal()
	select {
	case <-codes:
		t.Error("two signals at once ended the process")
	case <-time.After(2 * twin):
	}
	signal()
	select {
	case code := <-codes:
		if code != 130 {
			t.Errorf("exit code %d, want 130", code)
		}
	case <-time.After(time.Minute):
		t.Fatal("the process was not ended")
	}
	stop()
	if !interrupted() || told.Len() == 0 {
		t.Errorf("interrupted: %v, told: %q", interrupted(), told.String())
	}
}
