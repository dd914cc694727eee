package streaming

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// maxOperations is the maximum number of operations; the oldest are dropped first.
const maxOperations = 1000

// An identity names an operation: the operations of different principals are
// independent.
type identity struct{ principal, operation string }

// A job is an operation that can be resumed.
type job struct {
	identity
	tool      string
	arguments json.RawMessage

	kept    bool          // the operation has a checkpoint
	running chan struct{} // closed at the end of the current run; nil without a run
	result  []byte        // of an ended operation
}

// A store keeps operations beyond the connection on which they began: resumption is
// for lost connections.
type store struct {
	mu    sync.Mutex
	jobs  map[identity]*job
	order []*job // the jobs with a checkpoint, the oldest first
}

// begin notes that an operation runs. begin is false while an operation of the same
// identity runs.
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
	for i := 0; len(s.order) > maxOperations && i < len(s.order); {
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

// end notes the end of a run. An operation without checkpoint and result is forgotten.
func (s *store) end(j *job, result fault.Message, failure *core.Error, stopped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(j.running)
	j.running = nil
	if failure == nil && !stopped {
		j.result, _ = json.Marshal(result) // a result that cannot be encoded would not reach the client either
	}
	if !j.kept {
		s.drop(j)
	}
}

// take returns the result of an ended operation, or a channel that closes at the end
// of the current run. With neither, the caller runs the operation.
func (s *store) take(j *job) (fault.Message, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case j.running != nil:
		return nil, j.running
	case j.result != nil:
		var result fault.Message
		_ = json.Unmarshal(j.result, &result) // end has encoded it
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
