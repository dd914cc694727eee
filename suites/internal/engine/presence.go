package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A presence is what a run knows of whether one transport of the target is
// still there. A server that ends in mid-run cannot be judged any further, and
// every case after that would blame it anew for the same thing.
type presence struct {
	url string // where the target listens; empty when each connection starts a server

	// only is held by the one case that may have a process, where the server
	// bears no second one beside it.
	only      sync.Mutex
	exclusive bool

	mu       sync.Mutex
	running  map[string]int // cases under way, over all columns of the transport
	gone     string         // the case in which it was noticed that nothing listens any more
	unopened string         // the case that got no connection first, although the opening works
	refusals int            // cases in a row that got none
}

// hopeless is how many cases in a row get no connection before the rest does
// not try any more: each would wait for answers that do not come.
const hopeless = 3

func newPresence(r Reach) *presence { return &presence{url: r.URL, running: map[string]int{}} }

// enter counts a case as under way until it leaves.
func (p *presence) enter(id string) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[id]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.running[id]--; p.running[id] == 0 {
			delete(p.running, id)
		}
	}
}

// beside lists the other cases that are under way.
func (p *presence) beside(id string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.running)), func(other string) bool { return other == id })
}

// lost is the finding of a case whose turn comes when nothing listens any more.
func (g *Gathering) lost(s Spec) (reports.Finding, bool) {
	p := g.presences[s.Column.Transport]
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone != "":
		return skipped(g.finding(s), gone(p)), true
	case p.refusals >= hopeless:
		return skipped(g.finding(s), blocked(p.unopened, "no connection could be opened any more since "+p.unopened)), true
	}
	return reports.Finding{}, false
}

func gone(p *presence) reports.Reason {
	return blocked(p.gone, "nothing listens at "+p.url+" any more since "+p.gone)
}

// trace follows an outcome back to the loss of the server, if that is where it
// comes from. A case that passed stands whatever happened.
func (g *Gathering) trace(ctx context.Context, s Spec, f reports.Finding, held turn) reports.Finding {
	p := g.presences[s.Column.Transport]
	switch {
	case f.Status == reports.Pass:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refusals = 0
		return f
	case cutShort(ctx):
		return f
	case !g.present(ctx, s):
		return g.missing(p, s, f)
	case f.Reason != nil && f.Reason.Kind == reports.Blocked:
		return g.refused(ctx, p, s, f, held)
	default:
		return f
	}
}

// present reports whether the server that a case is about is still there, if
// it is one that all cases share.
func (g *Gathering) present(ctx context.Context, s Spec) bool {
	p := g.presences[s.Column.Transport]
	return p.url == "" || listens(ctx, p.url)
}

// missing names the case that ended the server, where only one can have, and
// otherwise those that were under way.
func (g *Gathering) missing(p *presence, s Spec, f reports.Finding) reports.Finding {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != "" {
		return skipped(g.finding(s), gone(p))
	}
	p.gone = s.Case.ID
	beside := p.beside(s.Case.ID)
	if len(beside) == 0 && complains(f) && !undialled(f) {
		f.Notes = append(f.Notes, "since then nothing listens at "+p.url+", so nothing else could be judged")
		return f
	}
	text := "nothing listens at " + p.url + " any more: the server was found to have ended while this case ran, or just before"
	if len(beside) > 0 {
		text += fmt.Sprintf(", or one of %d beside it (%s); --case with one after the other shows which", len(beside), some(beside))
	}
	return g.unjudged(g.finding(s), fmt.Errorf("%s", text))
}

// undialled reports whether a finding shows a connection that did not come
// about: then the server was gone before anything was said.
func undialled(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(fr reports.Frame) bool {
		return fr.Dir == string(frame.Received) && strings.Contains(fr.Text, frame.NoConnection)
	})
}

// some names as many as a reader takes in.
func some(names []string) string {
	const most = 6
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}

// refused looks whether the case that owns the opening has anything to do with
// a connection that could not be opened. When it passed, the first case without
// a connection stands for all of them.
func (g *Gathering) refused(ctx context.Context, p *presence, s Spec, f reports.Finding, held turn) reports.Finding {
	owner := g.futures[specKey{s.Column, f.Reason.BlockedBy}]
	if owner == nil || owner.spec.Case.Lane == suite.Alone || p.exclusive {
		return f // what runs last, or cannot run beside this one, cannot be waited for
	}
	held.rest() // the owner may want the worker
	opening, err := g.await(ctx, owner.spec)
	if err != nil || opening.Status != reports.Pass {
		return f
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals++
	if p.unopened != "" {
		return skipped(g.finding(s), blocked(p.unopened, f.Reason.Text))
	}
	p.unopened = s.Case.ID
	return g.unjudged(g.finding(s), fmt.Errorf("%s, although others could before; does the server bear several at once?", f.Reason.Text))
}

// listens asks several times whether anything takes connections at an address:
// a server under load, or one that is started anew, may refuse one. Who lets a
// connection wait is there and has no time.
func listens(ctx context.Context, at string) bool {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range 3 {
		if _, refused := taken(ctx, at); !refused {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return true
		}
	}
	return false
}

// taken reports whether a connection to an address is taken, or refused. An
// address that cannot be read is neither: the wire says what is wrong with it.
func taken(ctx context.Context, at string) (there, refused bool) {
	u, err := url.Parse(at)
	if err != nil {
		return false, false
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme // a service name
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err == nil {
		_ = conn.Close()
		return true, false
	}
	late := net.Error(nil)
	return false, !errors.As(err, &late) || !late.Timeout()
}
