package streaming

import (
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches make the extension misbehave for a fault. The zero Switches keep every
// rule.
type Switches struct {
	NeverStreams   bool   // clients that ask for pieces get none
	Forced         bool   // every client gets pieces
	Undeclared     bool   // clients that ask for pieces get them, whatever they declare
	Withheld       string // a tool whose result is empty for clients that did not ask for pieces
	OwnNames       bool   // pieces name the operation by an id of the server's own
	TalksOn        bool   // one more piece is sent a moment after the answer
	AllAgain       bool   // each piece holds those before it as well
	Unasked        bool   // clients that declare the extension get pieces, whether or not they ask for them
	OneChunk       bool   // the whole result comes as one piece at the end
	SharedSequence bool   // parallel operations share one sequence of numbers
	FallingNumbers bool   // parallel operations share numbers that start over at every fourth
	Swapped        bool   // two parallel operations get each other's result
	SameResult     bool   // of two parallel operations the last gets the other's result
	Unflagged      string // a tool that streams without the flag in tools/list

	NoCheckpoints  bool // pieces have no checkpoint, and resume answers with nothing
	Restarts       bool // a resumed operation starts anew
	EffectAgain    bool // a resumed operation has its effect a second time
	AnyToken       bool // with a bad checkpoint the operation starts anew
	AnyOperation   bool // a checkpoint is valid for any operation
	TokenInternal  bool // a bad checkpoint is answered with -32603
	ParamsInternal bool // missing params are answered with -32603
	ResumeGap      bool // the first piece behind a checkpoint is not sent
	SharedCallers  bool // all principals share the operations
	Latest         bool // without params the latest operation of any client is resumed
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

// shared is the common state of parallel operations, for a fault.
type shared struct {
	mu              sync.Mutex
	running, number int
	met             chan struct{}     // closed when a second operation begins
	several         bool              // met is closed
	waiting         *waitingOperation // the operation that waits for another to end
	latest          fault.Message     // the result of the operation that ended last while another ran
}

// A waitingOperation has its result and waits for another's result.
type waitingOperation struct {
	result fault.Message
	other  chan fault.Message
}

// begin notes that an operation runs, and gives a second one a moment to begin: a fault in
// what two of them share shows only while both run.
func (s *shared) begin(waits bool, stopped <-chan struct{}) {
	met := s.enter()
	if !waits {
		return
	}
	const moment = 50 * time.Millisecond
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case <-met:
	case <-timer.C:
	case <-stopped:
	}
}

func (s *shared) enter() (met <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.running++; {
	case s.running == 1:
		s.number, s.met, s.several = 0, make(chan struct{}), false
	case !s.several:
		close(s.met)
		s.several = true
	}
	return s.met
}

func (s *shared) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// next is the next number of the sequence, and the number of operations that share the
// sequence. Each of the others takes a number in between.
func (s *shared) next() (number, running int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number = s.number
	s.number += s.running
	return number, s.running
}

// swap exchanges the results of two parallel operations. A stopped operation has no
// result to give.
func (s *shared) swap(own fault.Message, stopped <-chan struct{}) fault.Message {
	s.mu.Lock()
	first, mine := s.waiting, (*waitingOperation)(nil)
	if s.waiting = nil; first == nil && s.running > 1 && own != nil {
		mine = &waitingOperation{own.Copy(), make(chan fault.Message, 1)}
		s.waiting = mine
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
		if s.waiting == mine {
			s.waiting = nil
		}
		return own
	}
}

// takeLatest gives an operation the result of the operation that ended while it ran.
func (s *shared) takeLatest(own fault.Message) fault.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running > 1 {
		s.latest = own.Copy()
		return own
	}
	result := s.latest
	if s.latest = nil; result == nil || own == nil {
		return own
	}
	return result
}

// number is the number of a piece: the piece's own, or with a fault another one.
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

// talkOn sends one more piece of the operation a moment after its answer.
func (o *Operation) talkOn() {
	const moment = 50 * time.Millisecond
	push := o.turn.Conversation().Push
	if push == nil || !o.streams || o.from > 0 {
		return
	}
	more := fault.Message{"jsonrpc": "2.0", "method": "notifications/stream_chunk", "params": map[string]any{
		"type": "stream_chunk", "operation_id": o.job.operation, "sequence": o.sequence, "data": []any{}, "is_final": false,
	}}
	time.AfterFunc(moment, func() { push(more) })
}

// joined joins pieces, for a fault.
func joined(pieces []any) any {
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
