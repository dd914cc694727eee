// Package reporting makes the calls with which cases on streams let the server say
// something before its response, and reads what the server says.
package reporting

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Need is the need of the cases that make calls which report progress.
func Need() suite.Need {
	return suite.Either(suite.Role(roles.ProgressTool), suite.Role(roles.ReadOnlyTool))
}

// enough is how many notifications of progress the role asks for. prompt is how long a tool
// that no role names may take, since several cases wait for it.
const (
	enough = 3
	prompt = time.Second
)

// Call makes a call of a tool that reports progress: the tool of the role, or else a
// read-only tool that does. The case ends where there is none.
func Call(c *probe.Client) *probe.ToolCall {
	role := c.Role(roles.ProgressTool)
	if _, named := role.Fields().Call(); named {
		return role.Call()
	}
	candidates := candidates(c)
	name := c.Learn("read-only tool that reports progress", func() string { return find(c, candidates) })
	for _, call := range candidates {
		if call.Tool == name {
			return call
		}
	}
	c.Unfilled(roles.ProgressTool,
		"a tool that reports progress at least three times when asked; no read-only tool did within "+prompt.String())
	return nil
}

// candidates are calls of the tools that only read.
func candidates(c *probe.Client) []*probe.ToolCall {
	var all []*probe.ToolCall
	if role := c.Role(roles.ReadOnlyTool); role.From("tool") != "" {
		all = append(all, role.Call())
	}
	safe := c.Survey().Safe
	for _, call := range safe[:min(len(safe), c.Waits().Reads)] {
		all = append(all, &probe.ToolCall{Tool: call.Tool, Arguments: probe.Object(call.Arguments)})
	}
	return all
}

// find names the first tool that reports often enough, or else the one that reports most.
// A tool that takes long ends the search: the next one may take as long.
func find(c *probe.Client, candidates []*probe.ToolCall) string {
	best, most := "", 0
	for _, call := range candidates {
		times, in := c.Progress(call, min(c.Waits().Answer, prompt))
		switch {
		case !in:
			return best
		case times >= enough:
			return call.Tool
		case times > most:
			best, most = call.Tool, times
		}
	}
	return best
}

// A Work is a call in flight that reports progress under a token of its own. The client comes
// back to its stream where the server closes that before the response.
type Work struct {
	Call  *probe.Pending
	Token string
	ID    string // of the request, as JSON text
}

// Begin makes a call of the tool under an id, given as JSON text; an empty one stands for
// a fresh id.
func Begin(c *probe.Client, id string) Work {
	call, token := Call(c), c.Nonce()
	var options []probe.Option
	if id != "" {
		options = append(options, probe.WithID(id))
	}
	started := c.StartTool(call, probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}}, options...)
	return Work{started, token, started.ID()}
}

// Await waits at most the time given for a fitting frame on the streams of the call.
func (w Work) Await(atMost time.Duration, fits func(probe.Seen) bool) (probe.Seen, bool) {
	return w.Call.AwaitOwn(atMost, fits)
}

// Owns reports whether a frame came on a stream of the call.
func (w Work) Owns(s probe.Seen) bool {
	return s.Exchange != 0 && slices.ContainsFunc(w.Call.Streams(), func(own *probe.Stream) bool { return own.Exchange() == s.Exchange })
}

// Resumed reports whether the client came back to the stream of the call.
func (w Work) Resumed() bool { return len(w.Call.Streams()) > 1 }

// Frames are the frames of the streams of the call so far, sent and received.
func (w Work) Frames() []probe.Seen {
	var all []probe.Seen
	for _, own := range w.Call.Streams() {
		all = append(all, own.Frames()...)
	}
	return all
}

// Abort closes the streams of the call, as a client does that goes away.
func (w Work) Abort() {
	for _, own := range w.Call.Streams() {
		own.Abort()
	}
}

// Evidence is the call and the heads of its streams.
func (w Work) Evidence() []frame.Frame { return Heads(w.Call) }

// Heads are a request and the heads of its streams.
func Heads(request *probe.Pending) probe.Evidence {
	var shown probe.Evidence
	for _, own := range request.Streams() {
		shown = append(shown, own.Evidence()...)
	}
	return shown
}

// Part names the part of a frame that belongs to the call; empty if no part does.
func (w Work) Part(s probe.Seen) string {
	for _, m := range Responses(s) {
		if frame.SameID(m.ID, w.ID) {
			return "the response"
		}
	}
	for _, told := range Progress(s) {
		if told.Token == w.Token {
			return "progress"
		}
	}
	return ""
}

// A Told is one notification of progress.
type Told struct {
	Token    string
	Progress any
	In       probe.Seen
}

// Progress are the notifications of progress among the frames, for tokens that are strings.
func Progress(frames ...probe.Seen) []Told {
	var all []Told
	for _, s := range frames {
		for _, m := range received(s) {
			token, _ := m.At("/params/progressToken")
			if text, ok := token.(string); ok && m.Method == "notifications/progress" {
				progress, _ := m.At("/params/progress")
				all = append(all, Told{text, progress, s})
			}
		}
	}
	return all
}

// Responses are the responses to requests in a frame that the server sent.
func Responses(s probe.Seen) []frame.Message {
	var all []frame.Message
	for _, m := range received(s) {
		if (m.Class == frame.Result || m.Class == frame.Error) && m.HasID && m.ID != "null" {
			all = append(all, m)
		}
	}
	return all
}

// Responds reports whether a frame contains a response.
func Responds(s probe.Seen) bool { return len(Responses(s)) > 0 }

// received are the messages in a frame that the server sent.
func received(s probe.Seen) []frame.Message {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return nil
	}
	return probe.Singles(s.Message())
}
