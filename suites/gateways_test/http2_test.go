package gateways_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// No revision names the version of HTTP. If a server speaks only HTTP/2, cases that
// write HTTP by hand do not apply, and all other cases judge it as ever.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no server speaks HTTP/2")
	}
	const one, two, plainTwo = 1, 2, 4
	for _, row := range []struct {
		name   string
		speaks int
		secure bool
		asked  bool // the configuration says http2
		want   int  // the version spoken
	}{
		{"over TLS, and nothing else", two, true, false, 2},
		{"over TLS, beside HTTP/1.1", one | two, true, false, 1},
		{"over TLS, beside HTTP/1.1, and asked for", one | two, true, true, 2},
		{"without TLS, and nothing else", plainTwo, false, true, 2},
		{"without TLS, beside HTTP/1.1", one | plainTwo, false, false, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			spoken := new(http.Protocols)
			spoken.SetHTTP1(row.speaks&one != 0)
			spoken.SetHTTP2(row.speaks&two != 0)
			spoken.SetUnencryptedHTTP2(row.speaks&plainTwo != 0)
			cfg := proof.Config(t)
			cfg.Target.HTTP2, cfg.Wait.Event = row.asked, 500*time.Millisecond
			served := serveHTTP2(t, &cfg, spoken, row.secure)
			for _, r := range []requirements.Revision{requirements.R20251125, requirements.R20260728} {
				cfg.Revisions.Dates = append(cfg.Revisions.Dates, string(r))
			}
			report := judgeFrom(t, cfg)
			lawful.NothingSaid(t, report)
			if got := served(); !slices.Equal(got, []int{row.want}) {
				t.Errorf("requests came in HTTP/%v, want HTTP/%d only", got, row.want)
			}
			wantByHand(t, report, row.want == 1)
		})
	}
}

// serveHTTP2 puts the reference server at the address of the configuration. The result
// lists the major versions of HTTP of its requests.
func serveHTTP2(t *testing.T, cfg *config.Config, spoken *http.Protocols, secure bool) func() []int {
	t.Helper()
	var asked [3]chan struct{}
	for i := range asked {
		asked[i] = make(chan struct{}, 1)
	}
	behind := inprocess.Server(nil).Handler
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked[r.ProtoMajor] <- struct{}{}:
		default:
		}
		behind.ServeHTTP(w, r)
	}))
	server.Config.Protocols, server.Config.ErrorLog = spoken, log.New(io.Discard, "", 0)
	if secure {
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		for name, on := range map[string]bool{"h2": spoken.HTTP2(), "http/1.1": spoken.HTTP1()} {
			if on {
				server.TLS.NextProtos = append(server.TLS.NextProtos, name)
			}
		}
		server.StartTLS()
		cfg.Target.CA = filepath.Join(t.TempDir(), "ca.pem")
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		if err := os.WriteFile(cfg.Target.CA, text, 0o600); err != nil {
			t.Fatal(err)
		}
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	cfg.Target.URL = server.URL + inprocess.Path
	return func() []int {
		var all []int
		for major, one := range asked {
			if len(one) > 0 {
				all = append(all, major)
			}
		}
		return all
	}
}

// judgeFrom judges the target of a configuration by the pages about the carriage of
// messages.
func judgeFrom(t *testing.T, cfg config.Config) reports.Report {
	t.Helper()
	cfg.Transport = config.HTTP
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, c suite.Case) bool {
			return c.Lane != suite.Waits && slices.Contains([]string{"http", "jsonrpc", "lifecycle", "discover", "security"}, s.Name)
		},
	})
	return report
}

// wantByHand checks the cases that write HTTP/1.1 by hand.
func wantByHand(t *testing.T, report reports.Report, judged bool) {
	t.Helper()
	for _, f := range report.Findings {
		if f.Case != "http/header-lower-case" || f.Revision != requirements.R20260728 {
			continue
		}
		told := f.Reason != nil && strings.Contains(f.Reason.Text, "is spoken to in HTTP/2")
		if (f.Status == reports.Pass) != judged || told == judged {
			t.Errorf("%s: %s %v", f.Case, f.Status, f.Reason)
		}
		return
	}
	t.Error("http/header-lower-case was not judged")
}

// oneByOne accepts one connection at a time, like a server with one thread.
type oneByOne struct {
	net.Listener
	free chan struct{}
}

func (l oneByOne) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &lone{Conn: conn, free: l.free}, nil
}

type lone struct {
	net.Conn
	free chan struct{}
	once sync.Once
}

func (c *lone) Close() error {
	c.once.Do(func() { <-c.free })
	return c.Conn.Close()
}

// A server that serves one connection until its end makes the next request wait while
// our connection is idle: the kit must not take the wait for silence.
func TestOneConnectionAtATime(t *testing.T) {
	t.Parallel()
	behind := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	server := httptest.NewUnstartedServer(behind.Handler())
	server.Listener = oneByOne{server.Listener, make(chan struct{}, 1)}
	server.Start()
	t.Cleanup(server.Close)
	cfg := config.Default()
	cfg.Target.URL, cfg.Transport = server.URL, config.HTTP
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Seed: 1, Timeout: 5 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "jsonrpc/all-answered" },
	})
	lawful.NothingSaid(t, report)
	if len(report.Findings) != 1 || report.Findings[0].Status != reports.Pass {
		t.Errorf("want it passed: %+v", report.Findings)
	}
}
