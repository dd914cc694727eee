package sse

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// An announcement looks for the endpoint event of one connection. Comments and events of
// other types may come before it.
type announcement struct{ made bool }

func (w *announcement) See(s *probe.WatchedFrame) probe.Opinion {
	switch {
	case !streamed(s.Seen) || s.SSE == nil || w.made:
	case announces(s.Seen):
		w.made = true
		return readable(s.Seen)
	case s.Kind == frame.KindMessage:
		w.made = true
		return probe.Breaks("a message comes before the endpoint event, want the endpoint event first")
	}
	return probe.Nothing()
}

func announces(s probe.Seen) bool { return s.SSE != nil && s.SSE.Event == "endpoint" }

func announced(s probe.Seen) (*url.URL, error) {
	return url.Parse(strings.TrimSpace(strings.Join(s.SSE.Data, "\n")))
}

// readable judges only the form of the URI.
func readable(s probe.Seen) probe.Opinion {
	data := strings.Join(s.SSE.Data, "\n")
	to, err := announced(s)
	switch {
	case err != nil || strings.ContainsAny(data, "\"{}<>"):
		return probe.Breaks("the data of the endpoint event is %s, want a URI", probe.Show(data))
	case to.Scheme != "" && to.Scheme != "http" && to.Scheme != "https":
		return probe.Breaks("the URI of the endpoint event is %s, want one of HTTP", probe.Show(data))
	}
	return probe.Kept()
}

// endpointOrigin passes over another name of this machine: its clients reach the server
// by that name too. The common clients refuse a URI of another origin, because their posts
// may hold credentials.
func endpointOrigin(c *probe.Client) error {
	base, err := url.Parse(c.Address())
	if err != nil {
		return err
	}
	seen := c.Since(0)
	i := slices.IndexFunc(seen, func(s probe.Seen) bool { return streamed(s) && announces(s) })
	if i < 0 {
		c.NotSeen("no endpoint event was seen on this connection")
	}
	to, err := announced(seen[i])
	if err != nil {
		c.NotSeen("the data of the endpoint event is not a URI, which is judged by itself")
	}
	if to = base.ResolveReference(to); to.Scheme != base.Scheme || !sameHost(to, base) {
		return probe.One(seen[i].Frame).Violation("the URI of the endpoint event is of the origin %s, want %s, where the stream is; "+
			"clients refuse another one", probe.Show(to.Scheme+"://"+to.Host), base.Scheme+"://"+base.Host)
	}
	return nil
}

// sameHost compares the hosts of two URLs; all names of loopback are equal.
func sameHost(a, b *url.URL) bool {
	return strings.EqualFold(a.Host, b.Host) || loopback(a.Hostname()) && loopback(b.Hostname()) && a.Port() == b.Port()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
