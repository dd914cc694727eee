package probe_test

import (
	"testing"
	"testing/synctest"
)

// A conversation of many cases keeps its opening, which some of them look at,
// and goes on as before.
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
			reply, err := c.Call(t.Context(), "ping", nil)
			if err != nil || !reply.Answered() {
				t.Fatalf("ping: %s, %v", reply.Outcome(), err)
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
