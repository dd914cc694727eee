package cancellation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// steps are calls that take a second, and report progress at each step. A cancelled call looks for its
// cancellation at some steps only, and is not answered.
type steps struct {
	mu    sync.Mutex
	given map[string]bool // the ids that were cancelled
	every int             // at which steps it looks
	pause time.Duration   // how long a step takes
	made  int             // the steps of all calls so far
	shown bool            // a call without a progress token shows them
}

func (s *steps) line(line []byte, out io.Writer) bool {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			RequestID json.RawMessage
			Name      string
			Arguments json.RawMessage
			Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
	}
	switch err := json.Unmarshal(line, &m); {
	case err == nil && m.Method == "notifications/cancelled" && m.Params.RequestID != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.given[string(m.Params.RequestID)] = true
		return true
	case err == nil && m.Method == "tools/call" && m.Params.Meta.ProgressToken != nil:
		s.mu.Lock()
		delete(s.given, string(m.ID)) // of another connection
		s.mu.Unlock()
		go s.work(string(m.ID), m.Params.Meta.ProgressToken, out)
		return true
	case err == nil && m.Method == "tools/call" && s.shown && m.Params.Name == "hours" && string(m.Params.Arguments) == "{}":
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%d"}]}}`+"\n", m.ID, s.made)
		return true
	}
	return false
}

func (s *steps) work(id string, token json.RawMessage, out io.Writer) {
	for n := 1; n <= int(time.Second/s.pause); n++ {
		time.Sleep(s.pause)
		s.mu.Lock()
		stops := s.given[id] && n%s.every == 0
		if !stops {
			s.made++
		}
		s.mu.Unlock()
		if stops {
			return
		}
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", token, n)
	}
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", id)
}
