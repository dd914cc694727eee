package evidence

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// AccessRefusal says how the server refused something in these frames for a reason
// that has nothing to do with what was asked: missing credentials, a quota, an
// outage. Rules about what was asked are not broken by that. For rules about access
// credentials are no such reason.
func AccessRefusal(frames []frame.Frame, access bool) (how string, ok bool) {
	for _, f := range frames {
		if f.Dir == frame.Sent {
			continue
		}
		if f.Kind == frame.KindHead && f.HTTP != nil && (slices.Contains(busyStatuses(), f.HTTP.Status) ||
			!access && (f.HTTP.Status == http.StatusUnauthorized || scoped(*f.HTTP))) {
			return fmt.Sprintf("HTTP status %d", f.HTTP.Status), true
		}
		if f.Kind != frame.KindMessage {
			continue
		}
		for _, m := range probe.Singles(f.Message()) {
			if text, ok := limited(m); ok {
				return "the error " + probe.Show(text), true
			}
		}
	}
	return "", false
}

// busyStatuses are those that say nothing of what was asked or who asked: the last
// three come from what stands in front of a server.
func busyStatuses() []int {
	return []int{
		http.StatusTooManyRequests, http.StatusServiceUnavailable,
		http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout,
	}
}

// scoped reports whether credentials do not reach as far as the request: a 403
// says so by its challenge. Another 403 may be about an Origin.
func scoped(h frame.HTTP) bool {
	return h.Status == http.StatusForbidden && slices.ContainsFunc(h.Header.Values("WWW-Authenticate"), func(challenge string) bool {
		return strings.Contains(challenge, "insufficient_scope")
	})
}

var limits = regexp.MustCompile(`(?i)rate.?limit|too many (requests|calls)|throttl|quota`)

// limited recognises the refusal of a request that came too soon. There is no
// code for it, so the words have to do; what the protocol has codes for is
// meant as those say.
func limited(m frame.Message) (text string, ok bool) {
	if m.Class != frame.Error {
		return "", false
	}
	value, _ := m.At("/error/code")
	code, _ := frame.Integer(probe.JSON(value))
	switch code {
	case protocol.ParseError, protocol.InvalidRequest, protocol.MethodNotFound, protocol.InvalidParams:
		return "", false
	}
	message, _ := m.At("/error/message")
	text, _ = message.(string)
	return text, limits.MatchString(text)
}
