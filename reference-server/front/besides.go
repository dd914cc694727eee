package front

import (
	"context"
	"net/http"
	"slices"
	"sync"
)

// besides are the modern requests that are being served, for faults that confuse them.
type besides struct {
	mu  sync.Mutex
	all []*beside
}

// A beside is one of them, and whether its client is still there.
type beside struct {
	*answering
	client context.Context
}

// confuse lets the end of a connection concern other requests, if a fault says so. The
// caller calls over when the message is served.
func (h *HTTP) confuse(a *answering, r *http.Request) (over func()) {
	if !h.habits().CancelsAll && !h.habits().MovesLost {
		return func() {}
	}
	own := h.beside.add(a, r.Context())
	stop := func() bool { return false }
	switch {
	case h.habits().CancelsAll:
		stop = context.AfterFunc(own.client, h.beside.cancel) //nolint:contextcheck // it is the context of the request
	case h.habits().MovesLost:
		a.reports = func() []*stream { return h.beside.streams(own) }
	}
	return func() {
		stop()
		h.beside.remove(own)
	}
}

func (b *besides) add(a *answering, client context.Context) *beside {
	b.mu.Lock()
	defer b.mu.Unlock()
	made := &beside{a, client}
	b.all = append(b.all, made)
	return made
}

func (b *besides) remove(gone *beside) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = slices.DeleteFunc(b.all, func(one *beside) bool { return one == gone })
}

func (b *besides) cancel() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.all {
		one.serving.Cancel()
	}
}

// streams are the stream of the request, or, if its client has left, those of all other
// requests for the same method.
func (b *besides) streams(own *beside) []*stream {
	if own.client.Err() == nil {
		return []*stream{own.answering.stream}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []*stream
	for _, other := range b.all {
		if other != own && other.isOpen() && other.serving.Exchange().Method == own.serving.Exchange().Method {
			all = append(all, other.answering.stream)
		}
	}
	return all
}
