package ping_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/ping"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A ping that waits for several calls is judged in one way, and is kept where it is answered
// while one of them runs.
func TestPingDuringSeveralCalls(t *testing.T) {
	t.Parallel()
	all := ping.Suite().Cases
	watched := all[slices.IndexFunc(all, func(c suite.Case) bool { return c.ID == "ping/during-slow-call" })]
	for name, row := range map[string]struct {
		ended  []int // the calls that end before the ping is answered
		breaks bool
	}{
		"the first call runs on":  {[]int{2}, false},
		"the second call runs on": {[]int{1}, false},
		"both calls are over":     {[]int{1, 2}, true},
	} {
		for range 20 {
			w, view, seq, said := watched.Watch(), &probe.Connection{}, 0, probe.Nothing()
			show := func(dir frame.Direction, at time.Duration, text string) {
				seq++
				s := probe.Seen{Frame: frame.New(dir, frame.KindMessage, []byte(text))}
				s.Seq, s.At = seq, at
				said = said.And(view.See(s).ShownTo(w))
			}
			show(frame.Sent, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
			show(frame.Sent, time.Second/2, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
			show(frame.Sent, 2*time.Second, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
			for _, id := range row.ended {
				show(frame.Received, 6*time.Second, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
			}
			show(frame.Received, 7*time.Second, `{"jsonrpc":"2.0","id":3,"result":{}}`)
			if broken := said.Violation() != nil; broken != row.breaks || !said.Judged() {
				t.Fatalf("%s: judged %v, broken %v, want %v", name, said.Judged(), broken, row.breaks)
			}
		}
	}
}
