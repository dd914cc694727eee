package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/silence"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A recheck keeps the findings about late answers that came while other cases ran. A busy
// machine may have caused the delay, and answers may have been awaited for a shortened
// time, so a finding counts only when the case repeats it while no other case runs.
type recheck struct {
	mu       sync.Mutex
	jobs     []*job
	silences silence.Book
	settling bubblelock.Mutex // which case shows something is decided for one case at a time
	repeated map[breach]int   // how many cases complained again
	died     evidence.Deaths
}

// A breach is a rule that the server breaks in a column.
type breach struct {
	col  *column
	rule requirements.ID
}

// allAnswered is the case on requests that are lost. It is judged before others that lack
// an answer for that reason.
const allAnswered = "jsonrpc/all-answered"

// add keeps a job and its preliminary finding.
func (r *recheck) add(j *job, f reports.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.finding = f
	r.jobs = append(r.jobs, j)
}

// resolve judges the kept jobs again, one after the other. Those whose complaints have a cause that
// another case judges are returned: their findings wait for that case. A job whose second attempt is
// cut short stays unjudged.
func (r *recheck) resolve(ctx context.Context) (waiting []*job) {
	slices.SortFunc(r.jobs, func(a, b *job) int { return cmp.Or(rank(a)-rank(b), a.Index-b.Index) })
	r.repeated = map[breach]int{}
	for _, j := range r.jobs {
		if !j.late {
			waiting = append(waiting, j)
			continue
		}
		if left := leftTo(j, j.finding); complains(j.finding) && !complains(left) {
			j.deliver(left) // as a second complaint would be
			continue
		}
		f, shown := r.shown(j, j.finding)
		switch {
		case shown:
		case r.believes(j):
			f = r.settle(ctx, j, j.finding, false)
		default:
			f = r.again(ctx, j)
		}
		if complains(f) && caused(j) {
			j.finding = f
			waiting = append(waiting, j)
			continue
		}
		j.deliver(f)
	}
	return waiting
}

// again judges a job alone. Until then it shows nothing of others: it may pass.
func (r *recheck) again(ctx context.Context, j *job) reports.Finding {
	r.prepare(j)
	first, died := j.finding, complains(j.finding) && ends(j) && j.Column.Transport == requirements.Stdio
	f, _ := j.judge(ctx)
	f = r.settle(ctx, j, f, true)
	if complains(f) {
		r.repeated[of(j, f)]++
	}
	if died && f.Status == reports.Pass {
		r.died.Add(first)
	}
	return f
}

// enough is how many cases about a rule show that the server breaks it. What the others found
// while other cases ran counts then, if they gave each answer its time.
const enough = 3

func (r *recheck) believes(j *job) bool {
	short := func(m probe.Miss) bool { return !m.InFull() }
	return complains(j.finding) && r.repeated[of(j, j.finding)] >= enough && !slices.ContainsFunc(j.missed, short)
}

func of(j *job, f reports.Finding) breach { return breach{j.col, f.Requirements[0]} }

// prepare gives a case that is judged alone its waits in full, except where a missing answer
// would show nothing, since another case showed it before.
func (r *recheck) prepare(j *job) {
	p := j.col.server.patience
	p.Renew(!r.silences.Loses(j.Column), func(m probe.Miss) bool {
		by, _ := r.silences.Blocks(silence.Finding{Case: j.Case.ID, Column: j.Column, Missed: []probe.Miss{m}, Quiet: !complains(j.finding)}, p)
		return by != ""
	})
}

// rank puts the cases first that say best what is not answered: those that complain, and of
// these the ones that ask for what the server offers.
func rank(j *job) int {
	switch {
	case !complains(j.finding):
		return 2
	case slices.ContainsFunc(j.missed, probe.Miss.Usual):
		return 0
	default:
		return 1
	}
}

// shown reports whether another case showed before what a job lacks, and gives its finding then.
func (r *recheck) shown(j *job, f reports.Finding) (settled reports.Finding, shown bool) {
	if f.Status == reports.Pass {
		return f, false
	}
	r.settling.Lock()
	defer r.settling.Unlock()
	if by, why := r.silences.Blocks(lacks(j, f), j.col.server.patience); by != "" {
		return skipped(j.Blank(), blocked(by, why)), true
	}
	return f, false
}

func lacks(j *job, f reports.Finding) silence.Finding {
	return silence.Finding{
		Case: j.Case.ID, Column: j.Column, Missed: j.missed, Quiet: !complains(f), Loses: j.Case.ID == allAnswered && j.behind,
	}
}

// settle gives the finding of a job that may lack an answer. Where another case showed before that
// such requests are not answered, it blocks this one. This case shows it where it complains and no
// recheck follows, or where it was judged alone and skipped. A process that ends by itself is the
// fault of no request.
func (r *recheck) settle(ctx context.Context, j *job, f reports.Finding, alone bool) reports.Finding {
	if f.Status == reports.Pass {
		return f
	}
	r.settling.Lock()
	defer r.settling.Unlock()
	of := lacks(j, f)
	if by, why := r.silences.Blocks(of, j.col.server.patience); by != "" {
		return skipped(j.Blank(), blocked(by, why))
	}
	if complains(f) && !j.deferrable() || alone && f.Status == reports.Skip {
		if of.Ends = complains(f) && ends(j) && j.col.endsAlone(ctx, f); of.Ends {
			f.Problem += "; the process ends as soon where nothing is asked of it"
			f.Fix = "find out why the process ends by itself, whatever is asked: what it wrote to stderr may say it"
		}
		r.silences.Show(of, j.col.server.patience)
	}
	return f
}
