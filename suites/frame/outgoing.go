package frame

import "net/http"

// Outgoing is one frame to be sent.
type Outgoing struct {
	Text         string
	Unterminated bool        // stdio: no newline is put behind it
	Cut          int         // stdio: so many bytes are written first, and the rest a moment later
	Method       string      // HTTP: POST unless set
	URL          string      // HTTP: instead of the target's, and relative to it
	Header       http.Header // HTTP: over the defaults; no value removes a header

	// Bend changes the request as it stands on the wire, just before it is sent,
	// over HTTP: for what net/http cannot say. Such a request has a TCP connection of
	// its own.
	Bend func(*HTTPRequest)
}
