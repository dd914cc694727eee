package wire

import (
	"context"
	"net"
	"net/http"
	"time"
)

// NewTransport returns a transport that changes nothing on the way: no proxy,
// no compression, and no HTTP/2, whose frames no case writes by hand.
// Connections to one target should share it.
func NewTransport(limits Limits) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols:              protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: limits.filled().Header,
		DialContext:            halfway((&net.Dialer{Timeout: 10 * time.Second}).DialContext),
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConnsPerHost:    64,
		// Many servers drop idle connections after five seconds. A request at that
		// moment fails through no fault of theirs. Some servers serve one connection
		// until it ends, while all others wait.
		IdleConnTimeout: 300 * time.Millisecond,
	}
}

// Like returns a new transport with the trust, the dialing and the HTTP version
// of another.
func Like(other *http.Transport) *http.Transport { return like(other, Limits{}) }

func like(other *http.Transport, limits Limits) *http.Transport {
	t := NewTransport(limits)
	if other == nil {
		return t
	}
	t.TLSClientConfig = other.TLSClientConfig.Clone()
	if other.DialContext != nil {
		t.DialContext = other.DialContext
	}
	if other.Protocols != nil {
		t.Protocols = other.Protocols
	}
	return t
}

// Dial connects to an address as a transport would, or with defaults where it is nil.
func Dial(ctx context.Context, as *http.Transport, address string) (net.Conn, error) {
	if as == nil || as.DialContext == nil {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
	return as.DialContext(ctx, "tcp", address)
}

// SpeakHTTP2 makes an unused transport speak only HTTP/2: over TLS, or else
// from the first byte on.
func SpeakHTTP2(t *http.Transport) {
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP2(true)
	t.Protocols.SetUnencryptedHTTP2(true)
}

// SpeaksHTTP2 reports whether a transport speaks only HTTP/2.
func SpeaksHTTP2(t *http.Transport) bool {
	return t != nil && t.Protocols != nil && !t.Protocols.HTTP1()
}

// NewClient returns a client around NewTransport.
func NewClient(limits Limits) *http.Client {
	return &http.Client{Transport: NewTransport(limits)}
}

// plain returns client without automatic behaviour: it follows no redirect,
// keeps no cookie and has no timeout.
func plain(client *http.Client) *http.Client {
	return &http.Client{
		Transport:     client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
