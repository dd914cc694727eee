package lifecycle

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func errorCases() []suite.Case {
	var cases []suite.Case
	for _, v := range []struct{ slug, title string }{
		{withoutVersion, "an initialize without protocolVersion is answered, and the server keeps running"},
		{withoutClient, "an initialize without clientInfo is answered, and the server keeps running"},
		{oddCapabilities, "an initialize whose capabilities are a string is answered, and the server keeps running"},
		{oddMembers, "an initialize with capabilities of the wrong types is answered, and the server keeps running"},
	} {
		cases = append(cases, suite.Case{
			ID:     "lifecycle/" + v.slug,
			Title:  v.title,
			Checks: []requirements.ID{"lifecycle-init-malformed-params"},
			Fix:    "check the parameters of initialize before using them, and reject bad ones with error -32602",
			Raw:    true,
			Run:    func(c *probe.Client) error { return malformed(c, v.slug) },
		})
	}
	return append(cases, suite.Case{
		ID:     "lifecycle/bare-client",
		Title:  "an initialize from a client without capabilities is answered",
		Checks: []requirements.ID{"lifecycle-bare-client-handled"},
		Fix:    "answer an initialize with empty capabilities; reject it with an error only if nothing works without them",
		Raw:    true,
		Run:    bareClient,
	})
}

const (
	withoutVersion  = "init-without-version"
	withoutClient   = "init-without-client"
	oddCapabilities = "init-capabilities-text"
	oddMembers      = "init-capabilities-members"
	bare            = "bare-client"
)

// oddInitializes sends the valid initialize last: a rejected initialize opens nothing, so
// as long as all are rejected, each of them counts as the first of its connection.
func oddInitializes(c *probe.Client) round {
	usual := c.InitializeParams(c.Revision())
	return round{
		key: "lifecycle:odd-initializes",
		asked: []initialize{
			{withoutVersion, usual.Without("protocolVersion")},
			{withoutClient, usual.Without("clientInfo")},
			{oddCapabilities, usual.With("capabilities", "none")},
			{oddMembers, usual.With("capabilities", probe.Object{"roots": "yes", "sampling": 7, "elicitation": []any{}})},
			{bare, usual.With("capabilities", probe.Object{})},
		},
		judge: func(name string, reply *probe.Reply) (note string, kept, further bool) {
			if name == bare {
				_, served := reply.Result()
				return "", served, false
			}
			rejected := reply.WantError() == nil
			return remark(reply), reply.Answered(), rejected
		},
	}
}

// malformed allows any answer, as long as the server answers and still serves its next
// client. Over stdio the next client has a process of its own.
func malformed(c *probe.Client, name string) error {
	bad, note, err := oddInitializes(c).ask(c, name)
	if err != nil {
		return err
	}
	if bad == nil {
		noteIfAny(c, note)
		return nil
	}
	if err := wantAnyAnswer(bad); err != nil {
		return err
	}
	noteIfAny(c, remark(bad))
	if c.Transport() == requirements.Stdio {
		return nil
	}
	next := c.Another()
	good := next.Initialize()
	if good.WantResult() != nil {
		return probe.Shown(bad, good).Violation("a good initialize after a malformed one on another connection got %s, want a result",
			good.Outcome())
	}
	return nil
}

// remark describes an unusual answer to a malformed initialize.
func remark(reply *probe.Reply) string {
	if _, served := reply.Result(); served {
		return "the malformed initialize is answered with a result"
	}
	if code, ok := reply.Code(); ok && code != protocol.InvalidParams {
		return fmt.Sprintf("the malformed initialize is rejected with code %d, where %d is usual", code, protocol.InvalidParams)
	}
	return ""
}

func noteIfAny(c *probe.Client, text string) {
	if text != "" {
		c.Note(text)
	}
}

func bareClient(c *probe.Client) error {
	reply, _, err := oddInitializes(c).ask(c, bare)
	if err != nil || reply == nil {
		return err
	}
	return wantAnyAnswer(reply)
}

// wantAnyAnswer expects a result, an error, or an HTTP status of 400 or above.
func wantAnyAnswer(reply *probe.Reply) error {
	if reply.Refused() {
		return nil
	}
	return reply.WantAnswer()
}
