package core

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// An Aside carries what is said and asked on behalf of a request that works on after its
// answer.
type Aside interface {
	// Notify sends a notification, or drops it where nothing carries it.
	Notify(m fault.Message)
	// Ask returns the result with which the client answers a question.
	Ask(ctx context.Context, limit time.Duration, method string, params map[string]any) (json.RawMessage, error)
}

// parting is how a request may work on after its answer.
type parting struct {
	of      *Turn
	mu      sync.Mutex
	aside   Aside       // nil until the request is answered
	release func() bool // of the request that a detached one still ends with
}

// Detach returns the request once more, for work that goes on after its answer. Until Part
// is called, the work speaks through the request itself, and ends with it.
func (p *parting) Detach() *Turn {
	t := p.of
	d := &Turn{received: t.received}
	d.parting.of, d.outlet.turn, d.outlet.sink = d, d, t.sink
	d.kept = t.copied()
	d.ctx, d.stop = context.WithCancel(context.WithoutCancel(t.ctx))
	d.parting.release = context.AfterFunc(t.ctx, d.stop)
	return d
}

// Part lets a detached request live on: from here on it speaks through the Aside.
func (p *parting) Part(to Aside) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release()
	p.aside = to
	p.of.sending.Lock()
	defer p.of.sending.Unlock()
	p.of.sink = asideSink{to}
}

// Aside is what a detached request speaks through; nil for other requests.
func (p *parting) Aside() Aside {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.aside
}

// Stop ends the work on a detached request.
func (p *parting) Stop() { p.of.stop() }

// AskFor asks the client a question of a detached request, on the way to the answer of this
// request. The metadata says for what it is asked.
func (p *parting) AskFor(limit time.Duration, method string, params, meta map[string]any) (json.RawMessage, error) {
	own := maps.Clone(params)
	if own == nil {
		own = map[string]any{}
	}
	return asking{turn: p.of, method: method, params: own, meta: meta, limit: limit}.askAndWait()
}

// Shaped is the result of a tool in the form of the revision.
func (p *parting) Shaped(result fault.Message) fault.Message { return p.of.shaper().toolResult(result) }

// asideSink sends the notifications of a detached request.
type asideSink struct{ to Aside }

func (s asideSink) Notify(_ fault.Exchange, m fault.Message) { s.to.Notify(m) }
func (s asideSink) Open()                                    {}

// askAside asks all questions at once.
func askAside(to Aside, all []asking) ([]json.RawMessage, error) {
	answers, failures := make([]json.RawMessage, len(all)), make([]error, len(all))
	var open sync.WaitGroup
	for i, a := range all {
		open.Go(func() { answers[i], failures[i] = a.askAside(to) })
	}
	open.Wait()
	for _, failure := range failures {
		if failure != nil {
			return nil, failure
		}
	}
	return answers, nil
}

func (a asking) askAside(to Aside) (json.RawMessage, error) {
	raw, err := to.Ask(a.turn.ctx, a.limit, a.method, a.params)
	if err != nil {
		return nil, err
	}
	if problem := a.misfit(raw); problem != "" {
		return nil, &Unanswered{Why: "the answer to " + a.method + " cannot be used: " + problem}
	}
	return raw, nil
}

// Push sends a notification to a conversation, of the server's own accord.
func (c *Core) Push(to *Conversation, m fault.Message) {
	if to.Push != nil {
		c.push(to, m)
	}
}

// copied is what extensions have kept so far.
func (m *memory) copied() map[any]any {
	m.keeping.Lock()
	defer m.keeping.Unlock()
	return maps.Clone(m.kept)
}
