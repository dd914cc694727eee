package hostile_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// TestHeldHTTPS: a server over HTTPS that speaks HTTP/2 alone, and after some good answers
// brings Go's own client to a stop on each connection. A run against it ends with a report
// at the limit, and at the first signal.
func TestHeldHTTPS(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		limit time.Duration // 0: a signal comes
		says  string
	}{
		"the limit":        {limit: 6 * time.Second, says: "cut short after 6s"},
		"the first signal": {says: "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			cfg := config.Default()
			cfg.Target.CA = filepath.Join(t.TempDir(), "trusted.pem")
			server := hold(t, cfg.Target.CA)
			cfg.Target.URL = server.url
			began := time.Now()
			if row.limit == 0 {
				go func() {
					<-server.holds
					cancel()
				}()
			}
			report, err := suites.Judge(ctx, suites.Plan{Config: cfg, Seed: 1, Limit: row.limit})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("ended after %s: %s", time.Since(began).Round(time.Millisecond), report.Verdict.Text)
			<-server.holds // the limit came after that
			if !strings.Contains(report.Verdict.Text, row.says) {
				t.Errorf("the verdict says %q, want %q", report.Verdict.Text, row.says)
			}
			if passed := report.Verdict.Columns[0].Counts.Pass; passed == 0 {
				t.Error("nothing was judged before")
			}
		})
	}
}

// A holder is the server.
type holder struct {
	net.Listener
	url   string
	holds chan struct{} // closed when the first connection was brought to a stop
	tls   *tls.Config

	mu       sync.Mutex
	requests int
	open     []net.Conn
}

// good is how many requests it answers before that: discovery is over by then, and cases
// run.
const good = 60

// hold starts the server, and writes the certificate that it shows.
func hold(t *testing.T, certificate string) *holder {
	t.Helper()
	usual := httptest.NewTLSServer(http.NotFoundHandler()) // has a certificate for 127.0.0.1
	defer usual.Close()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: usual.Certificate().Raw})
	if err := os.WriteFile(certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{
		Listener: listener, url: "https://" + listener.Addr().String() + "/mcp", holds: make(chan struct{}),
		tls: &tls.Config{Certificates: usual.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12},
	}
	behind := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	server := &http.Server{Handler: h.counting(behind.Handler()), TLSConfig: h.tls, ReadHeaderTimeout: time.Minute}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(h) }()
	return h
}

// Accept hands out the connections that are served well.
func (h *holder) Accept() (net.Conn, error) {
	for {
		plain, err := h.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn := tls.Server(plain, h.tls)
		if h.serves(conn) {
			return conn, nil
		}
		go fakeserver.Overflow(conn)
	}
}

// serves reports whether a connection is served well.
func (h *holder) serves(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = append(h.open, conn)
	return h.requests <= good
}

// counting hangs up when there were enough good answers.
func (h *holder) counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		if h.requests++; h.requests == good+1 {
			for _, conn := range h.open {
				_ = conn.Close()
			}
			close(h.holds)
		}
		h.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}
