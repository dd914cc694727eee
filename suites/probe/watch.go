package probe

import (
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Watcher sees every frame of one connection, in order, in both directions.
// It says of each whether the rule applies to it, and what breaks it.
type Watcher interface {
	See(Seen) (judged bool, v *Violation)
}

// A Seen frame is a frame with what the client knows about it.
type Seen struct {
	frame.Frame
	Revision  requirements.Revision
	Transport requirements.Transport
	Survey    *Survey
	Schemas   *schemas.Library
	Case      string

	// Request is the request that a response answers, the text as it was
	// sent; its Method is empty when the response matches none.
	Request Asked
	// Bent: what provoked this frame was malformed on purpose, or no revision
	// was agreed yet.
	Bent bool
}

// Asked is a request of the client's.
type Asked struct {
	Method string
	Params map[string]any
	Header map[string][]string
	Frame  frame.Frame // as it was sent
}

// Break is a violation shown by this frame, and by the request that it answers.
func (s Seen) Break(problem string) *Violation {
	v := &Violation{Problem: problem}
	if s.Request.Method != "" {
		v.Frames = append(v.Frames, s.Request.Frame)
	}
	v.Frames = append(v.Frames, s.Frame)
	return v
}

// WatchFunc makes a watcher of a function that needs no memory.
type WatchFunc func(Seen) (judged bool, v *Violation)

// See calls the function.
func (f WatchFunc) See(s Seen) (bool, *Violation) { return f(s) }
