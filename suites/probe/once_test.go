package probe_test

import (
	"errors"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// What is good enough is read once for each connection, everything else anew.
func TestOnce(t *testing.T) {
	t.Parallel()
	one, other := connect(t, &server{hear: polite}), connect(t, &server{hear: polite})
	reads := 0
	ask := func(c *probe.Client, key string, keep bool, err error) int {
		got, failed := probe.Once(c, key, func() (int, bool, error) { reads++; return reads, keep, err })
		if !errors.Is(failed, err) {
			t.Errorf("%v, want %v", failed, err)
		}
		return got
	}
	cut := errors.New("cut short")
	for i, step := range []struct {
		c    *probe.Client
		key  string
		keep bool
		err  error
		want int
	}{
		{one, "a", false, nil, 1}, {one, "a", true, cut, 2}, {one, "a", true, nil, 3}, {one, "a", true, nil, 3},
		{one, "b", true, nil, 4}, {other, "a", true, nil, 5}, {one, "a", false, nil, 3},
	} {
		if got := ask(step.c, step.key, step.keep, step.err); got != step.want {
			t.Errorf("step %d: reading %d, want %d", i, got, step.want)
		}
	}
}
