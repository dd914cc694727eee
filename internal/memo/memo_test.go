package memo

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// What is known is not worked out again, and a full table begins anew.
func TestTable(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	table := New(2, func(text string) string {
		asked[text]++
		return strings.ToUpper(text)
	})
	for _, text := range []string{"a", "b", "a", "c", "c", "a"} {
		if got := table.Of(text); got != strings.ToUpper(text) {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for text, want := range map[string]int{"a": 2, "b": 1, "c": 1} {
		if asked[text] != want {
			t.Errorf("%s was worked out %d times, want %d", text, asked[text], want)
		}
	}
}

func TestTableServesSeveral(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	table := New(100, func(n int) int {
		asked.Add(1)
		return n * n
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 50 {
				if got := table.Of(n); got != n*n {
					t.Errorf("%d: got %d", n, got)
				}
			}
		})
	}
	all.Wait()
	if n := asked.Load(); n < 50 || n > 400 {
		t.Errorf("the function was asked %d times", n)
	}
}
