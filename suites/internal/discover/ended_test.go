package discover_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A process that ends while nothing is asked of it is not asked for its lists: another one is.
func TestSurveyAfterTheEnd(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		const life = time.Second
		server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
		serve := func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			ended := make(chan int, 1)
			go func() { ended <- server.Serve(ctx, term, in, out, errw) }()
			select {
			case code := <-ended:
				return code
			case <-time.After(life):
				return 1
			}
		}
		l := look(requirements.Stdio, func(ctx context.Context) (probe.Conn, error) {
			return wire.DialStdio(ctx, target.Memory{Serve: serve}, wire.Options{})
		})
		found, err := l.Versions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * life)
		survey, control, err := l.Survey(t.Context(), requirements.R20251125, found)
		if err != nil {
			t.Fatal(err)
		}
		if len(survey.Lists["tools/list"]) == 0 {
			t.Error("the survey has no tools")
		}
		_ = control.Close(t.Context())
		found.Close(t.Context())
	})
}
