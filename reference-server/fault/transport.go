package fault

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
)

// Stdio holds the hooks of the stdio front.
type Stdio struct {
	// Start may write to stdout and stderr before any input is read.
	Start func(out, errw io.Writer)
	// Line rewrites one outgoing line, its newline included, as it is written.
	Line func(x Exchange, line []byte) []byte
	// Input replaces the input of the server.
	Input func(in io.Reader) io.ReadCloser
	// Garbage decides what follows a line that is not JSON, in place of the -32700
	// answer.
	Garbage func() Verdict
	// End may write to stdout between the end of standard input and the exit.
	End func(out io.Writer)
	// IgnoreEOF keeps the process alive after its standard input has ended.
	IgnoreEOF bool
	// IgnoreEarlyEOF is IgnoreEOF where no message has come before.
	IgnoreEarlyEOF bool
	// IgnoreBusyEOF is IgnoreEOF where a request is being served.
	IgnoreBusyEOF bool
	// IgnoreTerm makes the server ignore SIGTERM.
	IgnoreTerm bool
	// ExitCode is the exit code after standard input has ended.
	ExitCode int
}

// A Stream is a stream for messages over HTTP.
type Stream string

// The streams of a session, and the streams that a client may get in place of its own.
const (
	Own      Stream = "own"      // the stream of the request; for a client that resumes, the stream of its last event
	Standing Stream = "standing" // the stream that GET opened
	Shared   Stream = "shared"   // the standing stream, for each client that opens it
	All      Stream = "all"      // the standing streams of all sessions
	Another  Stream = "another"  // the stream of another request, for one message of each
	Newest   Stream = "newest"   // the stream that was opened last
	Anywhere Stream = "anywhere" // the stream of the last event, in any session
	Again    Stream = "again"    // the stream of the last event, from that event on
	Body     Stream = "body"     // over HTTP+SSE: the body of the POST, and not a stream
)

// HTTP holds the hooks of the HTTP front.
type HTTP struct {
	// Head rewrites the status and the headers of a response as they are sent.
	Head func(x Exchange, status int, header http.Header) int
	// Event rewrites the text of one server-sent event, its blank line included.
	Event func(x Exchange, event string) string
	// Serve answers a request itself; false leaves the request to the server.
	Serve func(w http.ResponseWriter, r *http.Request) bool
	// AlwaysStream answers every request with an event stream, except for errors with
	// a status of their own.
	AlwaysStream bool
	// KeepStream leaves a stream open after the response was sent.
	KeepStream bool
	// Route selects the streams for a message of a session, and, without a message,
	// the stream for a client that opens or resumes one. A nil Route or result leaves
	// the choice to the server.
	Route func(x Exchange, m Message) []Stream
	// CancelsLost treats a lost connection as the cancellation of the session's
	// request.
	CancelsLost bool
	// CancelsAll treats a lost connection of a modern request as the cancellation of every
	// modern request.
	CancelsAll bool
	// MovesLost lets a modern call continue after its connection was lost, and sends what the
	// call reports from then on on the streams of all other calls.
	MovesLost bool
	// Sessionless creates no sessions: each request of the handshake era is served on
	// its own, and the only streams are those of answers.
	Sessionless bool
	// EndsAll ends every session where a client ends its own.
	EndsAll bool
	// SessionID makes the ids of sessions; number counts the sessions from 1.
	SessionID func(number int) string
	// EchoSession adds a session id to modern answers.
	EchoSession bool
	// Everywhere makes the server listen on all addresses of the machine.
	Everywhere bool
	// Conn wraps a connection before net/http reads and corrects its bytes.
	Conn func(net.Conn) net.Conn
}

// Auth holds the hooks of the auth mode, in which the server demands tokens of its own
// authorization server. A fault with an Auth runs the server in that mode.
type Auth struct {
	// Answer rewrites answers outside the protocol: metadata, refusals, and answers of
	// the authorization server.
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

// EndsAt is an Input that ends at the first line of this kind, and the process with it.
func EndsAt(which func(line []byte) bool) func(io.Reader) io.ReadCloser {
	return func(in io.Reader) io.ReadCloser {
		out, cut := io.Pipe()
		go func() {
			lines := bufio.NewReader(in)
			for {
				line, err := lines.ReadBytes('\n')
				if err == nil && which(bytes.TrimSpace(line)) {
					err = io.EOF
				}
				if err != nil {
					_ = cut.CloseWithError(err) // CloseWithError never fails
					return
				}
				if _, gone := cut.Write(line); gone != nil {
					return
				}
			}
		}()
		return out
	}
}
