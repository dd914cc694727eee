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

// shared counts pieces over all operations that run at the same time, for a
// fault.
type shared struct {
	mu              sync.Mutex
	running, number int
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

func (s *shared) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	return s.number - 1
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
