package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"

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
				return "", reply.Served(), false
			}
			rejected := reply.WantError() == nil
			return remark(reply), reply.Answered(), rejected
		},
	}
}

// malformed allows any answer, as long as the server answers and still serves its next
// client. Over stdio the next client has a process of its own.
func malformed(c *probe.Client, name string) error {
	bad, note := oddInitializes(c).ask(c, name)
	if bad == nil {
		noteIfAny(c, note)
		return nil
	}
	c.Must(wantAnyAnswer(bad))
	noteIfAny(c, remark(bad))
	if c.Transport() == requirements.Stdio {
		return nil
	}
	good := c.Another().Initialize()
	if good.WantResult() != nil {
		return probe.Shown(bad, good).Violation("a good initialize after a malformed one on another connection got %s, want a result",
			good.Outcome())
	}
	return nil
}

// remark describes an unusual answer to a malformed initialize.
func remark(reply *probe.Reply) string {
	if reply.Served() {
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
	reply, _ := oddInitializes(c).ask(c, bare)
	if reply == nil {
		return nil
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

// A round is several initialize requests that cases judge one by one. Over stdio a
// connection costs a process, so the first case sends the other requests too, on its own
// connection and after its own request. The column remembers which requests got a correct
// answer. The case of any other request sends it again, as the first request of a new
// connection.
type round struct {
	key   string // names the remembered answers
	asked []initialize

	// judge reports of an answer whether it keeps the rule on any connection, with a
	// note, and whether the next request on this connection proves as much as the first
	// request of a new connection.
	judge func(name string, reply *probe.Reply) (note string, kept, further bool)
}

// An initialize is one request of a round.
type initialize struct {
	name   string
	params probe.Object
}

// ask returns the answer to one request of the round for the case to judge. If the answer
// is already known to keep the rule, ask returns nil and the remembered note.
func (r round) ask(c *probe.Client, name string) (*probe.Reply, string) {
	at := slices.IndexFunc(r.asked, func(i initialize) bool { return i.name == name })
	own := r.asked[at]
	// Over HTTP a connection is cheap, but each handshake may open a session.
	if c.Transport() != requirements.Stdio {
		return c.Handshake(own.params), ""
	}
	var reply *probe.Reply
	remembered := c.Learn(r.key, func() (learned string) {
		reply, learned = r.askAll(c, own)
		return learned
	})
	if reply != nil {
		return reply, ""
	}
	if note, ok := noteOf(c, remembered, name); ok {
		return nil, note
	}
	return c.Handshake(own.params), ""
}

// remembered is the note of a request of the round, once a case has asked over stdio.
func (r round) remembered(c *probe.Client, name string) (note string, there bool) {
	return noteOf(c, c.Learn(r.key, func() string { return "{}" }), name)
}

func noteOf(c *probe.Client, remembered, name string) (note string, there bool) {
	kept := map[string]string{}
	c.Must(json.Unmarshal([]byte(remembered), &kept))
	note, there = kept[name]
	return note, there
}

// askAll sends the case's own initialize first. It stops after an answer that shows the
// connection is no longer as good as new.
func (r round) askAll(c *probe.Client, own initialize) (*probe.Reply, string) {
	kept := map[string]string{}
	reply := c.Handshake(own.params)
	note, well, further := r.judge(own.name, reply)
	if well {
		kept[own.name] = note
	}
	for _, each := range r.asked {
		if each.name == own.name {
			continue
		}
		if !further {
			break
		}
		// The process has started by now, so silence need not be waited out.
		note, well, further = r.judge(each.name, c.Ask(c.Compose("initialize", each.params)))
		if well {
			kept[each.name] = note
		}
	}
	return reply, probe.JSON(kept)
}
