package permissions

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The limits of a session's life. A session without a requested ttl lives as long as
// it is used, up to the longest life; unused it ends after the usual time.
const (
	usualSession   = 15 * time.Minute
	longestSession = time.Hour
)

// A negotiation is the content of a scopes/negotiate.
type negotiation struct {
	Requested     *[]*string `json:"requested_scopes"`
	Justification *string    `json:"justification"`
	TTL           *int64     `json:"ttl_seconds"`
}

// negotiate opens a session. Each requested scope is either granted or denied with a
// reason, and no other scope is granted.
func (d *desk) negotiate(t *core.Turn) (fault.Message, *core.Error) {
	w, refusal := d.wish(t)
	if refusal != nil {
		return nil, refusal.failure(t)
	}
	// A session never grows out of another: with a token, the scopes of its session
	// are the most that can be granted.
	most := grantable(t.Principal())
	if token, refusal := d.token(t); refusal != nil {
		return nil, refusal.failure(t)
	} else if token != "" {
		if most, refusal = d.session(t, token); refusal != nil {
			return nil, refusal.failure(t)
		}
	}
	granted, denied := []string{}, []any{}
	for _, scope := range w.scopes() {
		if slices.Contains(most, scope) {
			granted = append(granted, scope)
			continue
		}
		denied = append(denied, map[string]any{"scope": scope, "reason": whyNot(scope)})
	}
	s, err := d.sessions.open(d.Faults, d.holder(t, granted), d.Faults.opens(granted, w.scopes()), d.Now(), w.lifetime(), w.idle())
	if err != nil {
		return nil, &core.Error{Code: core.InternalError, Message: "no token could be made"}
	}
	if d.Faults.GrantKept {
		d.kept.add(t.Principal(), granted)
	}
	told := map[string]any{"token": s.token, "scopes": granted, "expires_at": s.expires.UTC().Format("2006-01-02T15:04:05.000Z")}
	if s.idle > 0 {
		told["inactivity_timeout_seconds"] = int(s.idle.Seconds())
	}
	return fault.Message{"granted_scopes": granted, "denied_scopes": denied, "session": told}, nil
}

func (d *desk) wish(t *core.Turn) (negotiation, *refusal) {
	var w negotiation
	params := t.Params()
	if d.Faults.Coaxes {
		params = requestEveryScope(params)
	}
	switch err := json.Unmarshal(params, &w); {
	case err != nil:
		return w, malformed("requested_scopes is not an array of strings, justification is not a string, or ttl_seconds is not an integer")
	case w.Requested == nil || slices.Contains(*w.Requested, nil):
		return w, malformed("requested_scopes is not an array of strings")
	case w.TTL != nil && *w.TTL < 1:
		return w, malformed("ttl_seconds is not a positive integer")
	}
	return w, nil
}

// scopes lists the requested scopes without repeats.
func (w negotiation) scopes() []string {
	var scopes []string
	for _, scope := range *w.Requested {
		if !slices.Contains(scopes, *scope) {
			scopes = append(scopes, *scope)
		}
	}
	return scopes
}

// lifetime is at most the requested ttl.
func (w negotiation) lifetime() time.Duration {
	if w.TTL == nil || *w.TTL > int64(longestSession/time.Second) {
		return longestSession
	}
	return time.Duration(*w.TTL) * time.Second
}

// idle is how long a session may stay unused; zero is its whole life. A client that
// requested a ttl counts as done after a thirtieth of the ttl without a request.
func (w negotiation) idle() time.Duration {
	const part, least = 30, time.Second
	switch {
	case w.TTL == nil:
		return usualSession
	case w.lifetime() < part*least:
		return 0
	default:
		return (w.lifetime() / part).Truncate(least)
	}
}

func whyNot(scope string) string {
	if slices.Contains(names(), scope) {
		return "Needs the approval of the harbour master, or a session that has it."
	}
	return "There is no such scope."
}
