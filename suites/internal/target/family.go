package target

import (
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Family holds the running processes of its commands, so that all of them can
// be ended at once, at any moment. On Linux they also end with this program,
// however it ends, and processes that left their group are still found.
type Family struct {
	starts chan func()
	thread sync.WaitGroup

	mu     sync.Mutex
	over   bool // no more processes may start
	living map[*Process]bool
	others map[int]bool // children of ours from before the family
}

// NewFamily returns a family without members. Close it when they have ended.
func NewFamily() *Family {
	f := &Family{starts: make(chan func()), living: map[*Process]bool{}, others: map[int]bool{}}
	adopt()
	for _, c := range children() {
		f.others[c.pid] = true
	}
	f.thread.Go(func() {
		// Linux ends a child together with the thread that started it. This thread
		// starts all of them and lasts as long as the program.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for start := range f.starts {
			start()
		}
	})
	return f
}

// Close forbids further starts.
func (f *Family) Close() {
	f.end()
	f.thread.Wait()
}

// end forbids further starts, and returns the running processes.
func (f *Family) end() []*Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.over = true
		close(f.starts)
	}
	return slices.Collect(maps.Keys(f.living))
}

// startMember starts a process as a member. Without a family it just starts it.
func (f *Family) startMember(start func() (*Process, error)) (p *Process, err error) {
	if f == nil {
		return start()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, errors.New("the run is being ended")
	}
	started := make(chan struct{})
	f.starts <- func() {
		defer close(started)
		p, err = start()
	}
	<-started
	if err == nil {
		f.living[p] = true
	}
	return p, err
}

// left removes a process that has ended with its whole group.
func (f *Family) left(p *Process) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.living, p)
}

// Kill ends every process without asking, together with processes that left
// their group, and returns when they are gone. No others start from then on.
func (f *Family) Kill() {
	living := f.end()
	for _, p := range living {
		_ = p.Kill() // it may have ended just now
	}
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for _, p := range living {
		select {
		case <-p.Exited():
		case <-timer.C:
			timer.Reset(0) // for the next one
		}
	}
	f.killStrays()
}

// killStrays ends processes that left their group. Each may leave children
// behind when it ends; the next call finds them.
func (f *Family) killStrays() {
	const pause = 5 * time.Millisecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for range linger / pause {
		strays := f.strays()
		if len(strays) == 0 {
			return
		}
		for _, c := range strays {
			c.kill()
		}
		<-tick.C
	}
}

// A Stray is a process that left the group of a server and outlived it.
type Stray struct {
	PID  int
	Name string
}

// Left lists the strays.
func (f *Family) Left() []Stray {
	var left []Stray
	for _, c := range f.strays() {
		left = append(left, Stray{PID: c.pid, Name: c.name})
	}
	return left
}

// strays are our children that no member of the family started directly.
func (f *Family) strays() []orphan {
	f.mu.Lock()
	defer f.mu.Unlock()
	members := map[int]bool{}
	for p := range f.living {
		members[p.PID()] = true
	}
	return slices.DeleteFunc(children(), func(c orphan) bool {
		return f.others[c.pid] || members[c.pid] || c.ended()
	})
}

// An orphan is a process that became our child when its parent ended.
type orphan struct {
	pid  int
	name string
	dead bool // it ended and nobody waited for it
}
