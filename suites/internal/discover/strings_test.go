package discover_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A server that reads only ids that are strings is told so, soon after it did not answer. A
// server that answers nothing, or starts slowly, is not.
func TestOnlyStringsAsIDs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		line   func(line []byte, began time.Time) (done bool)
		told   bool
		within time.Duration
	}{
		{"numbers are ignored", func(line []byte, _ time.Time) bool { return !bytes.Contains(line, []byte(`"id":"`)) }, true, 25 * time.Second},
		{"everything is ignored", func([]byte, time.Time) bool { return true }, false, 2 * time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble.Run(t, func(t *testing.T) {
				server := &fakeserver.Server{}
				began := time.Now()
				server.Stdio.Line = func(line []byte, _ io.Writer) bool { return row.line(line, began) }
				l := stdio(server)
				l.Setup.Waits.Opening = time.Minute
				found, err := l.Versions(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				found.Close(t.Context())
				tried := strings.Join(found.Tried, "\n")
				if took := time.Since(began); took > row.within || len(found.Revisions()) > 0 {
					t.Errorf("it took %s to find %v: %s", took, found.Revisions(), tried)
				}
				advice := discover.Advice(requirements.Stdio, tried, found.Stderr)
				if got := strings.Contains(advice, "whose id is a string"); got != row.told {
					t.Errorf("the advice is %q after %s", advice, tried)
				}
			})
		})
	}
	t.Run("a slow start", func(t *testing.T) {
		bubble.Run(t, func(t *testing.T) {
			server := &fakeserver.Server{}
			server.Stdio.Begin = func(io.Writer, io.Writer) { time.Sleep(15 * time.Second) }
			l := stdio(server)
			l.Setup.Waits.Opening = time.Minute
			found, err := l.Versions(t.Context())
			if err != nil || len(found.Revisions()) == 0 {
				t.Fatalf("%v: %q", err, found.Tried)
			}
			found.Close(t.Context())
		})
	})
}
