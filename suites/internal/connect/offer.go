package connect

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// Offering serves data for the target to fetch: each thing on loopback at a port of its own,
// or one after the other at the origin under which the target reaches the kit.
func Offering(p plan.Plan) probe.Offer {
	origin := p.Config.Target.KitURL
	if p.Replay != nil {
		return offeredBefore(p.Replay)
	}
	at, err := url.Parse(origin)
	if origin == "" || err != nil || at.Host == "" {
		at = &url.URL{Scheme: "http", Host: net.JoinHostPort(localAddress, "0")}
	}
	turn := make(chan struct{}, 1) // who has the port of the origin
	return func(ctx context.Context, o probe.Offered, nonce string) (*probe.Served, error) {
		named := origin != ""
		if named {
			select {
			case turn <- struct{}{}:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		leave := func() {
			if named {
				select {
				case <-turn:
				default: // it is left once
				}
			}
		}
		var lc net.ListenConfig
		address := at.Host
		if named {
			address = net.JoinHostPort("", cmp.Or(at.Port(), "80"))
		}
		listener, err := lc.Listen(ctx, "tcp", address)
		if err != nil {
			leave()
			return nil, err
		}
		where := *at
		if !named {
			where.Host = listener.Addr().String()
		}
		where.Path = "/" + cmp.Or(o.Below, "ref") + "/" + nonce
		return offer(listener, o, where, leave, p.Record.Offer(nonce, where.String())), nil
	}
}

// offeredBefore serves nothing: it repeats where the recorded run served its data, and how
// often the server fetched it.
func offeredBefore(by *record.Recording) probe.Offer {
	return func(_ context.Context, _ probe.Offered, nonce string) (*probe.Served, error) {
		at, fetches, ok := by.Offer(nonce)
		if !ok {
			return nil, errors.New("the recording holds no such data")
		}
		return &probe.Served{URL: at, Fetches: fetches, Close: func() {}}, nil
	}
}

func offer(listener net.Listener, o probe.Offered, at url.URL, leave, fetched func()) *probe.Served {
	var fetches atomic.Int64
	server := &http.Server{ReadHeaderTimeout: mostHead, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		if r.URL.Path != at.Path || r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fetches.Add(1)
		fetched()
		w.Header().Set("Content-Type", o.Type)
		w.WriteHeader(cmp.Or(o.Status, http.StatusOK))
		_, _ = w.Write(o.Body)
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Close
	}()
	return &probe.Served{URL: at.String(), Fetches: func() int { return int(fetches.Load()) }, Close: sync.OnceFunc(func() {
		_ = server.Close()
		select {
		case <-done:
		case <-time.After(time.Second): // Serve ends as soon as its listener is closed
		}
		leave()
	})}
}
