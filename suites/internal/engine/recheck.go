package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
)

// A recheck keeps the complaints about late answers that came while other cases ran. A
// busy machine may have caused the delay, so a complaint counts only when the case
// repeats it while no other case runs.
type recheck struct {
	mu   sync.Mutex
	jobs []*job
}

// add keeps a job and its preliminary finding.
func (r *recheck) add(j *job, f reports.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.finding = f
	r.jobs = append(r.jobs, j)
}

// enough is how many complaints in a row the recheck confirms before it believes the
// others: a recheck of a server that answers nothing would take too long otherwise.
const enough = 4

// resolve judges the kept jobs again, one after the other in suite order. A job whose
// second attempt is cut short stays unjudged.
func (r *recheck) resolve(ctx context.Context) {
	slices.SortFunc(r.jobs, func(a, b *job) int { return a.index - b.index })
	for _, j := range r.jobs {
		j.col.server.health.connected() // a case that got no connection beside others may get one now
	}
	confirmed := 0
	for _, j := range r.jobs {
		f := j.finding
		if confirmed < enough {
			again, late := j.judge(ctx)
			if confirmed++; !late {
				confirmed = 0
			}
			f = again
		} else if gone, lost, _ := j.col.server.health.lost(j); lost {
			f = gone
		}
		j.deliver(f)
	}
}
