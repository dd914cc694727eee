package probe

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A journal holds the frames of one connection in order, shows each of them to
// the watchers, and wakes everybody who waits for one.
type journal struct {
	intake

	watching sync.Mutex // held while a frame is shown and put into the log; taken before mu
	watch    func(Seen) // guarded by watching

	mu      sync.Mutex
	log     []Seen
	opened  int           // entries of the log that belong to the opening
	changed chan struct{} // closed and replaced whenever log grows or over is set
	posted  int           // HTTP: the exchange that began last, and the last one in the log
	logged  int
	notes   []string

	serverSpoke atomic.Bool // the server has said something
	timedOut    atomic.Bool // a wait ended at its time limit
	over        atomic.Bool // nothing more will come
}

// shortLog is how many frames most conversations have at least.
const shortLog = 8

// A Mark is a place in the conversation.
type Mark int

// Mark is the present end of the conversation.
func (j *journal) Mark() Mark {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Mark(len(j.log))
}

// Since returns what was sent and received after the mark, so far.
func (j *journal) Since(m Mark) []Seen {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clip(j.log[min(int(m), len(j.log)):])
}

// Find returns the first fitting frame after the mark, among those so far.
func (j *journal) Find(from Mark, fits func(Seen) bool) (Seen, bool) {
	seen := j.Since(from)
	i := slices.IndexFunc(seen, fits)
	if i < 0 {
		return Seen{}, false
	}
	return seen[i], true
}

// Note adds a remark to the verdict of the case. Notes never count.
func (j *journal) Note(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notes = append(j.notes, text)
}

// remarks are the notes so far.
func (j *journal) remarks() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.notes)
}

// keep puts a frame into the log, and reports whether there was room for it.
func (j *journal) keep(s Seen) bool {
	j.watching.Lock()
	defer j.watching.Unlock()
	if !j.room(s.cost) {
		return false
	}
	if j.watch != nil {
		j.watch(s)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log == nil {
		j.log = make([]Seen, 0, shortLog)
	}
	j.log = append(j.log, s)
	switch s.Dir {
	case frame.Sent:
		j.logged = max(j.logged, s.Exchange)
	case frame.Received:
		j.serverSpoke.Store(true)
	}
	j.tell()
	return true
}

// show shows all frames, past and future, to one more watcher.
func (j *journal) show(watch func(Seen)) {
	j.watching.Lock()
	defer j.watching.Unlock()
	for _, s := range j.Since(0) {
		watch(s)
	}
	ahead := j.watch
	if j.watch = watch; ahead != nil {
		j.watch = func(s Seen) {
			ahead(s)
			watch(s)
		}
	}
}

// finish marks the conversation as over.
func (j *journal) finish() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over.Store(true)
	j.tell()
}

// tell wakes everybody who waits for a frame; j.mu is held.
func (j *journal) tell() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// A limit says how long something is awaited. It is asked again and again, since it may
// become shorter during the wait.
type limit func() time.Duration

func within(atMost time.Duration) limit { return func() time.Duration { return atMost } }

// left is how long to wait before the limit is asked again; 0 at its end.
func (l limit) left(began time.Time) time.Duration {
	return max(0, min(l()-time.Since(began), time.Second))
}

// hear waits for a fitting frame after the mark; its error is the error of ctx.
func (j *journal) hear(ctx context.Context, from Mark, atMost limit, fits func(Seen) bool) (s Seen, found bool, err error) {
	s, found, late, err := j.listens(ctx, from, atMost, fits)
	if late {
		j.timedOut.Store(true)
	}
	return s, found, err
}

// listens is hear for a wait whose end is no complaint; late reports that the wait was over.
func (j *journal) listens(ctx context.Context, from Mark, atMost limit, fits func(Seen) bool) (s Seen, found, late bool, err error) {
	began := time.Now()
	timer := time.NewTimer(atMost.left(began))
	defer timer.Stop()
	next := int(from)
	for {
		j.mu.Lock()
		fresh, changed, over := j.log[min(next, len(j.log)):], j.changed, j.over.Load()
		j.mu.Unlock()
		for _, s := range fresh {
			if fits(s) {
				return s, true, false, nil
			}
		}
		next += len(fresh)
		if over {
			return Seen{}, false, false, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			if left := atMost.left(began); left > 0 {
				timer.Reset(left)
				continue
			}
			return Seen{}, false, true, nil
		case <-ctx.Done():
			return Seen{}, false, false, ctx.Err()
		}
	}
}

// ended is the frame that ended the connection, even before the request; nil
// while the connection lasts.
func (j *journal) ended() *Seen {
	seen := j.Since(0)
	for i := range slices.Backward(seen) {
		if seen[i].Kind == frame.KindEnd && seen[i].Exchange == 0 {
			return &seen[i]
		}
	}
	return nil
}

// keepOpening makes the frames so far the opening, which stays in the log.
func (j *journal) keepOpening() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.opened = len(j.log)
}

// truncate drops the frames since the opening, and returns the memory that they took.
func (j *journal) truncate() (dropped int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.log[j.opened:] {
		s.Thin() // watchers may remember it
		dropped += s.cost
	}
	// Readers of the old log may still use it.
	j.log = append(make([]Seen, 0, j.opened+shortLog), j.log[:j.opened]...)
	return dropped
}

// began counts an exchange that began.
func (j *journal) began(exchange int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.posted = max(j.posted, exchange)
}

// caughtUp reports whether the log holds every exchange that began.
func (j *journal) caughtUp() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.logged >= j.posted
}
