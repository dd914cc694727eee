package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/record"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// mostVisited is how many bytes to read of a document about an access.
const mostVisited = 1 << 20

// Documents are the documents that the target serves beside its endpoint: at
// the origin, unless the configuration names an address. For each connection
// trace returns the function that sees its frames, or nil. Other hosts are
// visited only if external allows it there, or the configuration names the address. A
// server over stdio has no origin: then external allows all that is visited.
func (d *Dialer) Documents(c config.Config, trace func() func(probe.Seen)) probe.Documents {
	named := c.Target
	at, err := url.Parse(d.URL)
	switch {
	case d.Transport == requirements.Stdio && c.External:
		var found probe.Documents
		found.Near = func(to string) bool {
			at, err := url.Parse(to)
			return err == nil && (at.Scheme == "http" || at.Scheme == "https") && at.Host != ""
		}
		found.Visit = d.visitor(found.Near, trace)
		return found
	case d.Transport == requirements.Stdio || err != nil || at.Host == "":
		return probe.Documents{}
	}
	found := probe.Documents{
		Capabilities: named.CapabilitiesURL, Named: named.CapabilitiesURL != "", WellKnown: named.WellKnownURL, Endpoint: d.URL,
		Get: func(ctx context.Context, at string, within time.Duration) (probe.Document, error) {
			return d.get(ctx, probe.Visit{At: at, Within: within}, manner{shown: d.Headers, options: d.options, trace: trace})
		},
		Near: func(to string) bool {
			return c.External || near(at, to) || named.WellKnownURL != "" && to == named.WellKnownURL
		},
	}
	if named.CapabilitiesURL == "" {
		found.Capabilities = (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/capabilities"}).String()
	}
	if named.WellKnownURL == "" {
		found.WellKnown = (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/.well-known/mcp.json"}).String()
	}
	found.Visit = d.visitor(found.Near, trace)
	return found
}

// visitor asks addresses that are near, without credentials.
func (d *Dialer) visitor(
	near func(to string) bool, trace func() func(probe.Seen),
) func(context.Context, probe.Visit) (probe.Document, error) {
	options := d.options
	if options.Limits.Frame > mostVisited || options.Limits.Frame == 0 {
		options.Limits.Frame = mostVisited
	}
	return func(ctx context.Context, v probe.Visit) (probe.Document, error) {
		if !near(v.At) {
			return probe.Document{}, errors.New("another host or port is not visited: " + v.At)
		}
		return d.get(ctx, v, manner{options: options, refusals: true, trace: trace})
	}
}

// A manner is how to ask for a document.
type manner struct {
	shown    http.Header // credentials, for the target's own origin
	options  wire.Options
	refusals bool // also read documents with a status other than 200
	trace    func() func(probe.Seen)
}

// near reports whether the kit may ask an address that the server named: any at the origin
// of the target, and metadata at other ports of its host. Another port is another service,
// which may answer whoever asks from this machine.
func near(target *url.URL, to string) bool {
	at, err := url.Parse(to)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return false
	}
	return wire.SameOrigin(at, target) || wire.SameHost(at, target) && metadata(at)
}

// metadata reports whether a URL has the path of a document that describes a server. Such a
// path may also end with the name of OpenID Connect Discovery.
func metadata(at *url.URL) bool {
	const below, openID = "/.well-known/", "/.well-known/openid-configuration"
	plain := at.RawQuery == "" && at.User == nil && !strings.Contains(at.Path, "..") && !strings.ContainsAny(at.Path, "\\?;")
	return plain && (strings.HasPrefix(at.Path, below) || strings.HasSuffix(at.Path, openID))
}

// get fetches a document on a connection of its own. It follows no redirects,
// and reads no streams.
func (d *Dialer) get(ctx context.Context, v probe.Visit, how manner) (probe.Document, error) {
	conn, err := d.visit(ctx, v.At, how)
	if err != nil {
		return probe.Document{}, err
	}
	show := how.trace()
	header := http.Header{"Accept": {"application/json"}}
	maps.Copy(header, v.Header)
	var got probe.Document
	_, err = conn.Send(ctx, frame.Outgoing{URL: v.At, Method: cmp.Or(v.Method, http.MethodGet), Header: header, Text: v.Body, For: v.At})
	limited := ctx
	if v.Within > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, v.Within)
		defer cancel()
	}
	for err == nil {
		var f frame.Frame
		if f, err = conn.Next(limited); err != nil {
			break
		}
		shown := beginning(f)
		if show != nil {
			show(probe.Seen{Frame: shown, Transport: d.Transport})
		}
		got.Frames = append(got.Frames, shown)
		if take(&got, f) || !how.refusals && got.Status != 0 && got.Status != http.StatusOK {
			break
		}
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err, got.Late = nil, true
	}
	closing, cancel := Closing(ctx)
	defer cancel()
	return got, errors.Join(err, conn.Close(closing))
}

// documents names the connections for documents in a recording.
const documents = "documents"

// visit gives a connection for one document.
func (d *Dialer) visit(ctx context.Context, at string, how manner) (probe.Conn, error) {
	to := wire.HTTPTarget{URL: d.URL, Header: how.shown, Like: d.beside(at)}
	if d.Transport == requirements.Stdio {
		to.URL = at
	}
	return d.Record.Conn(documents, func() (record.Conn, error) {
		if d.Replay != nil {
			return d.replay(ctx, documents, to, how.options)
		}
		return wire.DialHTTP(ctx, to, how.options)
	})
}

// mostShown is how many bytes a finding may show of a document that is no JSON. The server
// may have led the kit to something that is not meant for the readers of a report.
const mostShown = 200

// beginning is a frame as findings may show it.
func beginning(f frame.Frame) frame.Frame {
	body := f.Dir == frame.Received && (f.Kind == frame.KindMessage || f.Kind == frame.KindBody)
	if !body || len(f.Raw()) <= mostShown || !f.Truncated && json.Valid(f.Raw()) {
		return f
	}
	return f.Cut(mostShown)
}

// take reads a frame of a document, and reports whether it was the last one.
func take(d *probe.Document, f frame.Frame) (last bool) {
	switch {
	case f.Dir != frame.Received:
	case f.Kind == frame.KindHead:
		d.Status, d.Header = f.HTTP.Status, f.HTTP.Header
		return strings.HasPrefix(d.Header.Get("Content-Type"), "text/event-stream")
	case f.Kind == frame.KindMessage || f.Kind == frame.KindBody:
		d.Body, d.Whole = f.Raw(), !f.Truncated
	case f.Kind == frame.KindEnd:
		return true
	}
	return false
}
