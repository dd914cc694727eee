package front

import (
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadLines(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"lines", "a\nb\n", []string{"a", "b"}},
		{"no end", "a\nb", []string{"a", "b"}},
		{"carriage returns", "a\r\nb\r\n", []string{"a", "b"}},
		{"empty lines", "\n\na\n", []string{"", "", "a"}},
		{"longer than the buffer", strings.Repeat("x", 100_000) + "\ny\n", []string{strings.Repeat("x", 100_000), "y"}},
		{"too long", strings.Repeat("x", maxMessage+1) + "\ny\n", []string{"too long", "y"}},
		{"longest", strings.Repeat("x", maxMessage-1) + "\n", []string{strings.Repeat("x", maxMessage-1)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			lines := make(chan line)
			go readLines(iotest.HalfReader(strings.NewReader(row.in)), lines, t.Context().Done())
			for _, want := range row.want {
				got, more := <-lines
				text := string(got.text)
				if got.tooLong {
					text = "too long"
				}
				if !more || text != want {
					t.Errorf("got %.20q of %d bytes, want %.20q of %d", text, len(text), want, len(want))
				}
			}
			if got, more := <-lines; more {
				t.Errorf("there is one more line: %.20q", got.text)
			}
		})
	}
}
