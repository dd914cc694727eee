package fault

import (
	"io"
	"net"
	"net/http"
)

// Stdio holds the hooks of the stdio front.
type Stdio struct {
	// Start may write to stdout and stderr before anything is read.
	Start func(out, errw io.Writer)
	// Line rewrites one outgoing line, its newline included, as it is written.
	Line func(x Exchange, line []byte) []byte
	// Input replaces what the server reads.
	Input func(in io.Reader) io.ReadCloser
	// Garbage says what happens after a line that is no JSON. It replaces the
	// -32700 answer.
	Garbage func() Verdict
	// End may write to stdout when standard input has ended, before the exit.
	End func(out io.Writer)
	// IgnoreEOF keeps the process alive after its standard input has ended.
	IgnoreEOF bool
	// IgnoreTerm makes SIGTERM do nothing.
	IgnoreTerm bool
	// ExitCode is the exit code after standard input has ended.
	ExitCode int
}

// A Stream is one that a message may go out on over HTTP.
type Stream string

// The streams of a session, and what a client may be given in place of one.
const (
	Own      Stream = "own"      // that of the request; for a client that comes back, that of its last event
	Standing Stream = "standing" // the one that GET opened
	Shared   Stream = "shared"   // the standing one, for each client that asks for it
	All      Stream = "all"      // the standing streams of all sessions
	Another  Stream = "another"  // that of another request, for one message of each
	Newest   Stream = "newest"   // the one that was opened last
	Anywhere Stream = "anywhere" // that of the last event, in whatever session it was sent
	Body     Stream = "body"     // none: over HTTP+SSE, the body of the POST
)

// HTTP holds the hooks of the HTTP front.
type HTTP struct {
	// Head rewrites the status and the headers of a response as they are sent.
	Head func(x Exchange, status int, header http.Header) int
	// Event rewrites the text of one server-sent event, its blank line included.
	Event func(x Exchange, event string) string
	// Serve takes a request over entirely; false leaves it to the server.
	Serve func(w http.ResponseWriter, r *http.Request) bool
	// AlwaysStream answers every request by an event stream, but for errors with a
	// status of their own.
	AlwaysStream bool
	// KeepStream leaves a stream open after the response was sent.
	KeepStream bool
	// Route says on which streams a message of a session goes out, and which stream a
	// client is given that asks for one: there is no message then. Nil leaves it to the
	// server.
	Route func(x Exchange, m Message) []Stream
	// CancelsLost takes a lost connection as the cancellation of a request of a session.
	CancelsLost bool
	// Sessionless hands out no sessions: each request of the handshake era stands for
	// itself, and there are no streams but those that answer.
	Sessionless bool
	// SessionID makes the ids of sessions, which are counted from 1.
	SessionID func(number int) string
	// EchoSession puts a session id on modern answers.
	EchoSession bool
	// Everywhere has the server listen on all addresses of the machine.
	Everywhere bool
	// Conn stands between a connection and net/http, which mends what it reads.
	Conn func(net.Conn) net.Conn
}

// Auth holds the hooks of the auth mode, in which the server asks for a token of its
// own authorization server. A fault that has it runs the server in that mode.
type Auth struct {
	// Answer rewrites what is answered to a request beside the protocol, or instead of
	// serving one: metadata, refusals, and what the authorization server says.
	Answer func(r *http.Request, status int, header http.Header, body []byte) (int, []byte)
}

// Status gives some responses another status than the usual one.
func Status(usual, instead int, which func(Exchange) bool) HTTP {
	return HTTP{Head: func(x Exchange, status int, _ http.Header) int {
		if status == usual && which(x) {
			return instead
		}
		return status
	}}
}
