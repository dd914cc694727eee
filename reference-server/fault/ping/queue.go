package ping

import (
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// queued is a fault over HTTP, where the answer to a ping may be read before that to the call
// that it waited for.
func queued() fault.Fault {
	q := &queue{ends: map[string]chan struct{}{}}
	return fault.Fault{
		Name: "ping-queued-over-http", Title: "over HTTP, a ping is answered at the moment when the running call ends",
		Breaks: "ping-while-busy", Kills: []string{"ping/while-busy"}, In: fault.OverHTTP(requirements.R20251125),
		Inbound: q.wait, Reply: q.end,
	}
}

// A queue holds pings back until the slow call of their session ends.
type queue struct {
	mu   sync.Mutex
	ends map[string]chan struct{} // by session
}

// slow is the tool whose calls are waited for.
const slow = "export_log"

func (q *queue) wait(x fault.Exchange) fault.Verdict {
	session := x.Header.Get("Mcp-Session-Id")
	q.mu.Lock()
	end := q.ends[session]
	if x.Tool() == slow {
		q.ends[session] = make(chan struct{})
	}
	q.mu.Unlock()
	if x.Method == "ping" && end != nil {
		select {
		case <-end:
		case <-time.After(5 * time.Second): // the call was cancelled
		}
	}
	return fault.Verdict{}
}

// end lets the pings go, a moment before the answer to the call.
func (q *queue) end(x fault.Exchange, _ fault.Message) {
	if x.Tool() != slow {
		return
	}
	session := x.Header.Get("Mcp-Session-Id")
	q.mu.Lock()
	end := q.ends[session]
	delete(q.ends, session)
	q.mu.Unlock()
	if end != nil {
		close(end)
		time.Sleep(10 * time.Millisecond)
	}
}
