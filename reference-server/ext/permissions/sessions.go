package permissions

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// maxSessions is the size of the store: beyond it the store forgets the oldest
// session.
const maxSessions = 4096

// A session records the granted scopes, their principal and their end. The client gets
// a random token for the session: a token contains nothing that a client could change.
type session struct {
	token     string
	principal string
	scopes    []string
	expires   time.Time
	idle      time.Duration // how long the session may stay unused; zero: until it expires
	used      time.Time
}

type sessions struct {
	mu    sync.Mutex
	by    map[string]*session
	order []string // tokens, the oldest first
}

func (s *sessions) open(f Switches, principal string, scopes []string, now time.Time, lifetime, idle time.Duration) (session, error) {
	random := make([]byte, 18)
	if _, err := rand.Read(random); err != nil {
		return session{}, err
	}
	made := &session{
		token: "hs_" + base64.RawURLEncoding.EncodeToString(random), principal: principal, scopes: scopes,
		expires: now.Add(lifetime), idle: idle, used: now,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]*session{}
	}
	if f.CountedTokens {
		made.token = fmt.Sprintf("hs_session-%08d", 17+len(s.order))
	}
	s.by[made.token] = made
	s.order = append(s.order, made.token)
	if len(s.order) > maxSessions {
		delete(s.by, s.order[0])
		s.order = s.order[1:]
	}
	return *made, nil
}

// find looks a session up and marks it as used if it has not ended.
func (s *sessions) find(token string, now time.Time, ended func(session, time.Time) bool) (found session, known, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, known := s.by[token]
	switch {
	case !known:
		return session{}, false, false
	case ended(*one, now):
		return *one, true, true
	}
	one.used = now
	return *one, true, false
}

// session lists the scopes of a token. A token is bound to the principal of its
// session: for any other principal the token is unknown.
func (d *desk) session(t *core.Turn, token string) ([]string, *refusal) {
	found, known, over := d.sessions.find(token, d.Now(), d.Faults.ended)
	switch {
	case d.Faults.acceptsForged(&d.sessions, token, known):
		return names(), nil
	case !known || found.principal != d.holder(t, found.scopes):
		return nil, d.Faults.naming(&d.sessions, unknownToken())
	case over:
		return nil, endedToken()
	case d.Faults.TokenOpensAll:
		return names(), nil
	}
	return found.scopes, nil
}

// ended tells whether a session is over: it has expired, or was unused for too long.
func (f Switches) ended(s session, now time.Time) bool {
	expired := !now.Before(s.expires)
	idle := s.idle > 0 && now.Sub(s.used) > s.idle
	return expired && !f.NeverExpires || idle && !f.NeverIdle
}
