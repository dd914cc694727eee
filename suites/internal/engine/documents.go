package engine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// documents are what the target serves beside its endpoint: at the origin, unless the
// configuration says where.
func (s *server) documents() probe.Documents {
	at, err := url.Parse(s.URL)
	if s.Transport != requirements.HTTP || err != nil || at.Host == "" {
		return probe.Documents{}
	}
	named := s.run.plan.Config.Target.CapabilitiesURL
	if named == "" {
		return probe.Documents{Capabilities: (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/capabilities"}).String(), Get: s.get}
	}
	return probe.Documents{Capabilities: named, Named: true, Get: s.get}
}

// get asks for one on a connection of its own. Redirects are not followed, and
// what is no JSON is not read.
func (s *server) get(ctx context.Context, at string, within time.Duration) (probe.Document, error) {
	conn, err := wire.DialHTTP(ctx, wire.HTTPTarget{URL: s.URL, Header: s.Headers}, wire.Options{
		Limits: wire.Limits{Frame: int(s.run.plan.Config.Limits.Frame)}, Redact: s.run.redact,
	})
	if err != nil {
		return probe.Document{}, err
	}
	watch, limited := s.run.watch(nil), ctx
	if within > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	var d probe.Document
	_, err = conn.Send(ctx, wire.Outgoing{URL: at, Method: http.MethodGet, Header: http.Header{"Accept": {"application/json"}}})
	for err == nil {
		var f frame.Frame
		if f, err = conn.Next(limited); err != nil {
			break
		}
		if watch != nil {
			watch(probe.Seen{Frame: f, Transport: s.Transport})
		}
		d.Frames = append(d.Frames, f)
		if take(&d, f) {
			break
		}
	}
	if limited.Err() != nil && ctx.Err() == nil {
		err = nil // nothing came in time
	}
	closing, cancel := closingContext(ctx)
	defer cancel()
	return d, errors.Join(err, conn.Close(closing))
}

// take reads a frame of a document, and reports whether that was the last one.
func take(d *probe.Document, f frame.Frame) (last bool) {
	switch {
	case f.Dir != frame.Received:
	case f.Kind == frame.KindHead:
		d.Status, d.Header = f.HTTP.Status, f.HTTP.Header
		return d.Status != http.StatusOK || strings.HasPrefix(d.Header.Get("Content-Type"), "text/event-stream")
	case f.Kind == frame.KindMessage || f.Kind == frame.KindBody:
		d.Body, d.Whole = f.Raw(), !f.Truncated
	case f.Kind == frame.KindEnd:
		return true
	}
	return false
}
