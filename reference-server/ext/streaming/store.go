package streaming

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// most is how many operations are kept; the oldest are dropped first.
const most = 1000

// An identity is what an operation is known by: those of different principals
// have nothing to do with each other.
type identity struct{ principal, operation string }

// A job is an operation that can be resumed.
type job struct {
	identity
	tool      string
	arguments json.RawMessage

	kept    bool          // it has a checkpoint
	running chan struct{} // closed when the run under way ends; nil when none is
	result  []byte        // of an operation that has ended
}

// A store keeps operations beyond the connection on which they began, since a
// lost connection is what resumption is for.
type store struct {
	mu    sync.Mutex
	jobs  map[identity]*job
	order []*job // those with a checkpoint, the oldest first
}

// begin notes that an operation runs. It is false when one of its name does.
func (s *store) begin(j *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.jobs[j.identity]; was != nil && was.running != nil {
		return false
	}
	j.running = make(chan struct{})
	s.jobs[j.identity] = j
	return true
}

// keep notes that the operation has a checkpoint.
func (s *store) keep(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.kept {
		return
	}
	j.kept = true
	s.order = append(s.order, j)
	for i := 0; len(s.order) > most && i < len(s.order); {
		if s.order[i].running != nil {
			i++
			continue
		}
		s.drop(s.order[i])
		s.order = slices.Delete(s.order, i, i+1)
	}
}

func (s *store) drop(j *job) {
	if s.jobs[j.identity] == j {
		delete(s.jobs, j.identity)
	}
}

// end notes how a run ended. What can be neither resumed nor answered again is
// forgotten.
func (s *store) end(j *job, result fault.Message, failure *core.Error, stopped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(j.running)
	j.running = nil
	if failure == nil && !stopped {
		j.result, _ = json.Marshal(result) // a result can be written, or the client would not get it either
	}
	if !j.kept {
		s.drop(j)
	}
}

// take gives the result of an operation that has ended, or what tells the end of a
// run under way. With neither the caller is the one who runs it.
func (s *store) take(j *job) (fault.Message, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case j.running != nil:
		return nil, j.running
	case j.result != nil:
		var result fault.Message
		_ = json.Unmarshal(j.result, &result) // it was written here
		return result, nil
	default:
		j.running = make(chan struct{})
		return nil, nil
	}
}

func (s *store) find(id identity) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil && j.kept {
		return j
	}
	return nil
}

func (s *store) latest() *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.order) == 0 {
		return nil
	}
	return s.order[len(s.order)-1]
}
