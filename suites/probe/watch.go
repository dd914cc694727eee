package probe

import (
	"time"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Watcher sees every frame of one connection, in order, in both directions.
// OnResult, OnNotification and OnEach make most watchers; a watcher with a
// memory implements See itself.
type Watcher interface {
	See(*WatchedFrame) Opinion
}

// A Seen frame is a frame with the client's knowledge about it.
type Seen struct {
	frame.Frame
	Revision  requirements.Revision
	Transport requirements.Transport
	Survey    *Survey
	Schemas   *schemas.Library
	Case      string
	Owned     []Owned // by cases of the run

	// Request is the request that a response answers, with its text as sent; its
	// Method is empty where the response matches no request.
	Request Asked
	// Malformed: a frame malformed on purpose provoked this one, or no revision
	// was agreed yet.
	Malformed bool
	// Gap: frames of its HTTP exchange before it were not read, since there were too many.
	Gap bool
	// Away: the client waited so long, all in all, before it resumed the stream on which an answer comes.
	Away time.Duration

	awaited bool      // it is the first answer to its request
	cost    int64     // bytes of memory that the log counts for it
	heard   time.Time // when the kit read it
}

// Asked is a request of the client.
type Asked struct {
	Method string
	Header map[string][]string
	Frame  frame.Frame // as the client sent it
}

// Params are the params of the request, nil where they are no object. They are not kept: a
// run would hold those of each request that a case remembers.
func (a Asked) Params() map[string]any {
	params, _ := a.Frame.Message().At("/params")
	return ObjectOf(params)
}

// Meta is a value of the request's _meta, nil where it is absent.
func (a Asked) Meta(key string) any { return ObjectOf(a.Params()["_meta"])[key] }

// Extensions are the extensions that the request declares, with their settings.
func (a Asked) Extensions() map[string]any {
	return ObjectOf(ObjectOf(a.Meta(protocol.MetaCapabilities))["extensions"])
}

// Channels are the exchanges in which the answer to a sent frame may come: its
// own, and over HTTP+SSE above all the stream, which is exchange 0.
func (s Seen) Channels() []int {
	if s.Transport == requirements.SSE && s.Exchange > 0 {
		return []int{0, s.Exchange}
	}
	return []int{s.Exchange}
}

// Evidence is the frame, after the request that it answers.
func (s Seen) Evidence() []frame.Frame {
	if s.Request.Frame.Seq == 0 || s.Dir == frame.Sent {
		return []frame.Frame{s.Frame}
	}
	return []frame.Frame{s.Request.Frame, s.Frame}
}

// WatchFunc makes a watcher of a function without a memory.
type WatchFunc func(*WatchedFrame) Opinion

// See calls the function.
func (f WatchFunc) See(at *WatchedFrame) Opinion { return f(at) }
