package evidence

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// AccessRefusal says how the server refused a request for a reason that is independent of
// the request: missing credentials, a quota, an outage. Such a refusal breaks no rule about
// the request. For a rule about access, missing credentials are not such a reason.
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

// RefusedAccess is the reason of a case that such a refusal kept from a verdict.
func RefusedAccess(how string) reports.Reason {
	text, advice := "the server refused access (", "show credentials that allow it, lower --jobs, raise its limits, "+
		"or look at what stands between here and the server"
	if limits.MatchString(how) {
		text, advice = "the server limits how often it is asked (", slower
	}
	return reports.Reason{Kind: reports.Undecided, Text: text + how + "), so this rule could not be judged; " + advice}
}

// slower is what helps where a server limits how often it is asked.
const slower = "raise its limit for this kit, or set " + reports.RateKey + " in mcp-conform.yaml"

var refusal = regexp.MustCompile(`HTTP status (401|408|429|502|503|504) without a JSON-RPC response`)

// TellsOfRefusal reports whether a reason ends with such a refusal: then it is not known
// whether the occasion for the rule would have come.
func TellsOfRefusal(reason string) bool { return refusal.MatchString(reason) }

// busyStatuses are the statuses that depend neither on the request nor on credentials. A
// proxy in front of the server sends the last three.
func busyStatuses() []int {
	return []int{
		http.StatusTooManyRequests, http.StatusServiceUnavailable,
		http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout,
	}
}

// scoped reports whether the credentials lack a scope that the request needs: the
// challenge of a 403 says so. A 403 without that challenge may be about the Origin.
func scoped(h frame.HTTP) bool {
	return h.Status == http.StatusForbidden && slices.ContainsFunc(h.Header.Values("WWW-Authenticate"), func(challenge string) bool {
		return strings.Contains(challenge, "insufficient_scope")
	})
}

var limits = regexp.MustCompile(`(?i)rate.?limit|too many (requests|calls)|throttl|quota`)

// limited recognises the refusal of a request that exceeds a rate limit. JSON-RPC has no
// code for that, so limited reads the message. An error with a code of the protocol means
// what the protocol says.
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

// limitedTool is the text of a tool that failed because of a rate limit, often one of what
// stands behind the tool.
func limitedTool(m frame.Message) (text string, ok bool) {
	if flag, _ := m.At("/result/isError"); m.Class != frame.Result || flag != true {
		return "", false
	}
	content, _ := m.At("/result/content/0/text")
	text, _ = content.(string)
	return text, limits.MatchString(text)
}
