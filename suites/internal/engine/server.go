package engine

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/turns"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A server is one transport of the target: how many cases it serves at once,
// the connections that are kept for them, and whether it is still there. How many
// conversations it bears stands in found. Two facts are independent of that: locked is
// about credentials, and late about how quick the machine is.
type server struct {
	*connect.Dialer
	health  *health
	run     *Run
	found   *discover.Found       // nil until it was looked at
	visited *discover.Visited     // the documents that describe its access
	locked  bool                  // the server wants credentials, and the configuration has none
	spoken  requirements.Revision // the revision of a locked server, unless the operator names one

	patience *probe.Patience

	waiting chan struct{} // a place for each case that lets time pass in a process of its own
	leaving chan struct{} // a place for each connection that is being closed behind its case
	free    chan struct{} // a token for each free seat

	mu    sync.Mutex
	seats []*seat // the free seats
	most  int     // the number of seats, free and taken
	late  bool    // an opening was not answered in time, so the server keeps one seat from now on
}

// A seat lets one case at a time run. The seat keeps the connection of the case for the
// next case of the same column.
type seat struct {
	control *probe.Control
	of      *column
	suite   string // of the last case
	trial   string // of its last case
}

// processes is how many server processes may run at once for cases that only let time
// pass. linger is how many processes may be ending at once. An idle process still holds
// memory.
const (
	processes = 32
	linger    = 16
)

// someSeats is how many cases of a stdio server run at once at most on a machine with few
// cores. How many processes start at once is bounded elsewhere.
const someSeats = 8

// newServer makes the seats of a server.
func newServer(r *Run, way connect.Way) *server {
	n := max(1, r.plan.Jobs)
	if way.Transport == requirements.Stdio {
		n = min(n, max(someSeats, runtime.NumCPU()))
	}
	s := &server{
		Dialer: connect.New(way, int(r.plan.Config.Limits.Frame), r.plan.Secrets.Hide), run: r, visited: discover.NewVisited(),
		waiting: make(chan struct{}, processes), patience: &probe.Patience{Tell: r.plan.Waiting},
		most: n, free: make(chan struct{}, n), leaving: make(chan struct{}, min(n-1, 1)*linger),
	}
	s.health = &health{Dialer: s.Dialer, running: map[string]int{}}
	for range n {
		s.seats = append(s.seats, &seat{})
		s.free <- struct{}{}
	}
	return s
}

// narrow removes seats without a connection until n are left, before any case has taken one.
func (s *server) narrow(n int) {
	empty := func(seat *seat) bool { return seat.control == nil }
	for ; s.most > n && slices.ContainsFunc(s.seats, empty); s.most-- {
		<-s.free
		at := slices.IndexFunc(s.seats, empty)
		s.seats = slices.Delete(s.seats, at, at+1)
	}
}

// slowDown reacts to an opening that was not answered in time: from now on one case runs
// at a time. After a few late openings in a row, the other cases wait for the recheck.
func (s *server) slowDown() {
	s.health.countLate()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = true
}

// takeSeat waits for a free seat, and takes the one that suits the case best.
func (s *server) takeSeat(ctx context.Context, j *job) (*seat, error) {
	select {
	case <-s.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	best := 0
	for i, each := range s.seats {
		if each.suits(j) >= s.seats[best].suits(j) {
			best = i
		}
	}
	taken := s.seats[best]
	s.seats, taken.suite, taken.trial = slices.Delete(s.seats, best, best+1), j.Suite.Name, j.Case.Trial
	return taken, nil
}

// suits prefers the seat of the last case of the same trial, then one of the same suite, which
// may have noted what this case needs, then a seat with a connection of the column, then one
// without a connection.
func (s *seat) suits(j *job) int {
	switch {
	case s.of == j.col && s.trial != "" && s.trial == j.Case.Trial:
		return 4
	case s.of == j.col && s.suite == j.Suite.Name:
		return 3
	case s.of == j.col:
		return 2
	case s.control == nil:
		return 1
	}
	return 0
}

// leaveSeat frees a seat, or removes the seat when the server has slowed down.
func (s *server) leaveSeat(ctx context.Context, left *seat) {
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
		s.run.closeBehind(ctx, s, left.control)
	}
}

// schedule starts the jobs of this server in order: first the cases that other cases
// depend on, then the cases that use open connections, so that the first findings come
// soon. Over HTTP, cases that let time pass start at once; over stdio each of them starts
// a process, so they start when the quick cases of the first column have begun, or soon. Cases
// that change the same state run one after the other, beside all other cases.
func (s *server) schedule(ctx context.Context, jobs []*job, crowd *sync.WaitGroup) {
	// The seats are counted before any job starts: a waiting case may take a seat for a
	// case that it depends on, and a queue without a walker is never judged.
	seats := len(s.free)
	var queue, effects, waiting []*job
	for _, j := range jobs {
		switch {
		case j.col.server != s || j.Case.Watch != nil || j.Case.Lane == suite.Alone:
		case s.found.Tolerance.Serial():
			queue = append(queue, j)
		case j.Case.Lane == suite.Waits:
			waiting = append(waiting, j)
		case j.isolates(j.Case.Observes):
			effects = append(effects, j)
		default:
			queue = append(queue, j)
		}
	}
	quick := func(j *job) bool { return j.col == queue[0].col && turns.Quick(j.Case) }
	var first sync.WaitGroup
	for _, j := range queue {
		if quick(j) {
			first.Add(1)
		}
	}
	walk(ctx, queue, seats, crowd, func(j *job) {
		if quick(j) {
			first.Done()
		}
	})
	walk(ctx, effects, 1, crowd, func(*job) {})
	quickly, over := context.WithTimeout(ctx, discover.Lead(s.found.Started))
	crowd.Go(func() {
		first.Wait()
		over()
	})
	if !s.run.plan.Part {
		crowd.Go(func() {
			<-quickly.Done()
			_, _ = s.found.Versions(ctx) // the report names all revisions, even when no case asks for them
		})
	}
	for _, j := range waiting {
		crowd.Go(func() {
			if s.Transport == requirements.Stdio {
				<-quickly.Done()
			}
			j.start(ctx)
		})
	}
}

// walk starts the jobs of a queue, as many at once as there are walkers, and calls begun
// before each job.
func walk(ctx context.Context, queue []*job, walkers int, crowd *sync.WaitGroup, begun func(*job)) {
	var jobs []turns.Job
	for _, j := range queue {
		jobs = append(jobs, turns.Job{Column: j.col, Suite: j.Suite.Name, Case: j.Case})
	}
	list := turns.Of(jobs, walkers)
	for range min(walkers, len(queue)) {
		crowd.Go(func() {
			for at := range list.Worker() {
				begun(queue[at])
				queue[at].start(ctx)
			}
		})
	}
}

// closeSeats closes the connections that the seats keep.
func (s *server) closeSeats(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var closing sync.WaitGroup
	for _, each := range s.seats {
		if control := each.control; control != nil {
			closing.Go(func() { s.run.closeBehind(ctx, s, control) })
			each.control, each.of = nil, nil
		}
	}
	closing.Wait()
}
