package probe

import (
	"context"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An OpeningError is an opening that did not come about.
type OpeningError struct {
	Reply *Reply // to initialize
	Sent  error  // of notifications/initialized, when that could not be sent any more
}

func (e *OpeningError) Error() string {
	if e.Sent != nil {
		return "the opening failed: send notifications/initialized: " + e.Sent.Error()
	}
	return "the opening failed: " + e.Reply.Outcome()
}

// open completes whatever opening the revision demands: a handshake through
// 2025-11-25, nothing from 2026-07-28 on.
func (c *Client) open(ctx context.Context) error {
	if c.setup.Revision.Modern() {
		return nil
	}
	reply, err := c.Initialize(ctx)
	if err != nil {
		return err
	}
	return c.conclude(ctx, reply)
}

// conclude completes the opening that the answer to initialize belongs to.
func (c *Client) conclude(ctx context.Context, reply *Reply) error {
	if version, ok := reply.At("/result/protocolVersion"); !ok || version != string(c.setup.Revision) {
		return &OpeningError{Reply: reply}
	}
	sent, err := c.initialized(ctx)
	if err == nil && sent != nil {
		return &OpeningError{Reply: reply, Sent: sent}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened = len(c.log)
	return err
}

// InitializeParams are those of a good handshake at a revision.
func (c *Client) InitializeParams(r requirements.Revision) Object {
	return Object{"protocolVersion": string(r), "capabilities": c.setup.Capabilities, "clientInfo": c.setup.Kit}
}

// Initialize sends the first half of the handshake and takes what it agrees
// on over: revision and session.
func (c *Client) Initialize(ctx context.Context) (*Reply, error) {
	text := Request(c.nextID(), "initialize", c.InitializeParams(c.setup.Revision))
	reply, err := c.ask(ctx, text, sending{patience: c.patience()}, true)
	if err == nil {
		c.Adopt(reply)
	}
	return reply, err
}

// Adopt takes over what an initialize answer agreed on. One that agrees on
// nothing leaves in force what was agreed before.
func (c *Client) Adopt(reply *Reply) {
	if _, ok := reply.At("/result"); !ok {
		return
	}
	version, _ := reply.At("/result/protocolVersion")
	text, _ := version.(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agreed = requirements.Revision(text)
	if c.setup.Transport == requirements.HTTP && reply.head != nil && reply.head.HTTP != nil {
		c.session = reply.head.HTTP.Header.Get(protocol.HeaderSession)
	}
}

// Initialized sends the second half of the handshake, at revisions that have one.
// Over HTTP it waits until the server took it, since the next request is another
// exchange.
func (c *Client) Initialized(ctx context.Context) error {
	if confirms, ok := protocol.NotificationOf("notifications/initialized"); ok && !confirms.In(c.Revision()) {
		return nil
	}
	_, err := c.initialized(ctx)
	return err
}

// initialized tells a connection that takes nothing any more, which shows in
// what follows as well, from the run being cut short.
func (c *Client) initialized(ctx context.Context) (sent, err error) {
	mark := c.Mark()
	exchange, err := c.postWell(ctx, Notification("notifications/initialized", nil), sending{})
	if err != nil {
		return err, ctx.Err()
	}
	if exchange == 0 {
		return nil, nil
	}
	_, _, err = c.await(ctx, mark, c.setup.Waits.Answer, ends(exchange))
	return nil, err
}

// Session is the id that the server gave this session; empty where it gave none.
func (c *Client) Session() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// Handshake is Initialize with the case's own params. It takes over whatever
// is agreed on, so that its session is ended too.
func (c *Client) Handshake(ctx context.Context, params Object) (*Reply, error) {
	reply, err := c.Ask(ctx, Request(c.nextID(), "initialize", params), Patient())
	if err != nil {
		return nil, err
	}
	c.Adopt(reply)
	return reply, nil
}

// endSession tells a server with sessions that this one is over, as the page
// asks of clients; servers may refuse that, so the answer does not matter.
func (c *Client) endSession(ctx context.Context) {
	session := c.Session()
	if session == "" {
		return
	}
	mark := c.Mark()
	h := http.Header{protocol.HeaderSession: {session}}
	if r := c.Revision(); protocol.VersionHeader().At(r) {
		h.Set(protocol.HeaderVersion, string(r))
	}
	exchange, err := c.conn.Send(ctx, Outgoing{Method: http.MethodDelete, Header: h})
	if err != nil {
		return
	}
	_, _, _ = c.await(ctx, mark, c.setup.Waits.Event, ends(exchange))
}
