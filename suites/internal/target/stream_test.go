package target

import (
	"io"
	"strings"
	"testing"
)

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	for _, sizes := range [][]int{{1}, {10}, {11}, {3, 3, 3, 3, 3}, {9, 1, 1}, {9, 2}, {25}, {4, 25, 4}, {10, 10, 3}, {5, 0, 5, 9}} {
		tail := newTail(10)
		var all strings.Builder
		for i, size := range sizes {
			part := strings.Repeat(string(rune('a'+i)), size)
			all.WriteString(part)
			if n, err := io.WriteString(tail, part); n != size || err != nil {
				t.Errorf("wrote %d %v", n, err)
			}
		}
		want := all.String()
		if len(want) > 10 {
			want = "..." + want[len(want)-10:]
		}
		if got := tail.String(); got != want {
			t.Errorf("%v: got %q, want %q", sizes, got, want)
		}
	}
}
