package discover

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Versions learns which revisions the server speaks, and asks for each revision on a
// connection of its own. Over stdio each connection is a process, so Versions asks only
// for the two newest revisions and for those that are wanted; Found.Versions asks for the
// others when they are needed.
func (l Look) Versions(ctx context.Context, wanted ...requirements.Revision) (*Found, error) {
	f, atOnce := l.nothing(), len(requirements.Revisions())
	if l.Transport == requirements.SSE {
		if f.streams(ctx); f.Tolerance.Serial() {
			atOnce = 1
		}
	}
	ended, err := f.find(ctx, wanted, atOnce)
	if err != nil || !ended {
		return f, err
	}
	// Some processes ended without an answer, perhaps because others were running.
	f.Close(ctx)
	alone := l.nothing()
	if f.mute() {
		alone.pace.start = alone.pace.answer // it had the time that a start may take
	}
	ended, err = alone.find(ctx, requirements.Revisions(), 1)
	if !ended {
		alone.Tolerance = tolerance.OneProcess
	}
	alone.Stderr = cmp.Or(alone.Stderr, f.Stderr)
	return alone, err
}

// mute reports whether the server was silent for as long as a start may take.
func (f *Found) mute() bool { return f.pace.first() == 0 && len(f.Unknown) > 0 }

// nothing is a Found before the first question. The pace decides how long discovery waits
// for answers.
func (l Look) nothing() *Found {
	waits := l.Setup.Waits
	l.Setup.Waits.Opening = 0
	return &Found{look: l, pace: pace{start: max(waits.Opening, waits.Answer), answer: waits.Answer}}
}

// find asks for revisions, atOnce at a time. It reports whether a process ended instead of
// answering.
func (f *Found) find(ctx context.Context, wanted []requirements.Revision, atOnce int) (ended bool, err error) {
	f.unasked, f.main = f.look.revisions(), newest()
	if older := slices.DeleteFunc(slices.Clone(wanted), requirements.Revision.Modern); len(older) > 0 {
		f.main = slices.Max(older)
	}
	for next := f.first(wanted); len(next) > 0; next = f.next() {
		f.unasked = slices.DeleteFunc(f.unasked, func(r requirements.Revision) bool { return slices.Contains(next, r) })
		round := f.ask(ctx, next, atOnce)
		for _, a := range round {
			if a.err != nil {
				err = a.err
				continue
			}
			ended = ended || a.ended
			if a.speaks() && atOnce > 1 {
				f.open.put(a.asked, a.on)
			}
			f.add(a)
		}
		if atOnce > 1 {
			round = slices.DeleteFunc(slices.DeleteFunc(round, answer.speaks), f.kept)
		}
		round.close(ctx)
		if ctx.Err() != nil {
			return ended, ctx.Err()
		}
		if f.mute() {
			f.Stderr = cmp.Or(f.Stderr, round.stderr())
			f.unended = round.unended()
			break
		}
	}
	f.heard()
	f.Started = f.pace.first()
	f.Tried = grouped(f.Tried)
	if len(f.Revisions()) > 0 {
		err = nil
	}
	return ended, err
}

// kept keeps the session of a server that offered another revision than the kit asked for,
// if no session at the offered revision is kept yet: the server may refuse any other.
func (f *Found) kept(a answer) bool {
	r := requirements.Revision(a.version)
	if f.look.Transport != requirements.HTTP || a.err != nil || !a.sessions || !protocol.HasHandshake(a.version) || f.open.has(r) {
		return false
	}
	a.on.control.Settle(r)
	f.open.put(r, a.on)
	return true
}

// revisions lists the revisions that the server may speak over the transport. HTTP+SSE is
// older than requests without a handshake.
func (l Look) revisions() []requirements.Revision {
	if l.Transport == requirements.SSE {
		return protocol.Handshake()
	}
	return slices.Clone(requirements.Revisions())
}

// first lists the revisions that find asks for first.
func (f *Found) first(wanted []requirements.Revision) []requirements.Revision {
	all := f.look.revisions()
	if f.look.Transport != requirements.Stdio {
		return all
	}
	older := slices.DeleteFunc(slices.Clone(all[:len(all)-2]), func(r requirements.Revision) bool { return !slices.Contains(wanted, r) })
	return append(older, all[len(all)-2:]...)
}

// next lists the revisions that find has to ask for as well: those that the server
// offered, since one of them will be judged, or all remaining ones when the server agreed
// to none.
func (f *Found) next() []requirements.Revision {
	offered := slices.DeleteFunc(slices.Clone(f.unasked), func(r requirements.Revision) bool {
		return !slices.Contains(f.versions.Offered, string(r))
	})
	switch {
	case len(offered) > 0:
		return offered
	case len(f.Legacy) == 0 && len(f.versions.Offered) == 0 && len(f.Unknown) == 0:
		return slices.Clone(f.unasked)
	default:
		return nil
	}
}

// An answer is the outcome of one opening.
type answer struct {
	asked    requirements.Revision
	said     string
	stderr   string // of a process that ended
	version  string // of a handshake
	listed   []string
	modern   bool
	sessions bool
	ended    bool // the process ended instead
	silent   bool // nothing came in time, so the revision may or may not be spoken
	barrier  Barrier
	refused  bool // with an HTTP status of 4xx, or an event stream of HTTP+SSE
	limited  bool // with an HTTP status that says: not now
	on       opened
	err      error
}

// speaks reports whether the connection can be used at the revision.
func (a answer) speaks() bool {
	return a.err == nil && (a.asked.Modern() && a.modern || a.version == string(a.asked))
}

// denied reports whether the server refused a handshake without naming another revision.
func (a answer) denied() bool {
	return !a.asked.Modern() && a.on.reply != nil && a.version == "" && (a.refused || a.on.reply.Failed())
}

// A round is the outcome of several openings.
type round []answer

func (r round) close(ctx context.Context) {
	var closing sync.WaitGroup
	for _, a := range r {
		if a.on.control != nil {
			closing.Go(func() { _ = a.on.control.Close(ctx) })
		}
	}
	closing.Wait()
}

// stderr is what the first process of the round wrote to stderr, once it has ended.
func (r round) stderr() string {
	for _, a := range r {
		if a.on.control != nil && probe.Stderr(a.on.control) != "" {
			return probe.Stderr(a.on.control)
		}
	}
	return ""
}

// ask asks for several revisions, atOnce at a time. If the server was silent, or limited
// the number of requests, while other questions ran, ask repeats the question alone: a
// busy machine may have caused the silence.
func (f *Found) ask(ctx context.Context, revisions []requirements.Revision, atOnce int) round {
	all := make(round, len(revisions))
	var asking sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	early := -1
	if f.look.Transport == requirements.HTTP && atOnce > 1 {
		early = slices.Index(revisions, f.main)
	}
	if early >= 0 {
		answered := make(chan struct{})
		asking.Go(func() {
			defer close(answered)
			all[early] = f.look.ask(ctx, revisions[early], &f.pace, false)
		})
		select {
		case <-answered:
		case <-time.After(f.pace.answer):
		}
	}
	for i, r := range revisions {
		if i == early {
			continue
		}
		slots <- struct{}{}
		if atOnce == 1 && i > 0 && all[i-1].silent && f.pace.first() == 0 {
			all = all[:i] // nobody answers anything
			break
		}
		asking.Go(func() {
			defer func() { <-slots }()
			all[i] = f.look.ask(ctx, r, &f.pace, atOnce == 1)
			if atOnce == 1 && all[i].on.control != nil {
				_ = all[i].on.control.Close(ctx) // before the next one starts
				f.Parted(ctx)
				all[i].on = opened{}
			}
		})
	}
	asking.Wait()
	if f.pace.first() == 0 {
		return all // nobody answers anything
	}
	unheard := false // a handshake alone got no answer either
	for _, i := range f.mainFirst(all) {
		a := all[i]
		if !a.silent && !a.limited || ctx.Err() != nil || unheard && a.silent && !a.asked.Modern() {
			continue
		}
		round{a}.close(ctx)
		all[i] = f.look.ask(ctx, a.asked, &f.pace, true)
		f.Hurried = f.Hurried || a.silent && !all[i].silent && f.look.Transport == requirements.HTTP
		unheard = unheard || all[i].silent && !a.asked.Modern()
	}
	return all
}

func (l Look) ask(ctx context.Context, r requirements.Revision, p *pace, alone bool) answer {
	k, err := l.begin(ctx, r)
	if err != nil {
		return answer{asked: r, err: err}
	}
	a := answer{asked: r, on: opened{control: k}}
	reply, err := p.await(ctx, l, k, alone)
	if err != nil {
		a.err = err
		return a
	}
	a.on.reply, a.silent, a.stderr, a.barrier = reply, reply.Silent(), reply.Stderr(), barrier(reply)
	said := outcome(reply)
	if a.silent && p.named.Load() {
		said += underString
	}
	a.ended = l.Transport == requirements.Stdio && reply.Died()
	a.limited = !reply.Answered() && notNow(reply.Status())
	what := "initialize " + string(r)
	if r.Modern() {
		what = "server/discover"
	}
	if a.said = what + ": " + said; l.older(k) {
		a.refused, a.silent, a.said = true, false, what+": an event stream of HTTP+SSE"
		return a
	}
	if r.Modern() {
		a.err = a.readDiscovery(ctx, p)
		return a
	}
	k.Adopt(reply)
	a.refused = reply.Status() >= 400 && reply.Status() < 500
	version, _ := reply.At("/result/protocolVersion")
	a.version, _ = version.(string)
	a.sessions = k.Session() != ""
	return a
}

// notNow reports whether a status is about the moment and not about what was asked, also where a
// gateway has several servers behind it and one of them does not answer yet.
func notNow(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// readDiscovery decides whether the server is modern: either server/discover lists the
// revision, or the server does not know server/discover, or lists nothing that can be read,
// but serves a list in the form of that revision.
func (a *answer) readDiscovery(ctx context.Context, p *pace) error {
	listed, _ := a.on.reply.At("/result/supportedVersions")
	if versions, ok := listed.([]any); ok {
		for _, v := range versions {
			if text, ok := v.(string); ok {
				a.listed = append(a.listed, text)
			}
		}
		a.modern = slices.Contains(a.listed, string(requirements.R20260728))
		return nil
	}
	if a.silent {
		if p.named.Load() || p.first() == 0 {
			return nil
		}
		ignored, err := p.ignored(ctx, a.on)
		a.silent = !ignored
		return err
	}
	if a.on.reply.Died() {
		return nil
	}
	return a.on.control.Run(ctx, func(c *probe.Client) error {
		a.modern = servesAList(c)
		return nil
	})
}

// servesAList reports whether the answer to a list shows that the server needs no
// handshake. It asks for one list after the other, except of a slow server.
func servesAList(c *probe.Client) bool {
	const slow = 500 * time.Millisecond
	shows := func(reply *probe.Reply) (modern, over bool) {
		_, modern = reply.At("/result/resultType")
		return modern, modern || reply.Silent() || reply.Died()
	}
	var asked []*probe.Pending
	for _, list := range protocol.Lists() {
		began := time.Now()
		next := c.Start(list.Method, nil)
		if len(asked) > 0 {
			asked = append(asked, next)
			continue
		}
		if modern, over := shows(next.Reply()); over {
			return modern
		}
		if time.Since(began) > slow {
			asked = append(asked, next)
		}
	}
	for _, each := range asked {
		if modern, over := shows(each.Reply()); over {
			return modern
		}
	}
	return false
}

// newest is the newest revision with a handshake.
func newest() requirements.Revision { return slices.Max(protocol.Handshake()) }

// grouped joins the revisions that got the same outcome into one line.
func grouped(tried []string) []string {
	slices.Sort(tried)
	asked := map[string][]string{}
	var outcomes []string
	for _, t := range tried {
		what, outcome, _ := strings.Cut(t, ": ")
		if asked[outcome] == nil {
			outcomes = append(outcomes, outcome)
		}
		asked[outcome] = append(asked[outcome], what)
	}
	lines := make([]string, len(outcomes))
	for i, outcome := range outcomes {
		lines[i] = strings.Join(asked[outcome], ", ") + ": " + outcome
	}
	return lines
}
