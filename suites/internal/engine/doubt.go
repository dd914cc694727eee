package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// late reports whether a case has a complaint after something did not come in
// time. On a busy machine that may be the crowd's doing.
func late(c *probe.Client, err error) bool {
	var v *probe.Violation
	return errors.As(err, &v) && c.Lapsed()
}

// doubts are such findings that were made in a crowd. They count when
// the case finds the same once it runs by itself.
type doubts struct {
	mu   sync.Mutex
	open []doubt
}

type doubt struct {
	spec    Spec
	finding reports.Finding
}

func (d *doubts) add(s Spec, f reports.Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = append(d.open, doubt{s, f})
}

// enough is how many silences in a row have to be confirmed before the rest is
// believed: a server that answers nothing would take for ever otherwise.
const enough = 4

// resolve judges doubtful cases once more, one by one in suite order, and
// delivers. What is in doubt when the run is cut short stays unjudged.
func (g *Gathering) resolve(ctx context.Context, d *doubts) {
	slices.SortFunc(d.open, func(a, b doubt) int { return a.spec.index - b.spec.index })
	confirmed := 0
	for _, each := range d.open {
		f := each.finding
		if confirmed < enough {
			again, doubtful := g.judge(ctx, each.spec)
			if doubtful {
				confirmed++
			} else {
				confirmed = 0
			}
			f = again
		}
		g.deliver(each.spec, f)
		g.rooms[each.spec.Column].active.Done()
	}
}
