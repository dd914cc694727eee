package jsonrpc

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/fixtures"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// malformedCases send invalid JSON, and JSON that is not a valid request.
func malformedCases() []suite.Case {
	var cases []suite.Case
	for _, in := range fixtures.NotJSON() {
		cases = append(cases, suite.Case{
			ID:     "jsonrpc/parse-error-" + in.Slug,
			Title:  "invalid JSON gets a parse error and the next request still works: " + in.Title,
			Checks: []requirements.ID{"jsonrpc-parse-error", "jsonrpc-malformed-answer"},
			Fix:    "answer invalid JSON with error -32700 and without an id, and continue with the next message",
			Run: func(c *probe.Client) error {
				return parseError(c, in.Text)
			},
		})
	}
	for _, odd := range []struct {
		slug, title string
		members     string // beside the params; METHOD stands for that of a harmless request
	}{
		{"version", "a request of another JSON-RPC version", `"jsonrpc":"1.0","id":900851,"method":"METHOD"`},
		{"without-method", "an object with an id and without a method", `"jsonrpc":"2.0","id":900852`},
		{"numeric-method", "a request whose method is a number", `"jsonrpc":"2.0","id":900853,"method":7`},
	} {
		cases = append(cases, suite.Case{
			ID:     "jsonrpc/invalid-request-" + odd.slug,
			Title:  odd.title + " is rejected as an invalid request",
			Checks: []requirements.ID{"jsonrpc-invalid-request"},
			Fix:    "check jsonrpc, method and id before serving a message, and answer error -32600",
			Run: func(c *probe.Client) error {
				return invalidRequest(c, "{"+strings.Replace(odd.members, "METHOD", harmless(c), 1)+params(c)+"}")
			},
		})
	}
	return append(cases, suite.Case{
		ID:     "jsonrpc/invalid-request-empty-object",
		Title:  "an empty object gets no result",
		Checks: []requirements.ID{"jsonrpc-invalid-request"},
		Fix:    "answer an object that is not a message with error -32600 and without an id, or not at all",
		Run:    emptyObject,
	})
}

// parseError only notes silence: JSON-RPC wants an error with the id null, which the
// schemas of the protocol do not allow. Over stdio the page of the transport judges whether
// the process ends.
func parseError(c *probe.Client, text string) error {
	c.Quiet()
	from := c.Mark()
	reply := c.Ask(text, probe.ThenBarrier())
	behind := reply.Behind()
	switch {
	case reply.Status() == 0 && behind.Died() && c.Transport() == requirements.HTTP:
		return reply.Violation("the server ended after invalid JSON: the next request got %s, want the server to keep running", behind.Outcome())
	case reply.Status() == 0 && behind.Died():
		c.NotSeen("the process ended: " + behind.Outcome())
	case !behind.Answered():
		return behind.Violation("the request after the malformed one got %s, want the server to keep running", behind.Outcome())
	case reply.Status() >= 400:
		return nil
	case !reply.Answered() && reply.Status() == 0:
		if found := c.Strays(from); len(found) > 0 {
			return wantNoID(c, following(c, from, found), found[0].Message().ID, text)
		}
		c.Note("invalid JSON is ignored")
		return nil
	case !reply.Answered() && saidOtherwise(c, from, reply), reply.Answered() && !probe.LooksLikeMessage(reply.Message()):
		return reply.Violation("invalid JSON got %s, want a JSON-RPC error %d", reply.Outcome(), protocol.ParseError).
			Under("jsonrpc-malformed-answer")
	case reply.ID() != "" && reply.ID() != "null":
		return wantNoID(c, reply.Evidence(), reply.ID(), text)
	}
	return probe.Under(reply.WantError(protocol.ParseError), "jsonrpc-parse-error")
}

// wantNoID only notes an id that the server found in the broken text. Any other id is one
// of the server's own, or belongs to another request.
func wantNoID(c *probe.Client, shown probe.Evidence, id, text string) error {
	if id == "" || id == "null" {
		return nil // the error came just after the wait was over
	}
	if strings.Contains(text, ":"+id+",") {
		c.Note("the error for invalid JSON has the id " + id + ", which stands in it")
		return nil
	}
	return shown.Violation("$.id of the answer is %s, want null or no id, since no id could be read", id).Under("jsonrpc-malformed-answer")
}

// saidOtherwise reports whether an HTTP exchange has a body without a JSON-RPC response.
func saidOtherwise(c *probe.Client, from probe.Mark, reply *probe.Reply) bool {
	exchange := 0
	for _, f := range reply.Evidence() {
		exchange = max(exchange, f.Exchange)
	}
	return slices.ContainsFunc(c.Since(from), func(s probe.Seen) bool {
		body := s.Kind == frame.KindMessage || s.Kind == frame.KindBody
		return s.Dir == frame.Received && s.Exchange == exchange && body && s.Size > 0
	})
}

// params writes the params of a valid request, if it needs any, so that the server has
// only one reason to refuse the message.
func params(c *probe.Client) string {
	if p := c.Params(nil); p != nil {
		return `,"params":` + probe.JSON(p)
	}
	return ""
}

func invalidRequest(c *probe.Client, text string) error {
	c.Quiet()
	reply := c.Ask(text, probe.ThenBarrier())
	switch {
	case reply.Status() >= 400 && !reply.HasCode(protocol.ParseError): // any other body is fine beside the status
		return nil
	case reply.Status() == http.StatusAccepted && !reply.Answered():
		c.Note("a malformed request with an id is accepted with 202, as if it were a response")
		return nil
	case reply.Answered(), reply.Status() > 0:
		return reply.WantError(protocol.InvalidRequest)
	case !reply.Behind().Answered():
		return unserved(c, reply, text, "error -32600")
	}
	c.Note("a malformed request with an id is ignored")
	return nil
}

// unserved ends a case where the server answers nothing after the text.
func unserved(c *probe.Client, reply *probe.Reply, text, want string) error {
	if c.Transport() == requirements.HTTP && reply.Status() == 0 && reply.Behind().Died() {
		return reply.Violation("the server ended after this message: the next request got %s, want %s", reply.Behind().Outcome(), want)
	}
	c.Must(endsProcess(c, text, want))
	c.Undecide("no further request is answered: " + reply.Behind().Outcome())
	return nil
}

func emptyObject(c *probe.Client) error {
	c.Quiet()
	const empty = `{}`
	from := c.Mark()
	reply := c.Ask(empty, probe.ThenBarrier())
	if reply.Status() >= 400 {
		return nil
	}
	for _, s := range c.Strays(from) {
		m := s.Message()
		if m.Class == frame.Result || m.HasID && m.ID != "null" {
			return probe.Shown(reply, probe.One(s.Frame)).Violation(
				"an empty object got %s, want an error without an id, or nothing", s.Payload())
		}
	}
	if !reply.Behind().Answered() {
		return unserved(c, reply, empty, "an error without an id, or nothing")
	}
	return nil
}

// endsProcess warns if the text ended the process. It sends the text to a second process too,
// because a process may end for other reasons. It only warns, because no sentence with
// MUST forbids this end.
func endsProcess(c *probe.Client, text, want string) error {
	if c.Transport() != requirements.Stdio {
		return nil
	}
	if _, ended := c.Await(0, 0, isEnd); !ended {
		return nil
	}
	garbage.LeaveToOne(c)
	second := c.Opened()
	second.Quiet()
	from := second.Mark()
	second.Send(text)
	_ = second.Try(func() { second.Settle(from) }) // the server may answer nothing more
	end, ended := second.Await(from, 0, isEnd)
	if !ended {
		return nil
	}
	shown := following(second, from, []probe.Seen{end})
	return shown.Violation("the process ended after this message, and so did a second one, want %s", want).AtMostWarn()
}

func isEnd(s probe.Seen) bool { return s.Kind == frame.KindEnd && s.Exchange == 0 }
