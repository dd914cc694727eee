// Package findings_test shows that the kit reports a server with one defect once, with
// the right severity.
package findings_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestMain(m *testing.M) { proof.Main(m) }

// A defect is a server with one slip, and the finding that must follow.
type defect struct {
	name     string
	revision string // revision of the server; empty: 2025-11-25
	answers  map[string]func(fakeserver.Request) any
	edit     func(text string) string
	line     func(line []byte, out io.Writer) bool
	page     *gatewayPage // over HTTP, in place of an answer
	http     bool
	hangs    bool // the server leaves a request unanswered, and the kit waits only briefly
	about    string
	want     reports.Status
	broken   requirements.ID // empty: no rule is broken
	says     string          // part of the problem
}

// A gatewayPage replaces the answers to some requests.
type gatewayPage struct {
	of     string // text of the requests
	status int
	kind   string
	text   string
}

// A breach of a MUST fails, also of a MUST in JSON-RPC; a breach of the table of error
// codes, or of prose, is a warning.
func TestSeverityOfDefects(t *testing.T) {
	t.Parallel()
	for _, d := range slices.Concat(defectsOfRequests(), defectsOfMessages()) {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			report := d.judged(t)
			i := slices.IndexFunc(report.Findings, func(f reports.Finding) bool { return f.Case == d.about })
			if i < 0 {
				t.Fatalf("%s was not judged: %s", d.about, report.Verdict.Text)
			}
			f := report.Findings[i]
			if f.Status != d.want || d.broken != "" && !slices.Equal(f.Requirements, []requirements.ID{d.broken}) {
				t.Errorf("got %s by %v, want %s by %s: %s %v", f.Status, f.Requirements, d.want, d.broken, f.Problem, f.Reason)
			}
			if !strings.Contains(f.Problem, d.says) {
				t.Errorf("the problem is %q, want in it %q", f.Problem, d.says)
			}
			if failed := d.want == reports.Fail; failed != (report.Verdict.ExitCode == 1) {
				t.Errorf("the exit code is %d", report.Verdict.ExitCode)
			}
		})
	}
}

// A process that ends once may have ended for any reason, and the kit repeats the case;
// a process that ends each time is reported.
func TestEndsByAMessage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		always bool
		want   reports.Status
	}{{"once", false, reports.Pass}, {"each time", true, reports.Warn}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			const caseID = "jsonrpc/invalid-request-version"
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1)}
			var ended atomic.Bool
			serve := func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
				return server.Serve(ctx, term, readerFunc(func(b []byte) (int, error) {
					n, err := in.Read(b)
					if bytes.Contains(b[:n], []byte(`"jsonrpc":"1.0"`)) && (!ended.Swap(true) || row.always) {
						return 0, io.EOF
					}
					return n, err
				}), out, errw)
			}
			cfg := config.Default()
			cfg.Wait.Event = time.Second
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: &suites.Local{Serve: serve}, Seed: 1, Timeout: 2 * time.Second,
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == caseID },
			})
			for _, f := range report.Findings {
				if f.Case == caseID && f.Status != row.want {
					t.Errorf("got %s %s %v, want %s", f.Status, f.Problem, f.Reason, row.want)
				}
			}
			if !ended.Load() {
				t.Error("the process did not end, so this shows nothing")
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// judged is the report of the one case; for a watcher, also of the cases that make the
// server speak.
func (d defect) judged(t *testing.T) reports.Report {
	t.Helper()
	revision := d.revision
	if revision == "" {
		revision = "2025-11-25"
	}
	server := &fakeserver.Server{
		Revisions: []string{revision}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(3), Answer: d.answers, Edit: d.edit,
		Stdio: fakeserver.Stdio{Line: d.line},
	}
	local := &suites.Local{Serve: server.Serve}
	if d.http {
		local = &suites.Local{Handler: d.page.before(server.Handler())}
	}
	talk := map[string]bool{"tools/list-answered": true, "jsonrpc/batch-rejected": d.about == "stdio/stdout-messages-only"}
	talk[d.about] = true
	patience := 2 * time.Second
	if d.hangs {
		patience = 500 * time.Millisecond
	}
	cfg := config.Default()
	cfg.Wait.Event = time.Second
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: patience,
		Selected: func(_ suite.Suite, c suite.Case) bool { return talk[c.ID] },
	})
	return report
}

// before puts the page in front of a server.
func (p *gatewayPage) before(server http.Handler) http.Handler {
	if p == nil {
		return server
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<22))
		if err != nil || !bytes.Contains(body, []byte(p.of)) {
			r.Body = io.NopCloser(bytes.NewReader(body))
			server.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", p.kind)
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, p.text)
	})
}
