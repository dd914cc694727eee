package room_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/room"
)

const mib = 1 << 20

// goal is how far the heap may grow before it is collected the next time, once a
// collection is over and what is done after it: that runs beside whatever follows.
func goal(ok func(goal uint64) bool) (mibs uint64, reached bool) {
	var now runtime.MemStats
	for range 1000 {
		runtime.GC()
		if runtime.ReadMemStats(&now); ok(now.NextGC) {
			return now.NextGC / mib, true
		}
	}
	return now.NextGC / mib, false
}

func around(size uint64) func(uint64) bool {
	return func(goal uint64) bool { return goal > size*3/4 && goal < size*5/4 }
}

// forGo has the heap grow as Go has it where nobody set GOGC, as whoever runs the test may have.
func forGo(t *testing.T) {
	t.Helper()
	t.Setenv("GOGC", "") // which puts it back afterwards
	if err := os.Unsetenv("GOGC"); err != nil {
		t.Fatal(err)
	}
	debug.SetGCPercent(100)
}

// What is left stays left after each collection, until something else is, or nothing.
func TestLeave(t *testing.T) {
	forGo(t)
	stop := room.Leave(64 * mib)
	for range 5 {
		if got, ok := goal(around(64 * mib)); !ok {
			t.Errorf("the heap may grow to %d MiB, want about 64", got)
		}
	}
	more := room.Leave(512 * mib)
	if got, ok := goal(around(512 * mib)); !ok {
		t.Errorf("with more room the heap may grow to %d MiB, want about 512", got)
	}
	more()
	if got, ok := goal(around(64 * mib)); !ok {
		t.Errorf("with the first room back the heap may grow to %d MiB, want about 64", got)
	}
	stop()
	if got, ok := goal(func(goal uint64) bool { return goal < 16*mib }); !ok {
		t.Errorf("with none the heap may grow to %d MiB, want a few", got)
	}
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("%d percent afterwards, want the 100 from before", percent)
	}
}

// What lives in more than half of the room is collected as it would be without any.
func TestLeaveFull(t *testing.T) {
	forGo(t)
	large := make([]byte, 48*mib)
	defer room.Leave(64 * mib)()
	for range 5 {
		if got, ok := goal(around(96 * mib)); !ok {
			t.Errorf("the heap may grow to %d MiB, want twice the %d that are in use", got, len(large)/mib)
		}
	}
	runtime.KeepAlive(large)
}
