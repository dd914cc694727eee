// Package reporting makes the calls with which cases on streams let the server say
// something before its response, and reads what the server says.
package reporting

import (
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

// A Work is a call in flight that reports progress under a token of its own.
type Work struct {
	*probe.Stream
	Token string
	ID    string // of the request, as JSON text
}

// Begin makes a call of the tool under an id, given as JSON text; an empty one stands for
// a fresh id.
func Begin(c *probe.Client, id string) Work {
	call, token := Call(c), c.Nonce()
	params := call.Params(probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}})
	text := c.Compose("tools/call", params)
	if id != "" {
		text = probe.RequestText(id, "tools/call", c.Params(params))
	}
	return Work{c.Begin(probe.Outgoing{Text: text}), token, frame.Read([]byte(text)).ID}
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
