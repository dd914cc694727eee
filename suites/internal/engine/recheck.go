package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
)

// A recheck holds the complaints that followed something late while other cases
// ran. On a busy machine those may be why, so a complaint counts when the case
// repeats it alone.
type recheck struct {
	mu   sync.Mutex
	jobs []*job
}

// add keeps a job with what it found so far.
func (r *recheck) add(j *job, f reports.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.finding = f
	r.jobs = append(r.jobs, j)
}

// enough is how many late answers in a row have to be confirmed before the rest
// is believed: a server that answers nothing would take for ever otherwise.
const enough = 4

// resolve judges what is in doubt once more, one by one in suite order. What is
// in doubt when the run is cut short stays unjudged.
func (r *recheck) resolve(ctx context.Context) {
	slices.SortFunc(r.jobs, func(a, b *job) int { return a.index - b.index })
	for _, j := range r.jobs {
		j.col.server.standing.opened() // what got no connection in the crowd may get one now
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
		} else if gone, lost, _ := j.col.server.standing.lost(j); lost {
			f = gone
		}
		j.deliver(f)
	}
}
