package wire_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
)

// A raw request without changes is what net/http would send.
func TestRawAsUsual(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 2)
	c := serve(t, wire.Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Header.Del("Connection")
		heard <- fmt.Sprint(r.Method, r.RequestURI, r.Host, r.ContentLength, r.Header, string(body))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"id\":1}\n\n")
	})
	out := frame.Outgoing{Text: `{"id":1}`, Header: http.Header{"Mcp-Method": {"a"}, "Host": {"elsewhere.example"}}}
	usual := exchange(t, c, send(t, c, out))
	out.Bend = func(*frame.HTTPRequest) {}
	bent := exchange(t, c, send(t, c, out))
	if diff := cmp.Diff(<-heard, <-heard); diff != "" {
		t.Error(diff)
	}
	for i := range usual {
		if usual[i].Kind != bent[i].Kind || string(usual[i].Raw()) != string(bent[i].Raw()) {
			t.Errorf("frame %d is %v %q, want %v %q", i, bent[i].Kind, bent[i].Raw(), usual[i].Kind, usual[i].Raw())
		}
	}
	if got := bent[0].HTTP; got.Method != http.MethodPost || got.Path != "/mcp?a=b" || got.Header.Get("Host") != "elsewhere.example" {
		t.Errorf("sent %+v", got)
	}
}

// A request that no HTTP library would send goes out byte for byte, and is
// recorded so.
func TestRawBytes(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	heard := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		var text strings.Builder
		for from := bufio.NewReader(conn); !strings.HasSuffix(text.String(), "{}"); {
			b, err := from.ReadByte()
			if err != nil {
				break
			}
			text.WriteByte(b)
		}
		heard <- text.String()
		_, _ = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno")
	}()
	at := "http://" + listener.Addr().String()
	c := reach(t, wire.HTTPTarget{URL: at, Header: http.Header{"Authorization": {"Bearer secret"}}}, wire.Options{
		Redact: func(s string) string { return strings.ReplaceAll(s, "lantern", "[hidden]") },
	})
	frames := exchange(t, c, send(t, c, frame.Outgoing{Text: "{}", Bend: func(r *frame.HTTPRequest) {
		r.Line = "POST / now HTTP/1.1"
		r.Fields = []string{"Host: a", "mcp-method: \x01 lantern ", "mcp-method: b", "no colon", r.Fields[2]}
		r.Set("Content-Length", "Content-Length: 99")
	}}))
	want := "POST / now HTTP/1.1\r\nHost: a\r\nmcp-method: \x01 lantern \r\nmcp-method: b\r\nno colon\r\nAuthorization: Bearer secret\r\nContent-Length: 99\r\n\r\n{}"
	if diff := cmp.Diff(want, <-heard); diff != "" {
		t.Error(diff)
	}
	wantText := "POST / now\nAuthorization: Bearer [redacted]\nContent-Length: 99\nHost: a\nmcp-method: \x01 [hidden] \nmcp-method: b\nno colon: \n\n{}"
	if diff := cmp.Diff(wantText, frames[0].Text()); diff != "" {
		t.Error(diff)
	}
	if head := frames[1]; head.HTTP.Status != 400 || string(frames[2].Raw()) != "no" || frames[3].End.Err != "" {
		t.Errorf("got %+v, %q, %+v", head.HTTP, frames[2].Raw(), frames[3].End)
	}
}

func TestRawOverTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.TLS != nil, r.ProtoMajor)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	pool := wire.NewPool(wire.Limits{})
	pool.Trust(&tls.Config{RootCAs: trusted})
	c := reach(t, wire.HTTPTarget{URL: server.URL, Pool: pool}, wire.Options{})
	frames := exchange(t, c, send(t, c, frame.Outgoing{Text: "{}", Bend: func(*frame.HTTPRequest) {}}))
	if len(frames) < 3 || string(frames[2].Raw()) != "true 1" {
		t.Errorf("got %+v", frames)
	}
	// Without the certificate nothing is sent.
	strange := reach(t, wire.HTTPTarget{URL: server.URL}, wire.Options{})
	frames = exchange(t, strange, send(t, strange, frame.Outgoing{Text: "{}", Bend: func(*frame.HTTPRequest) {}}))
	if end := frames[len(frames)-1].End; !strings.Contains(end.Err, (&tls.CertificateVerificationError{}).Error()[:10]) {
		t.Errorf("the exchange ended with %q", end.Err)
	}
}

// The answer to a raw request is limited as any answer is, and can be aborted
// at any time.
func TestRawTrouble(t *testing.T) {
	t.Parallel()
	bend := frame.Outgoing{Text: "{}", Bend: func(*frame.HTTPRequest) {}}
	for name, tt := range map[string]struct{ says, want string }{
		"an endless head": {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 4096), "the header of the response is longer than the limit"},
		"no HTTP":         {"SSH-2.0-harbour\r\n", "malformed HTTP"},
		"nothing":         {"", "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := reach(t, wire.HTTPTarget{URL: saysOnce(t, tt.says)}, wire.Options{Limits: wire.Limits{Header: 2048}})
			frames := exchange(t, c, send(t, c, bend))
			if end := frames[len(frames)-1].End; !strings.Contains(end.Err, tt.want) {
				t.Errorf("the exchange ended with %q, want %q", end.Err, tt.want)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		c := reach(t, wire.HTTPTarget{URL: "http://127.0.0.1:1"}, wire.Options{})
		frames := exchange(t, c, send(t, c, bend))
		if end := frames[len(frames)-1].End; !strings.HasPrefix(end.Err, frame.NoConnection) {
			t.Errorf("the exchange ended with %q", end.Err)
		}
	})
	t.Run("left alone", func(t *testing.T) {
		t.Parallel()
		begun := make(chan struct{})
		c := serve(t, wire.Options{}, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // only now does the server notice that the client has gone
			close(begun)
			<-r.Context().Done()
		})
		number := send(t, c, bend)
		<-begun
		c.Abort(number)
		frames := exchange(t, c, number)
		if end := frames[len(frames)-1].End; end.Err != "aborted by the kit" {
			t.Errorf("the exchange ended with %q", end.Err)
		}
	})
}

// saysOnce is the address of a server that reads a request and sends a text.
func saysOnce(t *testing.T, text string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.WriteString(conn, text)
		}
		_ = conn.Close()
	}()
	return "http://" + listener.Addr().String()
}
