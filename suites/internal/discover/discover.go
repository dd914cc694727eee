// Package discover learns what the server under test is and offers: which
// revisions it speaks, what it declares, what it lists, what it claims. It
// judges nothing.
package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Look is how one transport of the target is looked at.
type Look struct {
	Transport requirements.Transport
	Setup     probe.Setup // all but revision and survey

	Extensions []suite.Extension // the extensions whose claims are looked for
	Forced     map[string]bool   // claimed because the operator says so
	Suppressed map[string]bool   // not judged because the operator says so
}

// Found is what one transport of the target showed of itself.
type Found struct {
	Transport requirements.Transport
	Legacy    []requirements.Revision // handshake revisions it speaks, oldest first
	Modern    bool                    // it serves requests without a handshake
	Versions  probe.Versions
	Sessions  bool
	Exclusive bool     // a process ends at once while another one runs
	Tried     []string // what was said and what came back, when nothing was found

	open *kept // connections that a survey may take
}

// opened is a connection on which a revision was agreed, or needs no agreement.
type opened struct {
	control *probe.Control
	reply   *probe.Reply // to initialize or server/discover
}

// kept are connections by the revision that they speak.
type kept struct {
	mu sync.Mutex
	by map[requirements.Revision]opened
}

// take gives a connection away; the zero value when there is none.
func (k *kept) take(r requirements.Revision) opened {
	if k == nil {
		return opened{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	o := k.by[r]
	delete(k.by, r)
	return o
}

// Close closes the connections that no survey took over.
func (f Found) Close(ctx context.Context) {
	var closing sync.WaitGroup
	for _, r := range requirements.Revisions() {
		if c := f.open.take(r).control; c != nil {
			closing.Go(func() { _ = c.Close(context.WithoutCancel(ctx)) })
		}
	}
	closing.Wait()
}

// Revisions lists what the transport speaks, oldest first.
func (f Found) Revisions() []requirements.Revision {
	all := slices.Clone(f.Legacy)
	if f.Modern {
		all = append(all, requirements.R20260728)
	}
	return all
}

// Eras says which ways of opening the transport knows.
func (f Found) Eras() []string {
	var eras []string
	if len(f.Legacy) > 0 {
		eras = append(eras, "handshake")
	}
	if f.Modern {
		eras = append(eras, "stateless")
	}
	return eras
}

// Versions asks for every revision on a connection of its own, all at once,
// since a slow start would otherwise be paid once for each.
func (l Look) Versions(ctx context.Context) (Found, error) {
	found, ended, err := l.versions(ctx, len(requirements.Revisions()))
	if err != nil || !ended {
		return found, err
	}
	// Some processes ended without a word: perhaps because there were others.
	found.Close(ctx)
	alone, ended, err := l.versions(ctx, 1)
	alone.Exclusive = !ended
	return alone, err
}

// versions asks so many at a time. It reports whether a process ended instead
// of an answer.
func (l Look) versions(ctx context.Context, atOnce int) (found Found, ended bool, err error) {
	found = Found{Transport: l.Transport, open: &kept{by: map[requirements.Revision]opened{}}}
	var mu sync.Mutex
	var asking sync.WaitGroup
	var failed error
	slots := make(chan struct{}, atOnce)
	for _, r := range requirements.Revisions() {
		slots <- struct{}{}
		asking.Go(func() {
			defer func() { <-slots }()
			answer, err := l.ask(ctx, r)
			mu.Lock()
			keep := err == nil && answer.speaks(r) && atOnce > 1
			switch {
			case err != nil:
				failed = err
			default:
				ended = ended || answer.ended
				found.add(r, answer)
			}
			if keep {
				found.open.by[r] = answer.on
			}
			mu.Unlock()
			if c := answer.on.control; c != nil && !keep {
				_ = c.Close(context.WithoutCancel(ctx))
			}
		})
	}
	asking.Wait()
	if ctx.Err() != nil {
		return found, ended, ctx.Err()
	}
	// A server that was only ever heard of through what it offers instead
	// still speaks that.
	for _, offered := range found.Versions.Offered {
		if r := requirements.Revision(offered); protocol.HasHandshake(offered) && !slices.Contains(found.Legacy, r) {
			found.Legacy = append(found.Legacy, r)
		}
	}
	slices.Sort(found.Legacy)
	found.Tried = grouped(found.Tried)
	if len(found.Revisions()) > 0 {
		return found, ended, nil
	}
	return found, ended, failed
}

// An answer is what one opening led to.
type answer struct {
	said     string
	version  string // of a handshake
	listed   []string
	modern   bool
	sessions bool
	ended    bool // the process ended instead
	on       opened
}

// speaks reports whether the connection can be used at the revision.
func (a answer) speaks(r requirements.Revision) bool {
	return r.Modern() && a.modern || a.version == string(r)
}

func (l Look) ask(ctx context.Context, r requirements.Revision) (answer, error) {
	k, err := l.begin(ctx, r)
	if err != nil {
		return answer{}, err
	}
	if r.Modern() {
		return l.askModern(ctx, k)
	}
	reply, err := k.Client.Initialize(ctx)
	if err != nil {
		return answer{on: opened{control: k}}, err
	}
	version, _ := reply.At("/result/protocolVersion")
	text, _ := version.(string)
	return answer{
		said: "initialize " + string(r) + ": " + reply.Outcome(), version: text, sessions: k.Client.Session() != "",
		ended: l.Transport == requirements.Stdio && reply.Died(), on: opened{k, reply},
	}, nil
}

// A server is modern when discovery lists the revision, or when it serves a
// list with the marks of that revision although it does not know discovery.
func (l Look) askModern(ctx context.Context, k *probe.Control) (answer, error) {
	reply, err := k.Client.Call(ctx, "server/discover", nil)
	if err != nil {
		return answer{on: opened{control: k}}, err
	}
	a := answer{
		said:  "server/discover: " + reply.Outcome(),
		ended: l.Transport == requirements.Stdio && reply.Died(), on: opened{k, reply},
	}
	if listed, ok := reply.At("/result/supportedVersions"); ok {
		for _, v := range array(listed) {
			if text, ok := v.(string); ok {
				a.listed = append(a.listed, text)
			}
		}
		a.modern = slices.Contains(a.listed, string(requirements.R20260728))
		return a, nil
	}
	if reply.Silent() || reply.Died() {
		return a, nil
	}
	for _, list := range protocol.Lists() {
		reply, err := k.Client.Call(ctx, list.Method, nil)
		if err != nil || reply.Silent() || reply.Died() {
			return a, err
		}
		if _, typed := reply.At("/result/resultType"); typed {
			a.modern = true
			return a, nil
		}
	}
	return a, nil
}

func (f *Found) add(r requirements.Revision, a answer) {
	f.Tried = append(f.Tried, a.said)
	f.Sessions = f.Sessions || a.sessions
	if r.Modern() {
		f.Modern, f.Versions.Supported = a.modern, a.listed
		return
	}
	switch a.version {
	case "":
	case string(r):
		f.Legacy = append(f.Legacy, r)
		f.Versions.Echoed = append(f.Versions.Echoed, r)
		slices.Sort(f.Versions.Echoed)
	default:
		f.Versions.Offered = append(f.Versions.Offered, a.version)
		slices.Sort(f.Versions.Offered)
		f.Versions.Offered = slices.Compact(f.Versions.Offered)
	}
}

// grouped says once what several revisions were answered with alike.
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

// Advice says what the operator of an unreachable server might do, by what
// came back from it.
func Advice(t requirements.Transport, tried string) string {
	over := map[bool][]struct{ sign, advice string }{
		true: {
			{"the server offers", "the server speaks only revisions that this kit does not know"},
			{"end of the process", "the command ends before it serves: run it by hand and see what it says"},
			{"what came instead is {", "a message is one line of strict JSON: no line breaks in it, no NaN, no trailing comma"},
			{"what came instead", "stdout carries protocol messages only: send logs and banners to stderr"},
			{"no answer within", "the server does not answer: is it an MCP server over stdio, and does it need longer than --timeout to start?"},
			{"", "does the command exist, and may it be run?"},
		},
		false: {
			{"the server offers", "the server speaks only revisions that this kit does not know"},
			{"refused", "is the server running, and is this its address? --url URL -- COMMAND starts it first"},
			{"no such host", "is the host name right?"},
			{"without a JSON-RPC response",
				"something answers HTTP there, but not MCP: is the path right (often /mcp), and are --header credentials missing?"},
			{"no answer within", "the server does not answer in time: raise --timeout, or look at what it waits for"},
			{"", "is this the address of an MCP endpoint?"},
		},
	}
	for _, s := range over[t == requirements.Stdio] {
		if strings.Contains(tried, s.sign) {
			return s.advice
		}
	}
	return ""
}

// Unspoken says why no revision of the kit's could be agreed on.
func (f Found) Unspoken() string {
	text := fmt.Sprintf("over %s no known revision was agreed on", f.Transport)
	if len(f.Versions.Offered) > 0 {
		text += "; the server offers " + strings.Join(f.Versions.Offered, ", ")
	}
	return text
}

func array(v any) []any {
	list, _ := v.([]any)
	return list
}
