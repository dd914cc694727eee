package connect_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
)

// Connections that could not be closed are told once, with the first few different errors. The
// end of a run that is cut short is none.
func TestLeftover(t *testing.T) {
	t.Parallel()
	var l connect.Leftover
	l.Add(nil)
	l.Add(fmt.Errorf("close: %w", context.Canceled))
	if got := l.Text(); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
	for _, text := range []string{"d", "b", "a", "b", "c"} {
		l.Add(errors.New(text))
	}
	for range 2 {
		if got, want := l.Text(), "5 connections could not be closed: a; b; c"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
