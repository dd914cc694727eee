package bubble_test

import (
	"testing"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
)

// Waits take no time and end at no whole second, and matching a pattern in a bubble leaves
// no goroutine there, which would fail the test.
func TestRun(t *testing.T) {
	t.Parallel()
	began := time.Now()
	bubble.Run(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		if now := time.Now(); now.Truncate(time.Second).Equal(now) {
			t.Errorf("it is %s", now)
		}
		pattern := regexp2.MustCompile("a+", regexp2.None)
		pattern.MatchTimeout = time.Second
		if found, err := pattern.MatchString("aa"); !found || err != nil {
			t.Errorf("found %v, %v", found, err)
		}
	})
	if took := time.Since(began); took >= time.Hour {
		t.Errorf("it took %s", took)
	}
}
