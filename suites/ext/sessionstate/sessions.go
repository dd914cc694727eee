package sessionstate

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func sessions() []suite.Case {
	return []suite.Case{
		{
			ID: "ext-session-state/session-shape", Title: "a session object names the session, its state and its time",
			Checks: checks("ext-state-object"),
			Fix:    "give session_id, state and created_at, and dates as RFC 3339 text",
			Sees:   "a session object", Watch: probe.OnResult("tools/call", sessionShape),
		},
		{
			ID: "ext-session-state/lifecycle-shape", Title: "a lifecycle event says what happened, to which session and when",
			Checks: checks("ext-state-lifecycle-events"),
			Fix:    "send type (session_created, session_renewed, session_expired or session_invalidated), session_id and timestamp",
			Sees:   "an event of a session", Watch: probe.OnBinding(lifecycleShape),
		},
	}
}

func sessionShape(a probe.Answer) probe.Opinion {
	found, ok := told(a, "session")
	if !ok || !isSession(found.Value) {
		return probe.Nothing()
	}
	if said := proposal.Fits(a.Message, "session-state", "Session", found.Place, found.Value); said.Violation() != nil {
		return said
	}
	session := probe.ObjectOf(found.Value)
	created, _ := proposal.Moment(session["created_at"])
	if end, given := proposal.Moment(session["expires_at"]); given && !end.After(created) {
		return probe.Breaks("%s.expires_at is %s and created_at %s, want an end that is later", found.Place,
			probe.Show(session["expires_at"]), probe.Show(session["created_at"]))
	}
	return probe.Kept()
}

// lifecycleShape reads events by their method, or by their type where the method is
// another one.
func lifecycleShape(m probe.Message) probe.Opinion {
	if m.Class != frame.Notification {
		return probe.Nothing()
	}
	params := probe.ObjectOf(m.Members["params"])
	types := []string{"session_created", "session_renewed", "session_expired", "session_invalidated"}
	if !strings.HasSuffix(m.Method, "session/lifecycle") && !slices.Contains(types, probe.TextOf(params["type"])) {
		return probe.Nothing()
	}
	return proposal.Fits(m, "session-state", "LifecycleEvent", "$.params", params)
}
