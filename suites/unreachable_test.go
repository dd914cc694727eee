package suites_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The report says once why nothing can be judged, what was tried and what to
// do; it does not list four hundred failures.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	address, err := vacant.Address()
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + address + "/mcp"

	for _, row := range []struct {
		name   string
		local  *suites.Local
		target config.Target
		says   []string
	}{
		{name: "no such command", target: config.Target{Command: []string{"mcp-conform-no-such-command"}},
			says: []string{"mcp-conform-no-such-command", "does the command exist"}},
		{name: "nobody listens", target: config.Target{URL: nobody}, says: []string{nobody, "is the server running"}},
		{name: "garbage on stdout", local: process(func(ctx context.Context, in io.Reader, out, _ io.Writer) int {
			_, _ = io.WriteString(out, "Welcome to my server!\n")
			_, _ = io.Copy(io.Discard, in)
			return 0
		}), says: []string{"Welcome to my server!", "logs and banners to stderr"}},
		{name: "exits at once", local: process(func(_ context.Context, _ io.Reader, _, errw io.Writer) int {
			_, _ = io.WriteString(errw, "ACME_KEY is not set\n")
			return 7
		}), says: []string{"exit code 7", "ACME_KEY is not set", "run it by hand"}},
		{name: "hangs on start", local: process(func(ctx context.Context, _ io.Reader, _, _ io.Writer) int {
			<-ctx.Done()
			return 1
		}), says: []string{"no answer within", "--start-timeout"}},
		{name: "serves HTTP instead", local: process(func(ctx context.Context, in io.Reader, _, errw io.Writer) int {
			_, _ = io.WriteString(errw, "Server running at http://localhost:3001/mcp\n")
			_, _ = io.Copy(io.Discard, in)
			return 0
		}), says: []string{"no answer within", `"http://localhost:3001/mcp": if it serves HTTP`, "\nstderr: Server running at"}},
		{name: "unknown revision only", local: &suites.Local{Serve: (&fakeserver.Server{Revisions: []string{"1999-01-01"}}).Serve},
			says: []string{"the server offers 1999-01-01"}},
		{name: "HTTP that is not MCP", local: &suites.Local{Handler: http.NotFoundHandler()},
			says: []string{"HTTP status 404", "is the path right"}},
		{name: "a session id with a control character", local: &suites.Local{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Mcp-Session-Id", "a\x01b")
		})}, says: []string{`Mcp-Session-Id: a\x01b`, "the server is at fault"}},
		{name: "every answer has the wrong id", local: &suites.Local{Serve: (&fakeserver.Server{Edit: func(text string) string {
			return strings.Replace(text, `"id":1`, `"id":77`, 1)
		}}).Serve}, says: []string{`"id":77`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			if row.local == nil {
				cfg.Target = row.target
			}
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: row.local, Timeout: time.Second})
			if v := report.Verdict; v.Status != reports.Unjudged || v.ExitCode != 3 || len(report.Findings) != 0 {
				t.Errorf("verdict %+v with %d findings, want unjudged, 3 and none", v, len(report.Findings))
			}
			for _, want := range row.says {
				if !strings.Contains(report.Verdict.Text, want) {
					t.Errorf("%q does not say %q", report.Verdict.Text, want)
				}
			}
		})
	}
}

func process(serve func(ctx context.Context, in io.Reader, out, errw io.Writer) int) *suites.Local {
	return &suites.Local{Serve: func(ctx context.Context, _ <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		return serve(ctx, in, out, errw)
	}}
}

// A server that falls silent in mid-run is judged up to there, and the run
// ends.
func TestFallsSilent(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Answer: fakeserver.Answers{
		"ping": func(fakeserver.Request) any { return fakeserver.Silence{} },
	}}
	cfg := config.Default()
	cfg.Wait.Event = 200 * time.Millisecond
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: &suites.Local{Serve: server.Serve}, Timeout: 500 * time.Millisecond,
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "ping" || s.Name == "tools" },
	})
	failed := map[string]bool{}
	for _, f := range report.Findings {
		failed[f.Case] = f.Status == reports.Fail
	}
	if !failed["ping/empty-result"] || report.Verdict.ExitCode != 1 {
		t.Errorf("ping/empty-result failed: %v, exit code %d, want true and 1", failed["ping/empty-result"], report.Verdict.ExitCode)
	}
}

// An interrupted run gives a report of the findings until then.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2)}
	report, err := suites.JudgeWithGinkgo(ctx, suites.Plan{
		Config: config.Default(), Local: &suites.Local{Serve: server.Serve}, Jobs: 1,
		Progress: func(reports.Finding) { cancel() },
	})
	if err != nil {
		t.Fatal(err)
	}
	interrupted := 0
	for _, f := range report.Findings {
		if f.Reason != nil && f.Reason.Kind == reports.Interrupted {
			interrupted++
		}
		if f.Status == reports.Fail || f.Status == reports.Error {
			t.Errorf("%s %s: %s, which is the interruption's doing", f.Status, f.Case, f.Problem)
		}
	}
	if interrupted == 0 || report.Verdict.Text == "" {
		t.Errorf("%d findings are interrupted, verdict says %q", interrupted, report.Verdict.Text)
	}
}
