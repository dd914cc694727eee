package probe_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

const logged = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`

// event is an event of a stream without a message.
func event() frame.Frame {
	f := frame.New(frame.Received, frame.KindEvent, []byte(": x"))
	f.SSE = &frame.SSE{Lines: []string{": x"}, Comments: []string{"x"}}
	return f
}

func never(probe.Seen) bool { return false }

// A flood is read for a while, kept in part, and reported: in a missing answer,
// and by every other wait.
func TestFlood(t *testing.T) {
	t.Parallel()
	message := func(text string) func() frame.Frame {
		return func() frame.Frame { return frame.New(frame.Received, frame.KindMessage, []byte(text)) }
	}
	for name, of := range map[string]func() frame.Frame{
		"of text":          message(strings.Repeat("x", 1<<10)),
		"of nothing":       message(""),
		"of notifications": message(logged),
		"of requests":      message(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		"of answers":       message(result("99", "{}")),
		"of one answer":    message(result("1", "{}")),
		"of errors":        message(`{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`),
		"of events":        event,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{}
				c := connect(t, s, func(s *probe.Setup) { s.Most = 1 << 20 })
				for range 20_000 {
					s.put(of())
				}
				err := stopped(t, c, func(c *probe.Client) { c.Await(0, time.Hour, never) })
				if u := (*probe.Undecided)(nil); !errors.As(err, &u) || !strings.Contains(u.Reason, "flooded the connection") {
					t.Errorf("awaited in vain: %v", err)
				}
				if kept := len(c.Since(0)); kept == 0 || kept > 5000 {
					t.Errorf("%d frames are kept", kept)
				}
				if notes := control(c).Notes(); len(notes) != 1 || !strings.Contains(notes[0], "looked through for answers") {
					t.Errorf("the notes are %q", notes)
				}
				reply := c.Call("ping", nil, probe.WithID("77"))
				if reply.Answered() || reply.Silent() || !control(c).Over() {
					t.Errorf("after the flood: %+v", reply)
				}
				if err := reply.WantAnswer(); err == nil || !strings.Contains(err.Error(), "did not answer ping: the server flooded the connection: it sent ") {
					t.Errorf("the problem is %v", err)
				}
			})
		})
	}
}

// However fast a server talks while it works, the client finds its answer and
// keeps everything that a lawful server sends.
func TestTalkativeServerIsNoFlood(t *testing.T) {
	t.Parallel()
	for _, said := range []int{2_000, 4_999, 5_000, 20_000} {
		t.Run(fmt.Sprint(said), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{hear: func(s *server, h receivedFrame) {
					for range said {
						s.say(0, logged)
					}
					polite(s, h)
				}})
				for range 3 { // each case may get as much again
					mark := c.Mark()
					reply := c.Call("ping", nil)
					if reply.WantAnswer() != nil {
						t.Fatal(reply.Outcome())
					}
					// The request and its answer are kept too.
					if kept, want := len(c.Since(mark))-2, min(said, 5_000-1); kept != want {
						t.Errorf("%d notifications are kept, want %d", kept, want)
					}
					control(c).Forget()
				}
				if notes := control(c).Notes(); said < 5_000 && len(notes) > 0 || said >= 5_000 && len(notes) != 3 {
					t.Errorf("the notes are %q", notes)
				}
			})
		})
	}
}

// An awaited answer may be of any length. The server is not blamed where there
// is no room for it.
func TestNoRoomIsNobodysFault(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*probe.Setup){
		"on one connection":       func(s *probe.Setup) { s.Most = 1 << 20 },
		"on all of them together": func(s *probe.Setup) { s.Held = &atomic.Int64{}; s.Held.Store(255 << 20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{hear: func(s *server, h receivedFrame) {
					s.answer(h, result(h.Message.ID, `{"text":"`+strings.Repeat("x", 100<<10)+`"}`))
				}}, edit)
				err := stopped(t, c, func(c *probe.Client) {
					for range 20 {
						if reply := c.Call("x", nil); !reply.Answered() {
							t.Error(reply.Outcome())
						}
					}
					t.Error("all of it was kept")
				})
				if u := (*probe.Undecided)(nil); !errors.As(err, &u) || !strings.Contains(u.Reason, "more than the ") {
					t.Errorf("stopped by %v", err)
				}
			})
		})
	}
}

// A closed conversation gives its memory back.
func TestClosedCountsNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var held atomic.Int64
		s := &server{hear: polite}
		c := connect(t, s, func(s *probe.Setup) { s.Held, s.Most = &held, 1<<30 })
		if err := control(c).Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			s.say(0, logged)
		}
		synctest.Wait()
		if held.Load() == 0 {
			t.Error("nothing is counted")
		}
		control(c).Forget()
		if err := control(c).Close(t.Context()); err != nil || held.Load() != 0 {
			t.Errorf("%d bytes are counted, %v", held.Load(), err)
		}
	})
}

// The counted bytes of frames are the memory that they take, readings included.
// The test runs before those that share the memory with others.
func TestCountedIsWhatIsKept(t *testing.T) {
	items := strings.TrimSuffix(strings.Repeat(`{"a":{}},`, 300), ",")
	for name, of := range map[string]func() frame.Frame{
		"notifications": func() frame.Frame { return frame.New(frame.Received, frame.KindMessage, []byte(logged)) },
		"events":        event,
		"objects": func() frame.Frame {
			return frame.New(frame.Received, frame.KindMessage, []byte(`{"jsonrpc":"2.0","method":"m","params":{"a":[`+items+`]}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			const frames = 400
			var held atomic.Int64
			s := &server{frames: make([]frame.Frame, 0, frames+1)} // the test's memory, not the client's
			c := connect(t, s, func(s *probe.Setup) { s.Held, s.Most = &held, 1<<30 })
			before := heap()
			for range frames {
				s.put(of())
			}
			if _, ok := c.Await(0, time.Minute, func(s probe.Seen) bool { return s.Seq == frames }); !ok {
				t.Fatal("not all of them came")
			}
			took := heap() - before
			if counted := held.Load(); counted < took*3/4 || counted > 4*took {
				t.Errorf("%d bytes are counted, %d are taken", counted, took)
			}
			runtime.KeepAlive(c)
		})
	}
}

// heap is the memory in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A server that does not read while it writes does not keep the kit from reading.
func TestAnswersDoNotHoldUpTheReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		c := connect(t, &server{hear: func(s *server, h receivedFrame) {
			switch h.Message.Class {
			case frame.Result:
				<-gate // the server does not read its input
			case frame.Request:
				s.say(0, `{"jsonrpc":"2.0","id":"s1","method":"ping"}`)
				polite(s, h)
			case frame.NotJSON, frame.NotAMessage, frame.Notification, frame.Error, frame.Batch:
			}
		}})
		began := time.Now()
		reply := c.Call("ping", nil)
		if !reply.Answered() || time.Since(began) > time.Second {
			t.Errorf("%s after %s", reply.Outcome(), time.Since(began))
		}
		close(gate)
	})
}

// endless is a connection that always has a frame to read.
type endless struct{ *line }

func (endless) Next(context.Context) (frame.Frame, error) {
	return frame.New(frame.Received, frame.KindHead, nil), nil
}

// The context of Close also limits the reading of remaining frames.
func TestCloseStopsReading(t *testing.T) {
	t.Parallel()
	setup := probe.Setup{Most: 1 << 40}
	k := probe.Connect(context.WithoutCancel(t.Context()), probe.Link{Conn: endless{&line{server: &server{}}}}, setup)
	if _, ok := probe.Speaking(t.Context(), k).Await(0, time.Minute, func(probe.Seen) bool { return true }); !ok {
		t.Fatal("nothing came")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := k.Close(ctx); err != nil { // without the limit it would never return
		t.Error(err)
	}
}
