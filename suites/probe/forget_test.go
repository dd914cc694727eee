package probe_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A conversation of many cases keeps its opening, which some of them look at,
// and still works.
func TestForget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{hear: polite})
		if err := control(c).Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		opening := len(c.Since(0))
		if opening == 0 {
			t.Fatal("the opening left no frames, so this shows nothing")
		}
		for range 2 {
			mark := c.Mark()
			reply := c.Call("ping", nil)
			if !reply.Answered() {
				t.Fatal(reply.Outcome())
			}
			if len(c.Since(mark)) == 0 {
				t.Error("the call left no frames")
			}
			control(c).Forget()
			synctest.Wait()
			if got := len(c.Since(0)); got != opening {
				t.Errorf("%d frames are left, want the %d of the opening", got, opening)
			}
		}
	})
}

// Forgotten frames do not count: many cases on one connection are no flood.
func TestForgottenIsNoFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{hear: func(s *server, h receivedFrame) {
			s.answer(h, result(h.Message.ID, `{"text":"`+strings.Repeat("x", 100<<10)+`"}`))
		}}
		c := connect(t, s, func(s *probe.Setup) { s.Most = 1 << 20 })
		for i := range 30 {
			reply := c.Call("x", nil)
			if !reply.Answered() {
				t.Fatalf("call %d: %s", i, reply.Outcome())
			}
			control(c).Forget()
		}
		if notes := control(c).Notes(); len(notes) > 0 {
			t.Error(notes)
		}
	})
}

// A late answer belongs to the earlier case that asked, not to this one.
func TestLateAnswerOfEarlierCase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var late receivedFrame
		s := &server{hear: func(s *server, h receivedFrame) {
			if h.Message.Method == "slow" {
				late = h
				return
			}
			polite(s, h)
		}}
		c := connect(t, s)
		c.Send(probe.RequestText("77", "slow", nil))
		synctest.Wait()
		control(c).Forget()
		mark := c.Mark()
		s.answer(late, result("77", "{}"))
		synctest.Wait()
		if len(c.Since(mark)) == 0 {
			t.Fatal("nothing came, so this shows nothing")
		}
		if found := c.Strays(mark); len(found) > 0 {
			t.Errorf("%d strays", len(found))
		}
		if x := c.Collect(mark); x.Said {
			t.Errorf("collected %+v", x)
		}
	})
}

// An answered id is not excused a second time.
func TestAnsweredIDIsAStray(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var first receivedFrame
		s := &server{hear: func(s *server, h receivedFrame) { first = h; polite(s, h) }}
		c := connect(t, s)
		c.Call("ping", nil, probe.WithID("0"))
		control(c).Forget()
		mark := c.Mark()
		s.answer(first, refusal("0", `{"code":-32700}`))
		synctest.Wait()
		if found := c.Strays(mark); len(found) != 1 {
			t.Errorf("%d strays, want one", len(found))
		}
	})
}

// A request with the id null does not excuse later errors without an id.
func TestNullIsNobodysID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var odd receivedFrame
		s := &server{hear: func(_ *server, h receivedFrame) { odd = h }}
		c := connect(t, s)
		c.Send(probe.RequestText("null", "x", nil))
		synctest.Wait()
		control(c).Forget()
		mark := c.Mark()
		s.answer(odd, refusal("null", `{"code":-32601}`))
		synctest.Wait()
		if found := c.Strays(mark); len(found) != 1 {
			t.Errorf("%d strays, want one", len(found))
		}
	})
}
