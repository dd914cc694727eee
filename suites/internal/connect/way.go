// Package connect starts the target where necessary and makes the connections to it: it
// knows the ways that lead there, the documents that are served beside the endpoint, and
// whether anything is there at all. It judges nothing.
package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/record"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Way is one way to the target.
type Way struct {
	Transport requirements.Transport
	Launcher  target.Launcher // stdio
	URL       string          // HTTP
	Headers   http.Header     // HTTP, sent with every request
	Login     bool            // Headers hold credentials
	Pool      *wire.Pool      // HTTP, shared by all connections
	Pace      *wire.Pace      // of all requests; nil: as fast as it goes
	Older     bool            // HTTP: where the server refuses it, try HTTP+SSE at the same URL
	Own       bool            // HTTP, served by this program itself

	Record *record.Recorder  // keeps what is said on the connections; nil: nothing does
	Replay *record.Recording // takes the place of the server
}

func (w Way) String() string {
	if w.Transport == requirements.Stdio {
		return "over stdio"
	}
	return "at " + w.URL
}

// Listens tries once whether the target's address takes connections.
func (w Way) Listens(ctx context.Context) bool {
	there, _ := w.taken(ctx)
	return there
}

// A notReady is the HTTP status by which a gateway says that the server behind it does not
// answer, or a server that it cannot serve yet.
type notReady int

func (n notReady) Error() string { return fmt.Sprintf("HTTP status %d", int(n)) }

func unready(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// Knock tries whether the target speaks HTTP, with a ping, the most harmless
// message. Any answer counts but one that says that the server is not ready, and
// so does a connection that is accepted without one. What TLS says has its own time: a
// server that is slow to shake hands may have a certificate that the kit does not trust.
func (w Way) Knock(ctx context.Context) error {
	only, err := w.onlyHTTP2(ctx)
	if refusesTLS(err) != "" {
		return err
	}
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
	pool := w.Pool.Like(wire.Limits{})
	defer pool.CloseIdleConnections()
	if only {
		pool.SpeakHTTP2()
	}
	response, err := pool.RoundTrip(request)
	switch {
	case err == nil && unready(response.StatusCode):
		_ = response.Body.Close()
		return notReady(response.StatusCode)
	case err == nil:
		return response.Body.Close()
	case ctx.Err() == nil && waiting.Err() != nil && refusesTLS(err) == "" && w.Listens(ctx):
		return nil
	default:
		return err
	}
}

// restarts is how often There looks, five times a second: a process that ends and is started
// anew by a supervisor listens again within two seconds.
const restarts = 10

// There reports whether a server that all connections share is still there. It
// tries several times: a server under load, or one that restarts, may refuse a
// connection. A server that lets a client wait is there, but busy.
func (w Way) There(ctx context.Context) bool {
	if w.URL == "" || w.Replay != nil {
		return true
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range restarts {
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

// taken reports whether the address takes a connection, or refuses it. An
// unreadable address does neither: the wire says what is wrong with it.
func (w Way) taken(ctx context.Context) (there, refused bool) {
	u, err := url.Parse(w.URL)
	if err != nil {
		return false, false
	}
	port := cmp.Or(u.Port(), u.Scheme) // a service name
	dialing, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := w.Pool.Dial(dialing, net.JoinHostPort(u.Hostname(), port))
	if err == nil {
		_ = conn.Close()
		return true, false
	}
	late, ok := errors.AsType[net.Error](err)
	return false, !ok || !late.Timeout()
}
