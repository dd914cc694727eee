package discover

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// visitWait is how long a document may take. It is a small file, for which most servers
// need some milliseconds.
const visitWait = 5 * time.Second

// Visited keeps the documents that describe the access to one server. All columns read the
// same ones, and an origin that let the kit wait in vain is not asked again.
type Visited struct {
	mu   bubblelock.Mutex
	by   map[string]probe.Document
	late map[string]bool // origins
}

// NewVisited is for one server.
func NewVisited() *Visited {
	return &Visited{by: map[string]probe.Document{}, late: map[string]bool{}}
}

// read fills in the documents at the addresses of metadata.
func (v *Visited) read(ctx context.Context, documents probe.Documents, of ...[]probe.Metadata) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	leads := map[string]string{} // where to ask for the document of an address
	for _, list := range of {
		for _, m := range list {
			if _, known := v.by[m.At]; !known && documents.Near(m.At) {
				leads[m.At] = m.At
			}
		}
	}
	err := v.visit(ctx, documents, leads)
	for at := range leads {
		// A server may redirect to the same path with a slash, or to another path.
		if to, moved := moves(at, v.by[at]); moved && documents.Near(to) {
			leads[at] = to
		} else {
			delete(leads, at)
		}
	}
	err = errors.Join(err, v.visit(ctx, documents, leads))
	for _, list := range of {
		for i, m := range list {
			if d, known := v.by[m.At]; known {
				list[i] = probe.ReadMetadata(m.At, m.Named, d)
			}
		}
	}
	return err
}

// visit asks for documents beside each other.
func (v *Visited) visit(ctx context.Context, documents probe.Documents, leads map[string]string) error {
	type got struct {
		at, from string
		document probe.Document
		err      error
	}
	var answers []*got
	var visiting sync.WaitGroup
	for at, from := range leads {
		if v.late[siteOf(from)] {
			if _, known := v.by[at]; !known {
				v.by[at] = probe.Document{Late: true}
			}
			continue
		}
		a := &got{at: at, from: from}
		answers = append(answers, a)
		visiting.Go(func() { a.document, a.err = documents.Visit(ctx, probe.Visit{At: from, Within: visitWait}) })
	}
	visiting.Wait()
	var errs []error
	for _, a := range answers {
		a.document.Frames = append(v.by[a.at].Frames, a.document.Frames...)
		v.by[a.at] = a.document
		v.late[siteOf(a.from)] = v.late[siteOf(a.from)] || a.document.Late
		errs = append(errs, a.err)
	}
	return errors.Join(errs...)
}

// siteOf is the origin of an address; empty for none.
func siteOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return origin(at)
}
