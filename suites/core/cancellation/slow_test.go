package cancellation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// steps are calls that report progress at each of ten steps. A cancelled call looks for its
// cancellation at every third step only, and is not answered.
type steps struct {
	mu    sync.Mutex
	given map[string]bool // the ids that were cancelled
}

const step = 100 * time.Millisecond

func (s *steps) line(line []byte, out io.Writer) bool {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			RequestID json.RawMessage
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
		go s.work(string(m.ID), m.Params.Meta.ProgressToken, out)
		return true
	}
	return false
}

func (s *steps) work(id string, token json.RawMessage, out io.Writer) {
	for n := 1; n <= 10; n++ {
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", token, n)
		time.Sleep(step)
		s.mu.Lock()
		given := s.given[id]
		s.mu.Unlock()
		if given && n%3 == 0 {
			return
		}
	}
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", id)
}
