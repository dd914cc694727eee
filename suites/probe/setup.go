// Package probe is the kit's own end of a conversation with the server under
// test: it asks well, asks badly, listens, and judges what came back. It never
// repairs a message, and it says nothing that a case did not ask it to say
// except to answer the server's own requests politely.
package probe

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Conn carries frames to the server and back. Next returns sent frames as
// well, so that one reader sees the whole conversation in order.
type Conn interface {
	Send(ctx context.Context, out Outgoing) (exchange int, err error)
	Next(ctx context.Context) (frame.Frame, error)
	Abort(exchange int)
	CloseInput() error
	Terminate() error
	Close(ctx context.Context) error
}

// Outgoing is one frame to be sent.
type Outgoing = frame.Outgoing

// A Link is a new connection and the watchers that see its frames.
type Link struct {
	Conn  Conn
	Watch func(Seen)
}

// A Setup tells a client about its column, before the client says a word.
type Setup struct {
	Revision     requirements.Revision
	Transport    requirements.Transport
	Survey       *Survey
	Roles        roles.Set
	Schemas      *schemas.Library
	Capabilities Object // what the client declares
	Kit          Object // the kit's name and version for the server
	Memory       *Memory
	Patience     *Patience // of the server; nil: every answer is awaited for the full time
	Thorough     bool      // the case waits in full for every answer
	Owned        []Owned   // parts of messages that cases of the run judge
	Waits        Waits

	// Dial opens one more connection to the target.
	Dial func(ctx context.Context) (Link, error)
	// Run runs a command of a role, on the kit's own machine.
	Run func(ctx context.Context, argv []string) error
	// Address is the URL of the target; empty over stdio.
	Address string
	// HTTP2: the target speaks HTTP/2, in which Bent cannot write requests.
	HTTP2 bool
	// Mint gets a token for a scope and a resource; nil where the configuration
	// has no command for that.
	Mint func(ctx context.Context, scope, resource string) (string, error)
	// Hide keeps a text out of all later reports.
	Hide func(text string)
	// Documents are the documents that the target serves beside its endpoint.
	Documents Documents
	// Offer serves data for the target to fetch; nil: nothing can be served.
	Offer Offer
	// Nonce gives fresh text from the seed.
	Nonce func() string
	// Case is the case that the conversation is for; empty until it is known.
	Case string
	// Most is how many bytes of memory the frames of one conversation may take; 0:
	// 64 MiB.
	Most int64
	// Held counts the bytes that all conversations of a run keep together; the kit
	// stops reading beyond 256 MiB.
	Held *atomic.Int64

	shown http.Header // the credentials of another principal than the first; headers that the case sets win
}

const heldMost = 256 << 20

// hold adds to the bytes that a conversation keeps, or subtracts where n is
// negative, and reports whether there is room.
func hold(held *atomic.Int64, n int64) bool {
	return held == nil || held.Add(n) <= heldMost
}
