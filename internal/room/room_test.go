package room_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/room"
)

const mib = 1 << 20

// goal is the size of the heap at the next collection. It waits for the work after a
// collection, which runs beside the test.
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

// forGo lets the heap grow by Go's default: the caller of the test may have set GOGC.
func forGo(t *testing.T) {
	t.Helper()
	t.Setenv("GOGC", "") // Setenv restores it after the test
	if err := os.Unsetenv("GOGC"); err != nil {
		t.Fatal(err)
	}
	debug.SetGCPercent(100)
}

// The setting holds after each collection, until another call or stop.
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

// A heap that is nearly full grows by a quarter, and one with more live bytes than the room
// as by default.
func TestLeaveFull(t *testing.T) {
	forGo(t)
	for live, want := range map[int]uint64{62: 78, 90: 180} {
		large := make([]byte, live*mib)
		stop := room.Leave(64 * mib)
		for range 5 {
			near := func(goal uint64) bool { return goal > want*mib*9/10 && goal < want*mib*11/10 }
			if got, ok := goal(near); !ok {
				t.Errorf("with %d MiB in use the heap may grow to %d MiB, want about %d", live, got, want)
			}
		}
		runtime.KeepAlive(large)
		stop()
	}
}
