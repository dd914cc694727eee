package probe_test

import (
	"errors"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A good value is read once for each connection, any other value anew; a
// reading that was stopped keeps nothing.
func TestOnce(t *testing.T) {
	t.Parallel()
	one, other := connect(t, &server{hear: polite}), connect(t, &server{hear: polite})
	reads := 0
	ask := func(c *probe.Client, key string, keep bool, stop error) (got int) {
		why := stopped(t, c, func(c *probe.Client) {
			got = probe.Once(c, key, func() (int, bool) {
				reads++
				if stop != nil {
					c.Stop(stop)
				}
				return reads, keep
			})
		})
		if !errors.Is(why, stop) {
			t.Errorf("stopped by %v, want %v", why, stop)
		}
		return got
	}
	cut := errors.New("cut short")
	for i, step := range []struct {
		c    *probe.Client
		key  string
		keep bool
		stop error
		want int
	}{
		{one, "a", false, nil, 1}, {one, "a", true, cut, 0}, {one, "a", true, nil, 3}, {one, "a", true, nil, 3},
		{one, "b", true, nil, 4}, {other, "a", true, nil, 5}, {one, "a", false, nil, 3},
	} {
		if got := ask(step.c, step.key, step.keep, step.stop); got != step.want {
			t.Errorf("step %d: reading %d, want %d", i, got, step.want)
		}
	}
}
