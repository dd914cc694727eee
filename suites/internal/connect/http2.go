package connect

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
)

// HTTP2 reports whether the way uses only HTTP/2.
func (w Way) HTTP2() bool { return w.Pool.SpeaksHTTP2() }

// Settle makes the pool speak HTTP/2 where a server offers only that over TLS.
// The pool must be unused. A server without TLS cannot be asked: clients know
// its version beforehand.
func (w Way) Settle(ctx context.Context) {
	if only, _ := w.onlyHTTP2(ctx); only {
		w.Pool.SpeakHTTP2()
	}
}

// onlyHTTP2 offers a server over TLS both versions, and then HTTP/1.1 alone: a
// server with HTTP/2 alone then ends the handshake, or names no protocol. The error is
// that of the first offer.
func (w Way) onlyHTTP2(ctx context.Context) (bool, error) {
	at, err := url.Parse(w.URL)
	if err != nil || at.Scheme != "https" || w.Pool == nil || w.HTTP2() {
		return false, nil
	}
	waiting, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	const older, newer = "http/1.1", "h2"
	taken, err := w.offer(waiting, at, older, newer)
	if err != nil || taken != newer {
		return false, err
	}
	taken, _ = w.offer(waiting, at, older)
	return taken != older && waiting.Err() == nil, nil
}

// offer is the protocol that a server chooses; empty for none.
func (w Way) offer(ctx context.Context, at *url.URL, protocols ...string) (string, error) {
	config := w.Pool.TLS()
	config.NextProtos, config.ServerName = protocols, cmp.Or(config.ServerName, at.Hostname())
	plain, err := w.Pool.Dial(ctx, net.JoinHostPort(at.Hostname(), cmp.Or(at.Port(), "443")))
	if err != nil {
		return "", err
	}
	defer func() { _ = plain.Close() }()
	secure := tls.Client(plain, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return "", err
	}
	return secure.ConnectionState().NegotiatedProtocol, nil
}

// beside is the pool for an address beside the endpoint. Another origin
// may speak another HTTP version.
func (d *Dialer) beside(address string) *wire.Pool {
	own, _ := url.Parse(d.URL)
	at, err := url.Parse(address)
	if !d.HTTP2() || own != nil && err == nil && at.Scheme == own.Scheme && at.Host == own.Host {
		return d.Pool
	}
	return d.Pool.Either()
}
