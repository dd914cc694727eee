// Package hostile_test is a zoo of servers that mean the kit harm: whatever a server
// does, the run ends by itself with the right exit code, the kit blames only the server,
// and every report can be written and read.
package hostile_test

import (
	"io"
	"log"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// TestMain keeps net/http from logging unexpected bytes of servers, and makes the
// garbage collector wait for a larger heap.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(2 << 30)
	os.Exit(m.Run())
}

// An animal is one hostile server: it has one of rigged, serve, handler and raw.
type animal struct {
	name     string
	rigged   *fakeserver.Server     // over both transports, unless the field over names one
	over     requirements.Transport // the only transport: for messages one is enough
	serve    serve
	handler  http.Handler
	raw      func(c *caller)
	secure   bool // raw speaks TLS
	set      func(*config.Config)
	restless bool   // it never waits, so that in a bubble time would stand still
	holds    bool   // it never answers one request, and all others at once
	exit     []int  // the allowed exit codes
	says     string // text of the verdict or of a finding that complains
	skip     string
}

// cages is how many runs go on at once. Most of them wait in vain; with more runs, the
// flooding servers starve them.
const cages = 8

func TestZoo(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a hundred hostile servers are not judged")
	}
	strange := listen(t)
	var animals []animal
	for _, group := range [][]animal{
		heads(), floods(), babble(), answers(), sizes(), lives(), times(), texts(), lists(), schemas(strange.url), lures(strange.url),
		bodies(), events(), sockets(strange.url), framings(), // the slowest is among the heads
	} {
		animals = append(animals, group...)
	}
	if len(animals) < 50 {
		t.Errorf("there are %d hostile servers, want at least 50", len(animals))
	}
	heap := watchHeap()
	queue := make(chan animal)
	var keepers sync.WaitGroup
	for range cages {
		keepers.Go(func() {
			for a := range queue {
				t.Run(a.name, func(t *testing.T) {
					if a.raw != nil || a.restless {
						a.meet(t)
					} else {
						bubble.Run(t, a.meet)
					}
				})
			}
		})
	}
	for _, a := range animals {
		queue <- a
	}
	close(queue)
	keepers.Wait()
	heap.check(t)
	strange.check(t)
}

// meet judges one server and checks the result.
func (a animal) meet(t *testing.T) {
	if a.skip != "" {
		t.Skip(a.skip)
	}
	p := a.plan(t)
	report, err := suites.Judge(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: exit code %d, %s", a.name, report.Verdict.ExitCode, told(report))
	if got := report.Verdict.ExitCode; !slices.Contains(a.exit, got) {
		t.Errorf("the exit code is %d, want one of %v: %s", got, a.exit, report.Verdict.Text)
	}
	for _, f := range report.Findings {
		if strings.Contains(f.Problem, "panicked") {
			t.Errorf("%s: %s", f.Case, f.Problem)
		}
	}
	if !says(report, a.says) {
		t.Errorf("nothing says %q", a.says)
	}
	survives(t, report)
}

// plan is a run with small limits. It must not leave a server unjudged because the
// machine was busy.
func (a animal) plan(t *testing.T) suites.Plan {
	cfg := config.Default()
	cfg.Wait.Event, cfg.Wait.Max, cfg.Wait.DefaultTTL = 200*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond
	cfg.Limits.Frame, cfg.Limits.MaxUpload, cfg.Limits.Pages, cfg.Limits.Reads = 256<<10, 32<<10, 5, 3
	p := suites.Plan{Seed: 1, Timeout: 300 * time.Millisecond, StartTimeout: 300 * time.Millisecond, Limit: 2 * time.Second}
	if !slices.Contains(a.exit, reports.ExitUnjudged) {
		p.Timeout, p.StartTimeout, p.Limit = 20*time.Second, 20*time.Second, time.Minute
		cfg.Limits.Ping = 20 * time.Second
	}
	if a.holds {
		p.Timeout = 5 * time.Second // the kit waits that long
	}
	if a.raw != nil && a.says != "" { // over real sockets, what the server says may be late
		p.Timeout, p.StartTimeout, p.Limit = 20*time.Second, 20*time.Second, time.Minute
	}
	switch {
	case a.raw != nil:
		cfg.Target.URL = raw(t, a.raw)
	case a.handler != nil:
		p.Local = plan.Rigged(suites.Local{Handler: a.handler}, plan.Rig{Within: !a.restless})
	case a.serve != nil:
		p.Local = &suites.Local{Serve: a.serve}
	default:
		p.Local = plan.Rigged(suites.Local{}, plan.Rig{Within: true})
		if a.over != requirements.HTTP {
			p.Local.Serve = a.rigged.Serve
		}
		if a.over != requirements.Stdio {
			p.Local.Handler = a.rigged.Handler()
		}
	}
	if a.secure {
		cfg.Target.URL, cfg.Target.CA = strings.Replace(cfg.Target.URL, "http:", "https:", 1), authority(t)
	}
	if a.set != nil {
		a.set(&cfg)
	}
	p.Config = cfg
	return p
}

// says reports whether the verdict or a complaint holds a text.
func says(r reports.Report, text string) bool {
	return strings.Contains(r.Verdict.Text, text) || slices.ContainsFunc(r.Findings, func(f reports.Finding) bool {
		complains := f.Status == reports.Fail || f.Status == reports.Warn
		return complains && (strings.Contains(f.Case, text) || strings.Contains(f.Problem, text))
	})
}

// told is a report in a few words, for authors who change a row.
func told(r reports.Report) string {
	var b strings.Builder
	b.WriteString(string(r.Verdict.Status) + " " + shortly(r.Verdict.Text))
	for _, f := range r.Findings {
		if f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error {
			b.WriteString("\n  " + string(f.Status) + " " + f.Case + " " + string(f.Transport) + ": " + shortly(f.Problem))
		}
	}
	return b.String()
}

func shortly(s string) string {
	const most = 300
	return strings.ToValidUTF8(s[:min(len(s), most)], "?")
}
