package probe

import (
	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Watcher sees every frame of one connection, in order, in both directions.
// Most watchers are made by OnResult, OnNotification and OnEach; what remembers
// something implements See itself.
type Watcher interface {
	See(*Sight) Opinion
}

// A Seen frame is a frame with what the client knows about it.
type Seen struct {
	frame.Frame
	Revision  requirements.Revision
	Transport requirements.Transport
	Survey    *Survey
	Schemas   *schemas.Library
	Case      string
	Owned     []Owned // by cases of the run

	// Request is the request that a response answers, the text as it was
	// sent; its Method is empty when the response matches none.
	Request Asked
	// Malformed: what provoked this frame was malformed on purpose, or no
	// revision was agreed yet.
	Malformed bool

	awaited bool  // it answers a request that was not answered yet
	cost    int64 // bytes of memory that it was counted with
}

// Asked is a request of the client's.
type Asked struct {
	Method string
	Params map[string]any
	Header map[string][]string
	Frame  frame.Frame // as it was sent
}

// Meta is a value of the request's _meta, nil when it is absent.
func (a Asked) Meta(key string) any { return record(a.Params["_meta"])[key] }

// Extensions are those that the request itself declares, with their settings.
func (a Asked) Extensions() map[string]any {
	return record(record(a.Meta(protocol.MetaCapabilities))["extensions"])
}

// Channels are the exchanges in which an answer to a sent frame may come: its own,
// and over HTTP+SSE before all the stream, which is exchange 0.
func (s Seen) Channels() []int {
	if s.Transport == requirements.SSE && s.Exchange > 0 {
		return []int{0, s.Exchange}
	}
	return []int{s.Exchange}
}

// Evidence is the request that this frame answers, and the frame.
func (s Seen) Evidence() []frame.Frame {
	if s.Request.Frame.Seq == 0 || s.Dir == frame.Sent {
		return []frame.Frame{s.Frame}
	}
	return []frame.Frame{s.Request.Frame, s.Frame}
}

// WatchFunc makes a watcher of a function that needs no memory.
type WatchFunc func(*Sight) Opinion

// See calls the function.
func (f WatchFunc) See(at *Sight) Opinion { return f(at) }
