package streaming

import (
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches are the ways in which a fault makes the extension misbehave. The zero
// Switches keep every rule.
type Switches struct {
	NeverStreams   bool   // whoever asks for pieces gets none
	Forced         bool   // everybody gets pieces
	Withheld       string // a tool whose result is empty for who did not ask for pieces
	OneChunk       bool   // everything comes as one piece at the end
	SharedSequence bool   // operations that run at the same time share their numbers
	FallingNumbers bool   // they do, and start over at every fourth
	Swapped        bool   // two that run at the same time get each other's result
	SameResult     bool   // of two that run at the same time the last gets the other's result
	Unflagged      string // a tool that streams and does not say so

	NoCheckpoints  bool // no checkpoints, and resume answers with nothing
	Restarts       bool // a resumed operation begins anew
	EffectAgain    bool // a resumed operation has its effect once more
	AnyToken       bool // with a bad checkpoint the operation begins anew
	AnyOperation   bool // a checkpoint does for any operation
	TokenInternal  bool // a bad checkpoint is answered with -32603
	ParamsInternal bool // missing params are answered with -32603
	Latest         bool // without params the latest operation of anybody is resumed
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // another extension's are none of this one's business
	return own
}

// shared is what operations that run at the same time have in common, for a fault.
type shared struct {
	mu              sync.Mutex
	running, number int
	ended           *ended        // the one that waits for another to end
	latest          fault.Message // the result of the one that ended last while another ran
}

// An ended operation has its result, and is answered with another's.
type ended struct {
	result fault.Message
	other  chan fault.Message
}

func (s *shared) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running++; s.running == 1 {
		s.number = 0
	}
}

func (s *shared) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// next is the number that follows, and how many operations take theirs from it.
func (s *shared) next() (number, running int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	return s.number - 1, s.running
}

// swap gives an operation the result of another one that runs at the same time, and
// that one its own. One that was stopped has none to give.
func (s *shared) swap(own fault.Message, stopped <-chan struct{}) fault.Message {
	s.mu.Lock()
	first, mine := s.ended, (*ended)(nil)
	if s.ended = nil; first == nil && s.running > 1 && own != nil {
		mine = &ended{own, make(chan fault.Message, 1)}
		s.ended = mine
	}
	s.mu.Unlock()
	switch {
	case first != nil && own == nil:
		first.other <- first.result
		return nil
	case first != nil:
		first.other <- own
		return first.result
	case mine == nil:
		return own
	}
	select {
	case result := <-mine.other:
		return result
	case <-stopped:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ended == mine {
			s.ended = nil
		}
		return own
	}
}

// same gives an operation the result of the one that ended while it ran.
func (s *shared) same(own fault.Message) fault.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running > 1 {
		s.latest = own
		return own
	}
	result := s.latest
	if s.latest = nil; result == nil || own == nil {
		return own
	}
	return result
}

// number is that of a piece: its own, but for a fault.
func (e *extension) number(own int) int {
	if !e.faults.SharedSequence && !e.faults.FallingNumbers {
		return own
	}
	const few = 4
	switch n, running := e.shared.next(); {
	case e.faults.SharedSequence:
		return n
	case running > 1:
		return n % few
	}
	return own
}

// together joins pieces, for a fault.
func together(pieces []any) any {
	var list []string
	text := ""
	for _, piece := range pieces {
		switch piece := piece.(type) {
		case []string:
			list = append(list, piece...)
		case string:
			text += piece
		}
	}
	if list != nil {
		return list
	}
	return text
}
