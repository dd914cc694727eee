package lifecycle

import (
	"context"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func openingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/init-response",
			Title:  "initialize is answered with a revision, capabilities and who the server is",
			Checks: []requirements.ID{"lifecycle-init-response-schema"},
			Proves: []suite.Need{suite.Opening()},
			Fix:    "answer initialize with protocolVersion, capabilities and serverInfo holding a name and a version",
			Raw:    true,
			Lane:   suite.Fresh,
			Run:    initResponse,
		},
		{
			ID:     "lifecycle/early-request",
			Title:  "a request that comes ahead of the handshake leaves the handshake possible",
			Checks: []requirements.ID{"lifecycle-init-phase-first"},
			Fix:    "refuse what comes before initialize with an error, and still answer the initialize that follows",
			Lane:   suite.Waits,
			Raw:    true,
			Run:    earlyRequest,
		},
		{
			ID:     "lifecycle/bare-client",
			Title:  "a client without capabilities is accepted or refused in good order",
			Checks: []requirements.ID{"lifecycle-bare-client-handled"},
			Fix:    "answer an initialize with empty capabilities; refuse with an error only if nothing works without them",
			Raw:    true,
			Lane:   suite.Fresh,
			Run:    bareClient,
		},
		{
			ID:     "lifecycle/before-initialized",
			Title:  "nothing but pings is asked of the client before it says that it is initialized",
			Checks: []requirements.ID{"lifecycle-no-requests-before-initialized"},
			Fix:    "hold back roots/list, sampling and elicitation until notifications/initialized has come",
			Lane:   suite.Waits,
			Raw:    true,
			Run:    beforeInitialized,
		},
	}
}

func initResponse(ctx context.Context, c *probe.Client) error {
	reply, err := c.Initialize(ctx)
	if err != nil {
		return err
	}
	if err := reply.WantResult(); err != nil {
		return err
	}
	for _, member := range []struct {
		at   string
		want probe.Matcher
	}{
		{"/result/protocolVersion", probe.AString()},
		{"/result/capabilities", probe.AnObject()},
		{"/result/serverInfo", probe.AnObject()},
		{"/result/serverInfo/name", probe.AString()},
		{"/result/serverInfo/version", probe.AString()},
	} {
		if err := reply.Want(member.at, member.want); err != nil {
			return err
		}
	}
	return nil
}

// The order binds the client: no sentence says what a server does with a
// request that comes early. Serving it, refusing it, passing it over and even
// leaving are all seen and all told; only a server that is then no longer to be
// opened has taken something else than the handshake for the beginning.
func earlyRequest(ctx context.Context, c *probe.Client) error {
	mark, method := c.Mark(), plainest(c).method
	early, err := c.Ask(ctx, c.Compose(method, nil))
	if err != nil {
		return err
	}
	if early.Died() {
		c.Note(method + " before initialize is followed by " + early.Outcome())
		return nil
	}
	opening, err := c.Initialize(ctx)
	if err != nil {
		return err
	}
	// A server that takes its time to start answers both at once.
	for _, s := range c.Since(mark) {
		if s.Request.Method == method && s.Dir == frame.Received && s.Message().Class == frame.Result {
			c.Note(method + " is served before initialize")
		}
	}
	if opening.Died() {
		c.Note(method + " before initialize is refused, and then followed by " + opening.Outcome())
		return nil
	}
	if opening.WantResult() != nil {
		return probe.Broken(append(early.Evidence(), opening.Evidence()...),
			"after an early %s the answer to initialize is %s, want a result", method, opening.Outcome())
	}
	return nil
}

func bareClient(ctx context.Context, c *probe.Client) error {
	reply, err := c.Handshake(ctx, c.InitializeParams(c.Revision()).With("capabilities", probe.Object{}))
	if err != nil {
		return err
	}
	return wantOrderly(reply)
}

// wantOrderly expects any answer: a result, an error, or an HTTP status that
// refuses.
func wantOrderly(reply *probe.Reply) error {
	if reply.Refused() {
		return nil
	}
	return reply.WantAnswer()
}

// The client declares all it can, so that a server which would like to ask has
// reason to.
func beforeInitialized(ctx context.Context, c *probe.Client) error {
	mark := c.Mark()
	reply, err := c.Handshake(ctx, c.InitializeParams(c.Revision()).With("capabilities", probe.Object{
		"roots":       probe.Object{"listChanged": true},
		"sampling":    probe.Object{},
		"elicitation": probe.Object{"form": probe.Object{}, "url": probe.Object{}},
	}))
	if err != nil {
		return err
	}
	if _, ok := reply.Result(); !ok {
		return probe.NotSeen("the handshake of a client with every capability was refused")
	}
	asked, found, err := c.Await(ctx, mark, c.Waits().Event, func(s probe.Seen) bool {
		return len(requests(s)) > 0
	})
	if err != nil {
		return err
	}
	for _, s := range c.Since(mark) {
		if method := notification(s); method != "" {
			c.Note(method + " is sent before notifications/initialized")
		}
	}
	if !found {
		return nil
	}
	return asked.Break(fmt.Sprintf("%s is asked before notifications/initialized, want pings only", requests(asked)[0]))
}
