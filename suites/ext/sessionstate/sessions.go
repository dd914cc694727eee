package sessionstate

import (
	"slices"
	"strings"
	"time"

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
		stateful("session-began", "session objects of one session_id have one created_at", "ext-state-object",
			"keep created_at with the state, and give each session that begins an id of its own", sessionBegan),
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
	if !ok || !isSession(found.Value) && found.Place != "_meta["+proposal.Prefix+"session]" {
		return probe.Nothing() // the bare name may mean something else
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

// sessionBegan compares a session with what a call in it says later, and with another one that
// begins. A caller may have one session for all of its calls; then it began once. Some answers
// may round the time.
func sessionBegan(x *carrier) error {
	began := func(reply *probe.Reply) (id string, at time.Time, ok bool) {
		result, _ := reply.Result()
		found, _ := state(result, "session", proposal.Explicit(x.Client, "session-state"))
		session := probe.ObjectOf(found.Value)
		at, dated := proposal.Moment(session["created_at"])
		id = probe.TextOf(session["session_id"])
		return id, at, dated && id != ""
	}
	first := x.call("first", nil)
	id, at, ok := began(first)
	x.NotSeenIf(!ok, "the answer of the first call has no session object")
	token, _ := x.token(first)
	x.Pause(10 * time.Millisecond) // what begins now begins at another time
	for _, reply := range []*probe.Reply{x.call("second", token), x.call("first", token), x.call("first", nil)} {
		other, later, ok := began(reply)
		if !ok || other != id || later.Equal(at) || later.Equal(at.Truncate(time.Second)) || at.Equal(later.Truncate(time.Second)) {
			continue
		}
		return probe.Shown(first, reply).Violation(
			"created_at of the session %q is %s in one answer and %s in another, want one for each session",
			id, at.Format(time.RFC3339Nano), later.Format(time.RFC3339Nano)).AtMostWarn()
	}
	return nil
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
