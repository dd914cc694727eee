package memnet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/nettest"

	"github.com/mcp-conform/mcp-conform/suites/internal/memnet"
)

var here = netip.MustParseAddrPort("127.0.0.1:8080")

func elsewhere(_ context.Context, _, address string) (net.Conn, error) {
	return nil, errors.New("asked for " + address)
}

func TestConnectionsAreLikeThoseOfTCP(t *testing.T) {
	t.Parallel()
	nettest.TestConn(t, func() (client, server net.Conn, stop func(), err error) {
		l := memnet.Listen(here)
		if client, err = l.Dial(elsewhere)(t.Context(), "tcp", here.String()); err != nil {
			return nil, nil, nil, err
		}
		server, err = l.Accept()
		return client, server, func() { _, _, _ = client.Close(), server.Close(), l.Close() }, err
	})
}

// A server that takes an hour is waited for, which takes no time.
func TestHTTPInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := memnet.Listen(here)
		server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			_, _ = io.WriteString(w, r.Host+" "+r.RemoteAddr)
		})}
		go func() { _ = server.Serve(l) }()
		pool := &http.Transport{DialContext: l.Dial(elsewhere)}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost:8080/", nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		response, err := pool.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(response.Body)
		if took := time.Since(began); string(said) != "localhost:8080 127.0.0.1:1025" || err != nil || took != time.Hour {
			t.Errorf("%s after %s, %v", said, took, err)
		}
		pool.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestWhoIsLetIn(t *testing.T) {
	t.Parallel()
	l := memnet.Listen(here)
	dial := l.Dial(elsewhere)
	for _, row := range []struct {
		address string
		want    error
		says    string
	}{
		{"127.0.0.1:8080", nil, ""},
		{"localhost:8080", nil, ""},
		{"192.0.2.1:8080", syscall.ECONNREFUSED, "connection refused"},
		{"127.0.0.1:80", nil, "asked for 127.0.0.1:80"},
		{"127.0.0.1", nil, "asked for 127.0.0.1"},
	} {
		conn, err := dial(t.Context(), "tcp", row.address)
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) || row.want != nil && !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %q", row.address, err, row.says)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
	waits, err := dial(t.Context(), "tcp", here.String())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := waits.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("who waited to be let in reads: %v", err)
	}
	if _, err := dial(t.Context(), "tcp", here.String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a listener that is closed: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accepted of a listener that is closed: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dial(gone, "tcp", here.String()); !errors.Is(err, context.Canceled) {
		t.Errorf("dialled by one who has gone: %v", err)
	}
}
