package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// Intervals of progress on a terminal and in the log of a build, and the width of a line
// in such a log.
const (
	liveEvery  = 100 * time.Millisecond
	plainEvery = 10 * time.Second
	plainWidth = 200
)

// progress shows on standard error how far a run has come: on a terminal in one line
// that it rewrites, elsewhere in a few plain ones.
type progress struct {
	w     world
	live  bool
	quiet bool // no progress is wanted
	color bool
	width int
	began time.Time
	where func() string // the state of the run, in our own words and in ASCII

	writing sync.Mutex // several goroutines write lines
	done    chan struct{}
	ticking sync.WaitGroup
}

func newProgress(w world, where func() string) *progress {
	p := &progress{w: w, began: w.now(), where: where, done: make(chan struct{})}
	p.width, p.live = terminal(w.err)
	if term, _ := w.env("TERM"); w.set("CI") || term == "dumb" {
		p.live = false
	}
	return p
}

func (p *progress) start() {
	if !p.quiet {
		p.ticking.Go(p.tick)
	}
}

func (p *progress) tick() {
	every := plainEvery
	if p.live {
		every = liveEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-ticker.C:
			p.show()
		}
	}
}

func (p *progress) show() {
	p.writing.Lock()
	defer p.writing.Unlock()
	line := fmt.Sprintf("%s, %.1f s", p.where(), p.w.now().Sub(p.began).Seconds())
	if !p.live {
		p.w.say("%s", line)
		return
	}
	if p.width > 0 && len(line) >= p.width {
		line = line[:p.width-1]
	}
	_, _ = fmt.Fprintf(p.w.err, "\r%s\x1b[K", line)
}

// planned says how many cases will run, where no rewritten line says so from then on: the
// report has more cases than that.
func (p *progress) planned(cases, passedOver int) {
	if p.quiet || p.live {
		return
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	p.w.say("%s to run, %d skipped; rules on every message are judged at the end", plural(cases, "case"), passedOver)
}

// tell shows a finding at once, in a line that stays.
func (p *progress) tell(f reports.Finding) {
	switch f.Status {
	case reports.Fail, reports.Warn, reports.Error:
	case reports.Pass, reports.Skip:
		return
	}
	if p.quiet {
		return
	}
	width := plainWidth
	if p.live && p.width > 0 {
		width = p.width - 1
	}
	p.leave(text.Brief(f, width, p.color))
}

// leave writes a line that stays; on a terminal the rewritten line continues below it.
func (p *progress) leave(line string) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.live {
		line = "\r\x1b[K" + line
	}
	_, _ = fmt.Fprintln(p.w.err, line)
}

// stop ends the progress and clears the rewritten line.
func (p *progress) stop() {
	close(p.done)
	p.ticking.Wait()
	if p.live && !p.quiet {
		_, _ = fmt.Fprint(p.w.err, "\r\x1b[K")
	}
}

// A tally counts the findings of a run as they come in, of the cases that will run.
type tally struct {
	mu       sync.Mutex
	planned  bool
	expected int // number of cases
	suite    string
	counts   reports.Counts
	late     string // the method of a request whose answer is late
}

// plan notes the number of cases that will run, and returns how many were passed over:
// their findings do not count as progress.
func (t *tally) plan(n int) (passedOver int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	passedOver = t.counts.Total()
	t.planned, t.expected = true, n
	t.suite, t.counts = "", reports.Counts{}
	return passedOver
}

func (t *tally) take(f reports.Finding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.suite = f.Suite
	t.counts.Add(f)
}

// wait notes what the run waits for.
func (t *tally) wait(method string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = method
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	late := ""
	if t.late != "" {
		late = ", waiting for the answer to " + t.late
	}
	made := t.counts.Total()
	if !t.planned {
		return "looking at the server" + late
	}
	// The findings of watchers arrive after the last case.
	parts := []string{fmt.Sprintf("%d of %s", min(made, t.expected), plural(t.expected, "case"))}
	if t.suite != "" {
		parts = append(parts, t.suite)
	}
	for _, c := range []struct {
		n    int
		what string
	}{
		{t.counts.Pass, "passed"}, {t.counts.Fail, "failed"}, {t.counts.Warn, "warned"},
		{t.counts.Open(), "not judged"}, {t.counts.Error, "in error"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ") + late
}
