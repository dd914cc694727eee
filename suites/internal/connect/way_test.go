package connect_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A server that answers anything is there; a stopped one is gone.
func TestWhetherAnythingIsThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	w := connect.Way{Transport: requirements.HTTP, URL: server.URL + "/mcp", Pool: wire.NewPool(wire.Limits{})}
	if err := w.Knock(t.Context()); err != nil || !w.Listens(t.Context()) || !w.There(t.Context()) {
		t.Errorf("a server that listens is not there: %v", err)
	}
	server.Close()
	if err := w.Knock(t.Context()); err == nil || w.Listens(t.Context()) || w.There(t.Context()) {
		t.Error("a server that was stopped is there")
	}
	if !(connect.Way{Transport: requirements.Stdio}).There(t.Context()) {
		t.Error("a process that each connection starts is not there")
	}
}

// A gateway whose server does not answer yet is not there; any other refusal is an answer.
func TestWhetherAServerIsReady(t *testing.T) {
	t.Parallel()
	for status, ready := range map[int]bool{400: true, 401: true, 404: true, 429: true, 500: true, 501: true, 502: false, 503: false, 504: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		w := connect.Way{Transport: requirements.HTTP, URL: server.URL + "/mcp", Pool: wire.NewPool(wire.Limits{})}
		if err := w.Knock(t.Context()); (err == nil) != ready {
			t.Errorf("HTTP status %d: %v, want ready: %t", status, err, ready)
		}
		server.Close()
	}
}

// A slow listener takes so many connections at once, and all others too late for an answer.
type slow struct {
	net.Listener
	taken  *atomic.Int32
	atOnce int32
}

func (s slow) Accept() (net.Conn, error) {
	connection, err := s.Listener.Accept()
	if s.taken.Add(1) > s.atOnce {
		time.Sleep(1500 * time.Millisecond)
	}
	return connection, err
}

// A certificate that is not trusted is what is in the way, also where the server is too slow
// for an answer.
func TestUntrustedAndSlow(t *testing.T) {
	t.Parallel()
	for _, atOnce := range []int32{0, 1} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Listener = slow{server.Listener, &atomic.Int32{}, atOnce}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		w := connect.Way{Transport: requirements.HTTP, URL: server.URL, Pool: wire.NewPool(wire.Limits{})}
		err := w.Knock(t.Context())
		if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); !untrusted {
			t.Errorf("%d at once: the error is %v, want that of the certificate", atOnce, err)
		}
		server.Close()
	}
}

// The handshake shows a server over TLS without HTTP/1.1.
func TestOnlyHTTP2(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		offers []string
		want   bool
	}{{[]string{"h2"}, true}, {[]string{"h2", "http/1.1"}, false}, {nil, false}} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = &tls.Config{NextProtos: row.offers, MinVersion: tls.VersionTLS12}
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetHTTP2(row.offers != nil)
		server.Config.Protocols.SetHTTP1(!row.want)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		trusted := x509.NewCertPool()
		trusted.AddCert(server.Certificate())
		w := connect.Way{Transport: requirements.HTTP, URL: server.URL, Pool: wire.NewPool(wire.Limits{})}
		w.Pool.Trust(&tls.Config{RootCAs: trusted})
		if err := w.Knock(t.Context()); err != nil {
			t.Errorf("%q: %v", row.offers, err)
		}
		if w.Settle(t.Context()); w.HTTP2() != row.want {
			t.Errorf("%q: only HTTP/2 is %t, want %t", row.offers, w.HTTP2(), row.want)
		}
		server.Close()
	}
}

// The kit looks for a document at the origin of the endpoint, or at its
// configured address.
func TestDocuments(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`"` + r.URL.Path + `"`))
	}))
	defer server.Close()
	hide := func(text string) string { return text }
	d := connect.New(connect.Way{Transport: requirements.HTTP, URL: server.URL + "/mcp"}, 1<<20, hide)
	shown := 0
	trace := func() func(probe.Seen) { return func(probe.Seen) { shown++ } }
	for named, want := range map[string]string{"": `"/capabilities"`, server.URL + "/else": `"/else"`} {
		docs := d.Documents(config.Config{Target: config.Target{CapabilitiesURL: named}}, trace)
		got, err := docs.Get(t.Context(), docs.Capabilities, 0)
		if err != nil || got.Status != http.StatusOK || string(got.Body) != want || docs.Named != (named != "") {
			t.Errorf("named %q: %d %s, %v", named, got.Status, got.Body, err)
		}
	}
	if shown == 0 {
		t.Error("nobody was shown a frame")
	}
	stdio := connect.New(connect.Way{Transport: requirements.Stdio}, 1<<20, hide)
	if docs := stdio.Documents(config.Config{}, trace); docs.Capabilities != "" || docs.Get != nil {
		t.Errorf("over stdio: %+v", docs)
	}
	if docs := stdio.Documents(config.Config{}, trace); docs.Near != nil || docs.Visit != nil {
		t.Errorf("over stdio an address is visited without external: %+v", docs)
	}
	docs := stdio.Documents(config.Config{External: true}, trace)
	got, err := docs.Visit(t.Context(), probe.Visit{At: server.URL + "/ref/1"})
	if err != nil || got.Status != http.StatusOK || string(got.Body) != `"/ref/1"` || docs.Endpoint != "" || docs.WellKnown != "" {
		t.Errorf("over stdio with external: %d %s, %v", got.Status, got.Body, err)
	}
	for _, at := range []string{"", "file:///srv/x", "/ref/1", "ref-1"} {
		if _, err := docs.Visit(t.Context(), probe.Visit{At: at}); err == nil || docs.Near(at) {
			t.Errorf("over stdio with external %q is visited", at)
		}
	}
}

// The end of a conversation has no limit, but only a moment once the run is cut
// short.
func TestClosing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cut := context.WithCancel(t.Context())
		closing, cancel := connect.Closing(ctx)
		defer cancel()
		time.Sleep(time.Minute)
		cut()
		synctest.Wait()
		if closing.Err() != nil {
			t.Error("no moment is left for the end")
		}
		<-closing.Done()
	})
}
