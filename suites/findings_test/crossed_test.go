package findings_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A process that ends because two requests are in flight does not end by the first of them.
func TestEndsByCrossedRequests(t *testing.T) {
	t.Parallel()
	const caseID = "completion/inputs-validated-long"
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("completions", "prompts"),
		Prompts:      []map[string]any{{"name": "greet", "arguments": []any{map[string]any{"name": "who"}}}},
	}
	report := proof.Judge(t, suites.Plan{
		Config: config.Default(), Local: &suites.Local{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			return server.Serve(ctx, term, crossed(ctx, in), out, errw)
		}}, Seed: 1, Timeout: 2 * time.Second, Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == caseID },
	})
	for _, f := range report.Findings {
		if f.Case == caseID && f.Status != reports.Skip {
			t.Errorf("got %s %s, want it undecided", f.Status, f.Problem)
		}
	}
}

// crossed ends where another line comes while a long completion is read.
func crossed(ctx context.Context, in io.Reader) io.Reader {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			b := make([]byte, 1<<20)
			n, err := in.Read(b)
			if err != nil {
				return
			}
			select {
			case chunks <- b[:n]:
			case <-ctx.Done():
				return
			}
		}
	}()
	var rest []byte
	return readerFunc(func(b []byte) (int, error) {
		for len(rest) == 0 {
			next, ok := <-chunks
			if !ok {
				return 0, io.EOF
			}
			rest = next
			for busy := bytes.Contains(next, []byte("completion/complete")) && len(next) > 1<<10; busy; {
				select {
				case more, ok := <-chunks:
					if !ok || bytes.Contains(more, []byte(`"method"`)) {
						return 0, io.EOF
					}
					rest = append(rest, more...)
				case <-time.After(100 * time.Millisecond):
					busy = false
				}
			}
		}
		n := copy(b, rest)
		rest = rest[n:]
		return n, nil
	})
}
