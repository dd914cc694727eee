package reach

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

// Documents are what the target serves beside its endpoint: at the origin, unless an
// address is named. For each connection trace says who is shown its frames, or nil.
func (d *Dialer) Documents(named string, trace func() func(probe.Seen)) probe.Documents {
	at, err := url.Parse(d.URL)
	if d.Transport == requirements.Stdio || err != nil || at.Host == "" {
		return probe.Documents{}
	}
	get := func(ctx context.Context, at string, within time.Duration) (probe.Document, error) {
		return d.get(ctx, at, within, trace)
	}
	if named == "" {
		return probe.Documents{Capabilities: (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/capabilities"}).String(), Get: get}
	}
	return probe.Documents{Capabilities: named, Named: true, Get: get}
}

// get asks for one on a connection of its own. Redirects are not followed, and
// what is no JSON is not read.
func (d *Dialer) get(
	ctx context.Context, at string, within time.Duration, trace func() func(probe.Seen),
) (probe.Document, error) {
	conn, err := wire.DialHTTP(ctx, wire.HTTPTarget{URL: d.URL, Header: d.Headers}, d.options)
	if err != nil {
		return probe.Document{}, err
	}
	show, limited := trace(), ctx
	if within > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	var got probe.Document
	_, err = conn.Send(ctx, wire.Outgoing{URL: at, Method: http.MethodGet, Header: http.Header{"Accept": {"application/json"}}})
	for err == nil {
		var f frame.Frame
		if f, err = conn.Next(limited); err != nil {
			break
		}
		if show != nil {
			show(probe.Seen{Frame: f, Transport: d.Transport})
		}
		got.Frames = append(got.Frames, f)
		if take(&got, f) {
			break
		}
	}
	if limited.Err() != nil && ctx.Err() == nil {
		err = nil // nothing came in time
	}
	closing, cancel := Closing(ctx)
	defer cancel()
	return got, errors.Join(err, conn.Close(closing))
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
