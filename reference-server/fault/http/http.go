// Package http holds the ways to break basic/transports#streamable-http.
package http

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat(
		origins(),
		receiving(),
		versionHeader(), methodHeader(), nameHeader(), base64Form(), paramHeaders(), mismatch(),
		earlier(),
		[]fault.Fault{
			session("http-session-id-beyond-ascii", "session ids end in a letter that is not ASCII", "é"),
			session("http-session-id-with-blank", "session ids contain a blank", " 1"),
		},
	)
}

// session adds something to every session id, and takes it off where it comes
// back.
func session(name, title, added string) fault.Fault {
	return fault.Fault{
		Name:   name,
		Title:  title,
		Breaks: "http-session-id-visible-ascii",
		Kills:  []string{"http/session-id-visible-ascii"},
		In:     []fault.Column{{Revision: requirements.R20251125, Transport: requirements.HTTP}},
		HTTP: fault.HTTP{
			Head: func(_ fault.Exchange, status int, header http.Header) int {
				if id := header.Get(headerSession); id != "" {
					header.Set(headerSession, id+added)
				}
				return status
			},
			Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				if id, ok := strings.CutSuffix(r.Header.Get(headerSession), added); ok {
					r.Header.Set(headerSession, id)
				}
				return false
			},
		},
	}
}
