package suites_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/room"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// BenchmarkRun judges the reference server as the command line does, at each
// revision and over each transport, and replays the same frames with the same
// concurrency through a client that judges nothing. It leaves out cases that
// let time pass on purpose, which would hide everything else, and HTTP+SSE,
// which nothing replays.
func BenchmarkRun(b *testing.B) {
	defer room.Leave(room.Usual)() // as the command runs
	server := build(b)
	for _, tr := range []requirements.Transport{requirements.Stdio, requirements.HTTP} {
		for _, rev := range requirements.Revisions() {
			b.Run(fmt.Sprintf("%s/%s", tr, rev), func(b *testing.B) {
				m := measured{}
				for b.Loop() {
					m.run(b, tr, rev, []string{server, "serve"}, proof.Config(b))
				}
				m.report(b)
			})
		}
	}
}

// BenchmarkTools is a run against a server with many tools.
func BenchmarkTools(b *testing.B) {
	defer room.Leave(room.Usual)() // as the command runs
	for _, tools := range []int{10, 1000, 10000} {
		b.Run(strconv.Itoa(tools), func(b *testing.B) {
			m := measured{}
			for b.Loop() {
				exe, err := os.Executable()
				if err != nil {
					b.Fatal(err)
				}
				cfg := config.Default()
				cfg.Target.Env = map[string]string{manyTools: strconv.Itoa(tools)}
				m.run(b, requirements.Stdio, requirements.R20251125, []string{exe}, cfg)
			}
			m.report(b)
		})
	}
}

// measured holds the measurements of several runs, by unit.
type measured map[string][]float64

// report reports the median of each: one run means little on a machine that
// others use too.
func (m measured) report(b *testing.B) {
	b.Helper()
	for unit, all := range m {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], unit)
	}
	b.ReportMetric(0, "ns/op")
}

func (m measured) run(b *testing.B, tr requirements.Transport, rev requirements.Revision, command []string, cfg config.Config) {
	b.Helper()
	cfg.Revisions = config.Revisions{Dates: []string{string(rev)}}
	cfg.Transport = config.Transport(tr)
	plan := suites.Plan{Config: cfg, Seed: 1, Jobs: 8, Selected: func(_ suite.Suite, c suite.Case) bool { return c.Lane != suite.Waits }}
	// The run and the replay each have a freshly started server.
	start := func() (stop func()) {
		if tr != requirements.HTTP {
			plan.Config.Target.Command = command
			return func() {}
		}
		plan.Config.Target.URL, stop = listen(b, command)
		return stop
	}
	defer start()()
	t := &tape{byConn: map[int][]noted{}}
	plan.Trace = t.record
	var first, judging atomic.Int64
	stop := peak()
	began := time.Now()
	t.began, t.first, t.judging = began, &first, &judging
	report, err := suites.Judge(b.Context(), plan)
	wall := time.Since(began)
	memory := stop()
	if err != nil || report.Verdict.Status == reports.Unjudged {
		b.Fatal(err, report.Verdict.Text)
	}
	judged := report.Verdict.Columns[0].Counts
	defer start()()
	began = time.Now()
	if err := t.replay(b.Context(), plan, command); err != nil {
		b.Fatal(err)
	}
	bare := time.Since(began)
	for unit, value := range map[string]float64{
		"wall-ms": wall.Seconds() * 1e3, "bare-ms": bare.Seconds() * 1e3, "ratio": float64(wall) / float64(bare),
		"peak-MiB": float64(memory) / (1 << 20), "frames": float64(t.frames),
		"judged":         float64(judged.Pass + judged.Fail + judged.Warn),
		"first-frame-ms": float64(first.Load()) / 1e6, "discovered-ms": float64(judging.Load()) / 1e6,
	} {
		m[unit] = append(m[unit], value)
	}
}

// build makes the command once, as a user would.
func build(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "mcp-conform")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, "../cmd/mcp-conform").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// A tape holds the traffic of each connection of a run.
type tape struct {
	mu     sync.Mutex
	byConn map[int][]noted
	order  []int
	frames int
	began  time.Time
	// The times of the run's first frame and of a case's first frame: until then
	// the kit learns about the server.
	first, judging *atomic.Int64
}

// noted is the part of a frame that a replay needs: the sent text, or that a
// response came.
type noted struct {
	sent bool
	text string
	http *frame.HTTP
}

func (t *tape) record(connection int, s probe.Seen) {
	t.first.CompareAndSwap(0, int64(time.Since(t.began)))
	if s.Case != "" {
		t.judging.CompareAndSwap(0, int64(time.Since(t.began)))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byConn[connection] == nil {
		t.order = append(t.order, connection)
		t.byConn[connection] = []noted{}
	}
	t.frames++
	if n := (noted{sent: s.Dir == frame.Sent, http: s.HTTP}); n.sent {
		n.text = string(s.Raw())
		t.byConn[connection] = append(t.byConn[connection], n)
	} else if s.Kind == frame.KindMessage && responds(s.Message()) {
		t.byConn[connection] = append(t.byConn[connection], n)
	}
}

// peak samples how much memory this process holds until it is stopped.
func peak() (stop func() uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		var top uint64
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(samples)
			top = max(top, samples[0].Value.Uint64()-samples[1].Value.Uint64())
			select {
			case <-tick.C:
			case <-done:
				most <- top
				return
			}
		}
	}()
	return func() uint64 { close(done); return <-most }
}

// replay sends every connection's frames again, on as many connections at once
// as a run has: over stdio no more than cores.
func (t *tape) replay(ctx context.Context, p suites.Plan, command []string) error {
	var replaying sync.WaitGroup
	play, once := t.overStdio(command, p.Config.Target.Env), min(p.Jobs, runtime.GOMAXPROCS(0))
	if p.Config.Target.URL != "" {
		play, once = t.overHTTP(p.Config.Target.URL), p.Jobs
	}
	slots := make(chan struct{}, once)
	errs := make(chan error, len(t.order))
	for _, connection := range t.order {
		slots <- struct{}{}
		replaying.Go(func() {
			defer func() { <-slots }()
			errs <- play(ctx, t.byConn[connection])
		})
	}
	replaying.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// answered counts the responses that came before each next frame.
func answered(tape []noted) (due []int) {
	got := 0
	for _, n := range tape {
		if n.sent {
			due = append(due, got)
		} else {
			got++
		}
	}
	return append(due, got)
}

const manyTools = "MCP_CONFORM_MANY_TOOLS"

func toolList(n int) string {
	var list strings.Builder
	for i := range n {
		if i > 0 {
			list.WriteString(",")
		}
		fmt.Fprintf(&list, `{"name":"tool_%d","description":"does thing %d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`, i, i)
	}
	return list.String()
}
