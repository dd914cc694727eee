package wire

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Pool makes the TCP connections to one target. It changes nothing on the way: no
// proxy, no compression, and no HTTP/2 unless it is told to, since no case writes the
// frames of HTTP/2 by hand. All connections to a target should share it.
type Pool struct {
	limits Limits
	pins   *pins
	trust  *tls.Config // nil: the default; no transport has this one, since each writes into its own

	mu        sync.Mutex
	transport *http.Transport
}

var _ http.RoundTripper = (*Pool)(nil)

// NewPool returns a pool. The URLs are those that the user named: only they may name a
// link-local address.
func NewPool(limits Limits, named ...string) *Pool {
	p := &Pool{limits: limits.filled(), pins: newPins(named)}
	p.transport = p.fresh()
	p.transport.DialContext = halfway(p.pins.dial)
	p.transport.Protocols = new(http.Protocols)
	p.transport.Protocols.SetHTTP1(true)
	return p
}

// fresh is a transport that cannot dial yet.
func (p *Pool) fresh() *http.Transport {
	return &http.Transport{
		DisableCompression:     true,
		MaxResponseHeaderBytes: p.limits.Header,
		TLSHandshakeTimeout:    handshakeWait,
		MaxIdleConnsPerHost:    64,
		// Many servers drop idle connections after five seconds. A request at that
		// moment fails through no fault of theirs. Some servers serve one connection
		// until it ends, while all others wait.
		IdleConnTimeout: 300 * time.Millisecond,
	}
}

// Like returns a pool without connections. It has the trust, the dialing and the
// HTTP version of this one, and remembers with it where the names of hosts led.
func (p *Pool) Like(limits Limits) *Pool {
	if p == nil {
		return NewPool(limits)
	}
	other := &Pool{limits: limits.filled(), pins: p.pins, trust: p.trust}
	other.transport = other.after(p.now())
	return other
}

// after is an unused transport in place of another.
func (p *Pool) after(used *http.Transport) *http.Transport {
	t := p.fresh()
	t.TLSClientConfig, t.DialContext, t.Protocols = copyOf(p.trust), used.DialContext, used.Protocols
	return t
}

// copyOf also copies the protocols, which a transport adds to. Clone shares them.
func copyOf(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	own := config.Clone()
	own.NextProtos = slices.Clone(config.NextProtos)
	return own
}

func (p *Pool) now() *http.Transport {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.transport
}

// drop makes the pool go on with a new transport. The exchanges on the old one go on
// there.
func (p *Pool) drop(used *http.Transport) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transport == used {
		p.transport = p.after(used)
	}
}

// Trust sets how an unused pool speaks TLS.
func (p *Pool) Trust(config *tls.Config) {
	p.trust = config
	p.now().TLSClientConfig = copyOf(config)
}

// TLS is a copy of how the pool speaks TLS.
func (p *Pool) TLS() *tls.Config {
	if p.trust != nil {
		return copyOf(p.trust)
	}
	return &tls.Config{}
}

// Reroute changes how an unused pool connects.
func (p *Pool) Reroute(by func(otherwise Dialing) Dialing) {
	t := p.now()
	t.DialContext = by(t.DialContext)
}

// Dial connects to an address as the pool would.
func (p *Pool) Dial(ctx context.Context, address string) (net.Conn, error) {
	if p == nil {
		p = NewPool(Limits{})
	}
	return p.now().DialContext(ctx, "tcp", address)
}

// SpeakHTTP2 makes an unused pool speak only HTTP/2: over TLS, or else from the first
// byte on.
func (p *Pool) SpeakHTTP2() {
	t := p.now()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP2(true)
	t.Protocols.SetUnencryptedHTTP2(true)
}

// SpeaksHTTP2 reports whether a pool speaks only HTTP/2.
func (p *Pool) SpeaksHTTP2() bool { return p != nil && !p.now().Protocols.HTTP1() }

// Either returns a pool like this one that speaks the version of HTTP that a server over
// TLS prefers.
func (p *Pool) Either() *Pool {
	other := p.Like(Limits{})
	other.transport.Protocols = new(http.Protocols)
	other.transport.Protocols.SetHTTP1(true)
	other.transport.Protocols.SetHTTP2(true)
	return other
}

// RoundTrip sends a request and returns the head of its answer.
func (p *Pool) RoundTrip(r *http.Request) (*http.Response, error) {
	t := p.now()
	if !t.Protocols.HTTP2() && !t.Protocols.UnencryptedHTTP2() {
		return t.RoundTrip(r)
	}
	return p.guarded(t, r)
}

// CloseIdleConnections closes the connections that nobody uses.
func (p *Pool) CloseIdleConnections() {
	t := p.now()
	cut := make(chan struct{})
	close(cut)
	// A transport that does not return has no idle connection of use to anybody.
	_, _ = held(cut, func() (struct{}, error) { t.CloseIdleConnections(); return struct{}{}, nil })
}

// plain returns a client without automatic behaviour: it follows no redirect, keeps no
// cookie and has no timeout.
func plain(pool *Pool) *http.Client {
	return &http.Client{
		Transport:     pool,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
