// Package reach is one way to the target: the connections that are made along
// it, the documents that are served beside it, and whether anything is there at
// all. It judges nothing.
package reach

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Way is one way to the target.
type Way struct {
	Transport requirements.Transport
	Launcher  target.Launcher // stdio
	URL       string          // HTTP
	Headers   http.Header     // HTTP, sent with every request
	Login     bool            // they hold credentials
	Pool      *http.Transport // HTTP, shared by all connections
	Older     bool            // HTTP: where the server does not take it, HTTP+SSE is tried at the same URL
	Own       bool            // HTTP, served by this program itself
}

func (w Way) String() string {
	if w.Launcher != nil {
		return "over stdio"
	}
	return "at " + w.URL
}

// Listens asks once whether anything takes connections where the target is.
func (w Way) Listens(ctx context.Context) bool {
	there, _ := w.taken(ctx)
	return there
}

// Knock asks whether anything that speaks HTTP is at the target. A ping is the
// most harmless thing to say, whatever comes back; who takes it and leaves it
// unanswered is there too.
func (w Way) Knock(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	body := strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	request, err := http.NewRequestWithContext(waiting, http.MethodPost, w.URL, body)
	if err != nil {
		return err
	}
	request.Header = w.Headers.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	pool := wire.Like(w.Pool)
	defer pool.CloseIdleConnections()
	if w.onlyHTTP2(waiting) {
		wire.SpeakHTTP2(pool)
	}
	response, err := pool.RoundTrip(request)
	switch {
	case err == nil:
		return response.Body.Close()
	case ctx.Err() == nil && waiting.Err() != nil && w.Listens(ctx):
		return nil
	default:
		return err
	}
}

// There reports whether a server that all connections share is still there. It asks
// several times: one under load, or one that is started anew, may refuse a
// connection. Who lets one wait is there and has no time.
func (w Way) There(ctx context.Context) bool {
	if w.URL == "" {
		return true
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range 3 {
		if _, refused := w.taken(ctx); !refused {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return true
		}
	}
	return false
}

// taken reports whether a connection to the address is taken, or refused. An
// address that cannot be read is neither: the wire says what is wrong with it.
func (w Way) taken(ctx context.Context) (there, refused bool) {
	u, err := url.Parse(w.URL)
	if err != nil {
		return false, false
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme // a service name
	}
	dialing, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := wire.Dial(dialing, w.Pool, net.JoinHostPort(u.Hostname(), port))
	if err == nil {
		_ = conn.Close()
		return true, false
	}
	late := net.Error(nil)
	return false, !errors.As(err, &late) || !late.Timeout()
}
