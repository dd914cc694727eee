package connect

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/memnet"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// pooled makes the connections to a target over the network.
func pooled(c config.Config) (*wire.Pool, error) {
	t := c.Target
	pool := wire.NewPool(wire.Limits{}, t.URL, t.SSEURL, t.CapabilitiesURL, t.WellKnownURL)
	if t.HTTP2 {
		pool.SpeakHTTP2()
	}
	trusted, err := c.Trusted()
	if err != nil {
		return nil, err
	}
	if trusted != nil {
		pool.Trust(&tls.Config{RootCAs: trusted})
	}
	return pool, nil
}

// localAddress is the address of local servers.
const localAddress = "127.0.0.1"

// mostHead is how long a client of the kit may take for the head of a request.
const mostHead = 10 * time.Second

// serve starts a local handler at its address, and takes its credentials for clients.
func (t *Target) serve(ctx context.Context, l *plan.Local, path string, way Way) (Way, error) {
	rig := plan.RigOf(l)
	url, stop, err := serve(ctx, l, rig, path, way.Pool)
	if err != nil {
		return way, err
	}
	t.stops = append(t.stops, stop)
	way.URL, way.Own = url, true
	if rig.Login == nil {
		return way, nil
	}
	login, err := rig.Login(url)
	if err != nil {
		return way, err
	}
	t.Config = t.Config.With(login...)
	if rig.Mint != nil {
		t.Mint = func(ctx context.Context, scope, resource string) (string, error) {
			return rig.Mint(ctx, url, scope, resource)
		}
	}
	first := t.Config.AsFirst()
	way.Headers, way.Login = header(first.Headers), first.HasLogin()
	return way, nil
}

// serve makes a local handler listen and answer.
func serve(ctx context.Context, l *plan.Local, rig plan.Rig, path string, pool *wire.Pool) (url string, stop func(), err error) {
	listener, err := listen(ctx, rig, pool)
	if err != nil {
		return "", nil, fmt.Errorf("listen on loopback: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return "", nil, fmt.Errorf("listen on loopback: %w", err)
	}
	if rig.Conn != nil {
		listener = wrappedListener{listener, rig.Conn}
	}
	stop = answer(&http.Server{Handler: l.Handler, ReadHeaderTimeout: mostHead}, listener)
	return "http://" + net.JoinHostPort(localAddress, port) + path, stop, nil
}

// answer lets a server answer on a listener until stop is called.
func answer(server *http.Server, on net.Listener) (stop func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(on) // ends with Close
	}()
	return func() {
		_ = server.Close()
		<-done
	}
}

// listen makes a local handler listen on loopback, on all addresses, or only
// for the pool.
func listen(ctx context.Context, rig plan.Rig, pool *wire.Pool) (net.Listener, error) {
	host := localAddress
	switch {
	case rig.Within && !rig.Everywhere:
		own := memnet.Listen(netip.AddrPortFrom(netip.MustParseAddr(localAddress), 8080))
		pool.Reroute(func(otherwise wire.Dialing) wire.Dialing { return own.Dial(otherwise) })
		return own, nil
	case rig.Everywhere:
		host = ""
	}
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}

// wrappedListener wraps each connection that a listener accepts.
type wrappedListener struct {
	net.Listener
	conn func(net.Conn) net.Conn
}

func (b wrappedListener) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return b.conn(conn), nil
}
