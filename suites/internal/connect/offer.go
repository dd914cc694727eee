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

	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// Offering serves data for the target to fetch: each thing on loopback at a port of its own,
// or all of them at the origin under which the target reaches the kit.
func Offering(p plan.Plan) probe.Offer {
	if p.Replay != nil {
		return offeredBefore(p.Replay)
	}
	var named *stand
	if at, err := url.Parse(p.Config.Target.KitURL); err == nil && at.Host != "" {
		named = &stand{origin: *at, listen: net.JoinHostPort("", cmp.Or(at.Port(), "80"))}
	}
	return func(ctx context.Context, o probe.Offered, nonce string) (*probe.Served, error) {
		at := named
		if at == nil {
			at = &stand{origin: url.URL{Scheme: "http"}, listen: net.JoinHostPort(localAddress, "0")}
		}
		return at.serve(ctx, o, nonce, p.Record)
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

// A stand serves data at one origin, each thing at a path of its own. It listens as long as
// there is something to serve.
type stand struct {
	origin url.URL // its host is empty until a port is known, where any port will do
	listen string

	mu    sync.Mutex
	goods map[string]http.HandlerFunc // by path
	stop  func()
}

func (s *stand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	s.mu.Lock()
	give := s.goods[r.URL.Path]
	s.mu.Unlock()
	if give == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	give(w, r)
}

// serve serves a thing until it is closed.
func (s *stand) serve(ctx context.Context, o probe.Offered, nonce string, to *record.Recorder) (*probe.Served, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.goods) == 0 {
		var lc net.ListenConfig
		listener, err := lc.Listen(ctx, "tcp", s.listen)
		if err != nil {
			return nil, err
		}
		s.origin.Host = cmp.Or(s.origin.Host, listener.Addr().String())
		s.goods = map[string]http.HandlerFunc{}
		s.stop = answer(&http.Server{ReadHeaderTimeout: mostHead, Handler: s}, listener)
	}
	at := s.origin
	at.Path = "/" + cmp.Or(o.Below, "ref") + "/" + nonce
	fetched := to.Offer(nonce, at.String())
	var fetches atomic.Int64
	s.goods[at.Path] = func(w http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		fetched()
		w.Header().Set("Content-Type", o.Type)
		w.WriteHeader(cmp.Or(o.Status, http.StatusOK))
		_, _ = w.Write(o.Body)
	}
	return &probe.Served{URL: at.String(), Fetches: func() int { return int(fetches.Load()) }, Close: func() { s.remove(at.Path) }}, nil
}

// remove serves the thing at a path no longer.
func (s *stand) remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.goods, path); len(s.goods) == 0 && s.stop != nil {
		s.stop()
		s.stop = nil
	}
}
