package engine

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/reach"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server is one transport of the target: how many cases it serves at once,
// the connections that are kept for them, and whether it is still there.
type server struct {
	*reach.Dialer
	standing  *standing
	run       *Run
	found     *discover.Found       // nil until it was looked at
	exclusive bool                  // it bears no second process, or session, beside it
	single    bool                  // a new session ends the one before
	lone      bool                  // beside the session that there is, a further one is refused
	few       bool                  // beside a few sessions, a further one is refused
	locked    bool                  // it lets nobody in who has no credentials, and none were given
	spoken    requirements.Revision // what a locked server is judged at, unless somebody says

	waiting chan struct{} // cases that let time pass beside a process of their own
	leaving chan struct{} // connections that are closed behind their cases
	free    chan struct{} // a token for each seat that nobody sits on

	mu    sync.Mutex
	seats []*seat // those that nobody sits on
	most  int     // how many there are in all
	late  bool    // an opening was not answered in time, so there is one seat only from now on
}

// A seat is where one case at a time runs. The connection that it left stays
// for the next case of the column.
type seat struct {
	control *probe.Control
	of      *column
}

// processes is how many servers may be alive at once for cases that only let
// time pass, and linger how many that were told to end: each holds memory of
// the machine, whatever it does.
const (
	processes = 32
	linger    = 16
)

// A process is the dearest thing a case can ask for, so over stdio there are as
// many seats as cores.
func newServer(r *Run, way reach.Way) *server {
	n := max(1, r.plan.Jobs)
	if way.Transport == requirements.Stdio {
		n = min(n, runtime.NumCPU())
	}
	s := &server{
		Dialer: reach.New(way, int(r.plan.Config.Limits.Frame), r.plan.Secrets.Hide), run: r,
		waiting: make(chan struct{}, processes),
		most:    n, free: make(chan struct{}, n), leaving: make(chan struct{}, min(n-1, 1)*linger),
	}
	s.standing = &standing{Dialer: s.Dialer, running: map[string]int{}}
	for range n {
		s.seats = append(s.seats, &seat{})
		s.free <- struct{}{}
	}
	return s
}

// alone leaves the server one seat, since it bears no second process.
func (s *server) alone() {
	s.exclusive = true
	s.narrow()
}

// narrow leaves the server one seat.
func (s *server) narrow() {
	for ; s.most > 1; s.most-- {
		<-s.free
		s.seats = s.seats[1:]
	}
}

// crowd tells that an opening was late: from now on one case runs at a time, and
// after a few in a row the rest is left for when nothing else runs.
func (s *server) crowd() {
	s.standing.late()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = true
}

// sit waits for a seat; one with a connection of the column is taken first.
func (s *server) sit(ctx context.Context, col *column) (*seat, error) {
	select {
	case <-s.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	best := 0
	for i, each := range s.seats {
		if each.of == col || each.control == nil && s.seats[best].of != col {
			best = i
		}
	}
	taken := s.seats[best]
	s.seats = slices.Delete(s.seats, best, best+1)
	return taken, nil
}

// leave gives a seat back, or takes it away where there is one too many.
func (s *server) leave(ctx context.Context, left *seat) {
	s.mu.Lock()
	surplus := s.late && s.most > 1
	if surplus {
		s.most--
	} else {
		s.seats = append(s.seats, left)
	}
	s.mu.Unlock()
	switch {
	case !surplus:
		s.free <- struct{}{}
	case left.control != nil:
		s.run.part(ctx, s, left.control)
	}
}

// schedule puts the jobs of this server into their order: what others rest on
// first, then what runs on the connections that are there, so that there is
// something to show soon. Cases that let time pass start at once where that costs
// no process, and else after those of the first column, whose connections their
// starts would delay. Cases that change the same state follow one another beside
// everything else.
func (s *server) schedule(ctx context.Context, jobs []*job, crowd *sync.WaitGroup) {
	// Counted before anything starts: what lets time pass may take seats for
	// what it rests on, and a queue that nobody walks is never judged.
	seats := len(s.free)
	var queue, effects, waiting []*job
	for _, j := range jobs {
		switch {
		case j.col.server != s || j.Case.Watch != nil || j.Case.Lane == suite.Alone:
		case s.exclusive:
			queue = append(queue, j)
		case j.Case.Lane == suite.Waits:
			waiting = append(waiting, j)
		case j.changesState():
			effects = append(effects, j)
		default:
			queue = append(queue, j)
		}
	}
	slices.SortStableFunc(queue, func(a, b *job) int {
		if a.col != b.col {
			return a.index - b.index
		}
		return a.urgency() - b.urgency()
	})
	quick := slices.IndexFunc(queue, func(j *job) bool { return j.urgency() >= beside || j.col != queue[0].col })
	if quick < 0 {
		quick = len(queue)
	}
	var first sync.WaitGroup
	first.Add(quick)
	walk(ctx, queue, seats, crowd, func(at int) {
		if at < quick {
			first.Done()
		}
	})
	walk(ctx, effects, 1, crowd, func(int) {})
	if !s.run.plan.Part {
		crowd.Go(func() {
			first.Wait()
			_, _ = s.found.Versions(ctx) // for the report, where no case wants to know
		})
	}
	for _, j := range waiting {
		crowd.Go(func() {
			if s.Transport == requirements.Stdio {
				first.Wait()
			}
			j.start(ctx)
		})
	}
}

// walk lets several walkers start the jobs of a queue in order, and tells of each
// that it is over.
func walk(ctx context.Context, queue []*job, walkers int, crowd *sync.WaitGroup, over func(at int)) {
	var next atomic.Int64
	for range min(walkers, len(queue)) {
		crowd.Go(func() {
			for {
				at := int(next.Add(1)) - 1
				if at >= len(queue) {
					return
				}
				queue[at].start(ctx)
				over(at)
			}
		})
	}
}

// clear closes the connections that the seats keep.
func (s *server) clear(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var closing sync.WaitGroup
	for _, each := range s.seats {
		if control := each.control; control != nil {
			closing.Go(func() { s.run.part(ctx, s, control) })
			each.control, each.of = nil, nil
		}
	}
	closing.Wait()
}
