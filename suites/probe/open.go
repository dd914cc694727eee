package probe

import (
	"context"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// An OpeningError is a failed opening.
type OpeningError struct {
	Reply *Reply // to initialize
	Sent  error  // of notifications/initialized, where the connection took it no more
}

func (e *OpeningError) Error() string {
	if e.Sent != nil {
		return "the opening failed: send notifications/initialized: " + e.Sent.Error()
	}
	return "the opening failed: " + e.Reply.Outcome()
}

// An opener does the handshake, well or badly.
type opener struct{ *caller }

// open completes the opening that the revision demands: a handshake through
// 2025-11-25, nothing from 2026-07-28 on.
func (c *opener) open() {
	if !c.setup.Revision.Modern() {
		c.conclude(c.Initialize())
	}
}

// conclude completes the opening that the answer to initialize belongs to.
func (c *opener) conclude(reply *Reply) {
	if version, ok := reply.At("/result/protocolVersion"); !ok || version != string(c.setup.Revision) {
		c.Stop(&OpeningError{Reply: reply})
	}
	if err := c.initialized(); err != nil {
		c.Stop(&OpeningError{Reply: reply, Sent: err})
	}
	c.keepOpening()
}

// Initialize sends the first half of the handshake and adopts the revision and
// the session of the answer.
func (c *opener) Initialize() *Reply {
	text := RequestText(c.nextID(), "initialize", c.InitializeParams(c.setup.Revision))
	reply := c.start(text, sending{patience: c.patience()}, true).Reply()
	c.Adopt(reply)
	return reply
}

// Initialized sends the second half of the handshake, at revisions that have
// one. Over HTTP it waits until the server took the notification, since the
// next request is another exchange.
func (c *opener) Initialized() {
	if confirms, ok := protocol.NotificationOf("notifications/initialized"); !ok || confirms.In(c.Revision()) {
		_ = c.initialized() // a lost connection shows in the next requests
	}
}

// initialized returns an error where the connection takes nothing any more.
func (c *opener) initialized() error {
	mark := c.Mark()
	exchange, err := c.postWell(c.live(), NotificationText("notifications/initialized", nil), sending{})
	c.live()
	switch {
	case err != nil:
	case exchange > 0:
		c.awaited(mark, within(c.setup.Waits.Answer), ends(exchange))
	default:
		// The log gets the frame a moment after Send returned, and Forget keeps what
		// the log holds now.
		c.awaited(mark, within(c.setup.Waits.Answer), func(s Seen) bool { return s.Dir == frame.Sent })
	}
	return err
}

// Handshake is Initialize with the case's own params. It adopts the agreement,
// so that its session is ended too.
func (c *opener) Handshake(params Object) *Reply {
	reply := c.Ask(RequestText(c.nextID(), "initialize", params), Patient())
	c.Adopt(reply)
	return reply
}

// endSession tells a server with sessions that this session is over, as the
// page asks of clients. Servers may refuse, so the answer does not matter.
func (c *conversation) endSession(ctx context.Context) {
	session := c.Session()
	if session == "" {
		return
	}
	mark := c.Mark()
	h := http.Header{protocol.HeaderSession: {session}}
	if r := c.Revision(); protocol.VersionHeader().At(r) {
		h.Set(protocol.HeaderVersion, string(r))
	}
	exchange, err := put(ctx, c, Outgoing{Method: http.MethodDelete, Header: h})
	if err != nil {
		return
	}
	_, _, _ = c.await(ctx, mark, within(c.setup.Waits.Event), ends(exchange))
}
