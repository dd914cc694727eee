// Package discover learns about the server under test: which revisions the server speaks,
// and which capabilities, lists and extensions it offers. Discovery judges nothing.
package discover

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Look asks one transport of the target.
type Look struct {
	Transport requirements.Transport
	Setup     probe.Setup // without revision and survey
	Visited   *Visited    // of the same server

	Extensions []suite.Extension // the extensions whose claims discovery looks for
	Forced     []string          // claimed because the operator says so
	Suppressed []string          // not judged because the operator says so
}

// Found is what discovery learned about one transport of the target.
type Found struct {
	Legacy    []requirements.Revision // handshake revisions it speaks, oldest first
	Modern    bool                    // it serves requests without a handshake
	Supported []string                // listed by server/discover
	Unknown   []requirements.Revision // asked for twice, and never answered in time
	NotNow    []NotNow                // refused twice with a status that is about the moment
	Denied    []requirements.Revision // asked for beside others, and refused like any further session may be
	Sessions  bool
	Refused   bool // an initialize was refused with an HTTP status of 4xx, or got an event stream of HTTP+SSE
	Together  bool // the end of one session over HTTP is that of another
	Hurried   bool // over HTTP an opening was answered that was not answered in time beside others
	Tolerance tolerance.Tolerance
	Tried     []string // the requests and their outcomes, when no revision was found
	Stderr    string   // of the first process that ended instead of an answer, redacted
	unended   string   // what it left on stdout without a line break, where nothing is answered
	Barrier   Barrier  // the login or redirect that turned the kit away
	// Started is how long the server took to give its first answer.
	Started time.Duration

	look Look
	main requirements.Revision // the revision of the first session over HTTP, which may be the only one
	pace pace
	open kept // connections that a survey may take over

	mu       bubblelock.Mutex // locked while discovery asks the server
	versions probe.Versions
	unasked  []requirements.Revision
}

// NotNow is a revision that was asked for twice, and the HTTP status that the last answer had.
type NotNow struct {
	Revision requirements.Revision
	Status   int
}

// opened is a connection that can be used at a revision.
type opened struct {
	control *probe.Control
	reply   *probe.Reply // to initialize or server/discover
}

// kept holds one connection for each revision.
type kept struct {
	mu sync.Mutex
	by map[requirements.Revision]opened
}

// put keeps a connection for a survey.
func (k *kept) put(r requirements.Revision, o opened) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil {
		k.by = map[requirements.Revision]opened{}
	}
	k.by[r] = o
}

func (k *kept) has(r requirements.Revision) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.by[r]
	return ok
}

// take removes a connection and returns it, or returns the zero value.
func (k *kept) take(r requirements.Revision) opened {
	k.mu.Lock()
	defer k.mu.Unlock()
	o := k.by[r]
	delete(k.by, r)
	return o
}

// Close closes the connections that no survey took over. When ctx ends, Close stops
// waiting for the server.
func (f *Found) Close(ctx context.Context) {
	var closing sync.WaitGroup
	for _, r := range requirements.Revisions() {
		if c := f.open.take(r).control; c != nil {
			closing.Go(func() { _ = c.Close(ctx) })
		}
	}
	closing.Wait()
}

// Revisions lists the revisions that the server speaks over the transport, oldest first.
func (f *Found) Revisions() []requirements.Revision {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.Legacy)
	if f.Modern {
		all = append(all, requirements.R20260728)
	}
	return all
}

// Eras lists the ways of opening that the server knows.
func (f *Found) Eras() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var eras []string
	if len(f.Legacy) > 0 {
		eras = append(eras, "handshake")
	}
	if f.Modern {
		eras = append(eras, "stateless")
	}
	return eras
}

// Versions gives the revisions that the server was seen to speak. Versions first asks for
// the revisions that discovery has not asked for yet.
func (f *Found) Versions(ctx context.Context) (probe.Versions, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rest := f.unasked; len(rest) > 0 {
		round := f.ask(ctx, rest, len(rest))
		if ctx.Err() != nil {
			round.close(ctx)
			return probe.Versions{}, ctx.Err()
		}
		f.unasked = nil
		for _, a := range round {
			f.add(a)
		}
		round.close(ctx)
		f.heard()
	}
	return f.versions, nil
}

// heard counts a revision as spoken that the server only offered in place of another.
func (f *Found) heard() {
	for _, offered := range f.versions.Offered {
		if r := requirements.Revision(offered); protocol.HasHandshake(offered) && !slices.Contains(f.Legacy, r) {
			f.Legacy = append(f.Legacy, r)
		}
	}
	slices.Sort(f.Legacy)
}

func (f *Found) add(a answer) {
	f.Tried = append(f.Tried, a.said)
	f.Stderr = cmp.Or(f.Stderr, a.stderr)
	if f.Barrier == (Barrier{}) {
		f.Barrier = a.barrier
	}
	f.Sessions = f.Sessions || a.sessions
	f.Refused = f.Refused || a.refused
	if a.limited {
		f.NotNow = append(f.NotNow, NotNow{a.asked, a.on.reply.Status()})
	}
	switch r := a.asked; {
	case a.denied():
		f.Denied = append(f.Denied, r)
	case a.silent:
		f.Unknown = append(f.Unknown, r)
	case r.Modern():
		f.Modern, f.Supported = a.modern, a.listed
	case a.version == string(r):
		f.Legacy = append(f.Legacy, r)
		f.versions.Echoed = append(f.versions.Echoed, r)
		slices.Sort(f.versions.Echoed)
	case a.version != "":
		f.versions.Offered = append(f.versions.Offered, a.version)
		slices.Sort(f.versions.Offered)
		f.versions.Offered = slices.Compact(f.versions.Offered)
	}
}
