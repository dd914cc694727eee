package frame

import "net/http"

// Unrecorded is the error of a frame that a recording of a server does not hold.
type Unrecorded struct{ Method string }

func (u *Unrecorded) Error() string { return "the recording holds no answer to " + u.Method }

// Outgoing is one frame to be sent.
type Outgoing struct {
	Text         string
	Unterminated bool        // stdio: no newline follows
	Cut          int         // how many bytes are written first; the rest follows a moment later
	Method       string      // HTTP: POST unless set
	URL          string      // HTTP: instead of the target's, and relative to it
	Header       http.Header // HTTP: replaces the defaults; no value removes a header

	// Bend changes the request on the wire just before it is sent over HTTP, in
	// ways that net/http cannot. Such a request has a TCP connection of its own.
	Bend func(*HTTPRequest)

	// For names the column and the case that the frame is sent for.
	For string
}
