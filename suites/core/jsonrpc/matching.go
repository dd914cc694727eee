package jsonrpc

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// matchingCases watch which responses belong to which requests.
func matchingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-for-request",
			Title:  "every result carries the id of a request",
			Checks: []requirements.ID{"jsonrpc-response-id-echo"},
			Fix:    "send a result only as the answer to a request, with that request's id",
			Watch:  func() probe.Watcher { return &owner{book: newBook(), of: frame.Result} },
		},
		{
			ID:     "jsonrpc/error-for-request",
			Title:  "every error carries the id of a request that could be read",
			Checks: []requirements.ID{"jsonrpc-error-response-id-echo"},
			Fix:    "write the id of the failing request into its error",
			Watch:  func() probe.Watcher { return &owner{book: newBook(), of: frame.Error} },
		},
		{
			ID:     "jsonrpc/single-response",
			Title:  "no request is answered twice",
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Fix:    "send one response per request, also when the work fails after it was answered",
			Watch:  func() probe.Watcher { return &counter{book: newBook(), events: map[string]bool{}} },
		},
		{
			ID:     "jsonrpc/all-answered",
			Title:  "requests sent at the same time are all answered",
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Fix:    "keep every request that was read until its response is written, however many there are",
			Lane:   suite.Fresh,
			Run:    allAnswered,
		},
	}
}

// A book holds what was asked on one connection.
type book struct {
	reader *reader
	asked  []*entry
	// bent and told say of an HTTP exchange, or of 0 for stdio, that something
	// malformed was sent, or something that is no request.
	bent, told map[int]bool
	replied    []string // ids of the server's own requests, once they are answered
}

// An entry is one id and how often it was asked and answered.
type entry struct {
	id              string
	asked, answered int
	last            frame.Frame
}

func newBook() *book {
	return &book{reader: newReader(), bent: map[int]bool{}, told: map[int]bool{}}
}

// sent writes down what the client says.
func (b *book) sent(s probe.Seen) {
	b.bent[s.Exchange] = b.bent[s.Exchange] || s.Malformed
	b.told[s.Exchange] = b.told[s.Exchange] || s.Kind != frame.KindMessage
	for _, m := range probe.Singles(s.Message()) {
		if m.Class != frame.Request {
			b.told[s.Exchange] = true
			if m.HasID {
				b.replied = append(b.replied, m.ID)
			}
			continue
		}
		if e := b.find(m.ID); e != nil {
			e.asked++
		} else {
			b.asked = append(b.asked, &entry{id: m.ID, asked: 1})
		}
	}
}

func (b *book) find(id string) *entry {
	for _, e := range b.asked {
		if frame.SameID(e.id, id) {
			return e
		}
	}
	return nil
}

// An owner looks for the request of every response of a class.
type owner struct {
	book *book
	of   frame.Class
}

func (w *owner) See(s probe.Seen) probe.Opinion {
	judged := false
	var v *probe.Violation
	if s.Dir == frame.Sent {
		w.book.sent(s)
		return probe.Nothing()
	}
	for _, m := range w.book.reader.messages(s) {
		switch {
		case m.Class != w.of:
		case m.HasID && w.book.find(m.ID) != nil:
			judged = true
		case v == nil && w.owned(m):
			judged, v = true, s.Break(m.at+".id is "+shownID(m.ID)+", want the id of a request")
		}
	}
	return probe.Said(judged, v)
}

// owned reports whether the message can be nothing but the answer to a
// request. After something malformed it can be about that; without an id it
// can be about a notification, or stand beside an HTTP refusal; with the id of
// one of the server's requests it is about the answer that this one got.
func (w *owner) owned(m message) bool {
	b, exchange := w.book, m.seen.Exchange
	nameless := !m.HasID || m.ID == "null"
	switch {
	case b.bent[exchange], slices.ContainsFunc(b.replied, func(id string) bool { return frame.SameID(id, m.ID) }):
		return false
	case exchange > 0:
		return !b.told[exchange] && !(nameless && b.reader.refused[exchange])
	default:
		return !nameless || !b.told[0]
	}
}

// A counter counts the responses to each request.
type counter struct {
	book   *book
	events map[string]bool
}

func (w *counter) See(s probe.Seen) probe.Opinion {
	judged := false
	var v *probe.Violation
	if s.Dir == frame.Sent {
		w.book.sent(s)
		return probe.Nothing()
	}
	if replayed(s, w.events) || s.Malformed {
		return probe.Nothing()
	}
	for _, m := range w.book.reader.messages(s) {
		if !m.response() || !m.HasID {
			continue
		}
		e := w.book.find(m.ID)
		if e == nil {
			continue
		}
		judged = true
		e.answered++
		if e.answered > e.asked && v == nil {
			v = probe.Broken([]frame.Frame{e.last, s.Frame}, "the request with the id %s is answered %d times, want once", m.ID, e.answered)
		}
		e.last = s.Frame
	}
	return probe.Said(judged, v)
}

// Some servers drop or mix up what comes while they are busy.
func allAnswered(ctx context.Context, c *probe.Client) error {
	const many = 6
	replies, errs := make([]*probe.Reply, many), make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { replies[i], errs[i] = c.CallAs(ctx, strconv.Itoa(901+i), harmless(c), nil) })
	}
	all.Wait()
	for i, reply := range replies {
		if errs[i] != nil {
			return errs[i]
		}
		if !reply.Answered() {
			return reply.Violation("of %d requests sent at the same time, that with the id %d gets %s, want a response", many, 901+i, reply.Outcome())
		}
	}
	return nil
}
