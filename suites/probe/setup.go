// Package probe is the kit's own end of a conversation with the server under
// test: it asks well, asks badly, listens, and judges what came back. It never
// repairs a message, and it says nothing that a case did not ask it to say
// except to answer the server's own requests politely.
package probe

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Conn carries frames to the server and back. Sent frames come out of Next
// as well, so that one reader sees the whole conversation in order.
type Conn interface {
	Send(ctx context.Context, out Outgoing) (exchange int, err error)
	Next(ctx context.Context) (frame.Frame, error)
	Abort(exchange int)
	CloseInput() error
	Terminate() error
	Close(ctx context.Context) error
}

// Outgoing is one frame to be sent. Header and Method mean something over
// HTTP only; a header with no values is taken out.
type Outgoing struct {
	Text   string
	Header http.Header
	Method string
}

// A Link is a new connection and the watchers that are to see its frames.
type Link struct {
	Conn  Conn
	Watch func(Seen)
}

// A Setup is what a client is told about its column before it says a word.
type Setup struct {
	Revision     requirements.Revision
	Transport    requirements.Transport
	Survey       *Survey
	Roles        roles.Set
	Schemas      *schemas.Library
	Capabilities Object // what the client declares of itself
	Kit          Object // how the client introduces itself
	Memory       *Memory
	Waits        Waits

	// Dial reaches the same target once more, on a connection of its own.
	Dial func(ctx context.Context) (Link, error)
	// Run runs a command that a role names, on the kit's own machine.
	Run func(ctx context.Context, argv []string) error
	// Nonce gives fresh text from the seed.
	Nonce func() string
	// Case is the case that the conversation is for; empty until it is known.
	Case string
	// Most is how many bytes of one conversation are kept; 0: 128 MiB.
	Most int64
	// Held is how many bytes all conversations of a run keep together; those of
	// a flood are no longer read beyond a GiB.
	Held *atomic.Int64
}

const heldMost = 1 << 30

// hold counts bytes that a conversation keeps, or with a negative number no
// longer keeps, and reports whether there is room for them.
func hold(held *atomic.Int64, n int64) bool {
	return held == nil || held.Add(n) <= heldMost
}

func (s Setup) most() int64 {
	if s.Most > 0 {
		return s.Most
	}
	return 128 << 20
}

// Waits are the durations a case may let pass.
type Waits struct {
	Answer     time.Duration // how long an answer is awaited
	Event      time.Duration // how long a wanted notification, or an optional answer, is awaited
	DefaultTTL time.Duration
	Max        time.Duration
	Ping       time.Duration // a slower ping is worth a warning
	Pages      int           // pages of one list
	Reads      int           // items tried as a sample
}

// A Survey is what discovery learned about one column of the target.
type Survey struct {
	Capabilities Object
	ServerInfo   Object
	Lists        map[string][]any // by list method: the items of all pages that were read
	Safe         []roles.Call     // of tools annotated as read-only, with arguments made up from their schemas; nothing to expand
	Traits       map[Trait]bool
	Claims       map[string]Claim
	Versions     Versions
	RoundTrip    time.Duration // a usual time between a request and its answer
}

// Versions is which revisions the target was seen to speak.
type Versions struct {
	Echoed    []requirements.Revision // asked for in a handshake and given back
	Offered   []string                // named by the server instead of what was asked
	Supported []string                // listed by server/discover
}

// A Claim is how strongly the server claims an extension, and where.
type Claim struct {
	Strength Strength
	Where    string
}

// Strength says how much a claim may cost the server that makes it.
type Strength string

// The strengths. Weak evidence makes cases run and never fails anybody.
const (
	Explicit Strength = "explicit"
	Strong   Strength = "strong"
	Weak     Strength = "weak"
)
