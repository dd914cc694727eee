package findings_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A server that opens a conversation and then answers nothing, or ends, gives one finding:
// a process without its database is an example. The clock of a bubble shows how long the run
// takes.
func TestNothingBehindTheOpening(t *testing.T) {
	t.Parallel()
	later := fault.When(func(x fault.Exchange) bool {
		return len(x.ID) > 0 && !slices.Contains([]string{"", "initialize", "server/discover"}, x.Method)
	})
	for _, row := range []struct {
		name  string
		fault fault.Fault
		most  time.Duration
	}{
		{"no answer", fault.Fault{Inbound: later.Hang()}, 2 * time.Minute},
		{"the end", fault.Fault{Inbound: later.Exit(1)}, 10 * time.Second},
	} {
		for _, at := range []requirements.Revision{requirements.R20251125, requirements.R20260728} {
			for _, over := range []config.Transport{config.HTTP, config.Stdio} {
				t.Run(row.name+" at "+string(at)+" over "+string(over), func(t *testing.T) {
					t.Parallel()
					cfg := config.Default()
					cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(at)}}, over
					report := proof.Judge(t, suites.Plan{Config: cfg, Local: inprocess.Server(&row.fault), Seed: 1})
					found := complaints(report)
					if len(found) != 1 {
						t.Errorf("%d findings, want one", len(found))
					}
					for _, f := range found {
						t.Logf("%s: %s", f.Case, f.Problem)
						if strings.HasPrefix(f.Case, "ext-") {
							t.Error("the finding is one of an extension")
						}
					}
					if took := time.Duration(report.Run.DurationMs) * time.Millisecond; took > row.most {
						t.Errorf("the run took %s, want %s at most", took, row.most)
					}
				})
			}
		}
	}
}

// A process that ends by itself gives one finding, however many of its answers come before.
func TestEndsByItself(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "prompts", "resources"), Tools: fakeserver.Tools(2)}
	report := proof.Judge(t, suites.Plan{
		Config: config.Default(), Seed: 1, Local: &suites.Local{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			ended := make(chan int, 1)
			go func() { ended <- server.Serve(ctx, term, &lazy{in: in}, out, errw) }()
			select {
			case code := <-ended:
				return code
			case <-time.After(250 * time.Millisecond):
				return 1
			}
		}},
	})
	const want = "the process ends as soon where nothing is asked of it"
	found := complaints(report)
	if len(found) != 1 || !strings.Contains(found[0].Problem, want) {
		for _, f := range found {
			t.Logf("%s: %s", f.Case, f.Problem)
		}
		t.Errorf("%d findings, want one that says %q", len(found), want)
	}
}

// A lazy reader takes longer for each line, so that a process answers some of the requests.
type lazy struct {
	in    io.Reader
	lines int
}

func (l *lazy) Read(b []byte) (int, error) {
	n, err := l.in.Read(b)
	if l.lines += bytes.Count(b[:n], []byte("\n")); l.lines > 2 {
		time.Sleep(time.Second)
	}
	return n, err
}

// complaints are the findings that fail or warn.
func complaints(report reports.Report) []reports.Finding {
	return slices.DeleteFunc(slices.Clone(report.Findings), func(f reports.Finding) bool {
		return f.Status != reports.Fail && f.Status != reports.Warn
	})
}
