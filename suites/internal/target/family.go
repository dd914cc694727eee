package target

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Family is the processes that commands with it have started and that have
// not ended yet, so that all of them can be ended at once, in the middle of
// whatever happens to them. On Linux they also end when we do, however that comes
// about, and what leaves its process group is still found.
type Family struct {
	starts chan func()
	thread sync.WaitGroup

	mu     sync.Mutex
	over   bool // nothing is started any more
	living map[*Process]bool
	others map[int]bool // children of ours that are older than the family
}

// NewFamily returns a family without members. Close it when they have ended.
func NewFamily() *Family {
	f := &Family{starts: make(chan func()), living: map[*Process]bool{}, others: map[int]bool{}}
	adopt()
	for _, c := range children() {
		f.others[c.pid] = true
	}
	f.thread.Go(func() {
		// Linux ends a child together with the thread that started it. This one
		// starts them all and lasts as long as the program.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for start := range f.starts {
			start()
		}
	})
	return f
}

// Close lets nothing be started any more.
func (f *Family) Close() {
	f.end()
	f.thread.Wait()
}

// end lets nothing be started any more, and returns those that live.
func (f *Family) end() []*Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.over = true
		close(f.starts)
	}
	return slices.Collect(maps.Keys(f.living))
}

// bear starts a process as a member. Without a family it just starts it.
func (f *Family) bear(start func() (*Process, error)) (p *Process, err error) {
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

// left takes a process out that has ended with all of its group.
func (f *Family) left(p *Process) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.living, p)
}

// Kill ends every process, and what left the group of one, without asking, and
// returns when they are gone. Nothing is started from then on.
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

// killStrays ends what left its group. Each may leave children behind when it
// ends, who are found the next time.
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

// Left names the processes that left the group of a server and outlived it.
func (f *Family) Left() []string {
	var names []string
	for _, c := range f.strays() {
		names = append(names, fmt.Sprintf("process %d (%q)", c.pid, c.name))
	}
	return names
}

// strays are the children of ours that nobody of the family started.
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

// An orphan is a process whose parent has ended, so that it is a child of ours.
type orphan struct {
	pid  int
	name string
	dead bool // it ended and was not waited for
}
