package wire

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// raw writes a request by hand and reads the answer, over a TCP connection of
// its own: net/http corrects names, values and lengths, and refuses the rest.
type raw struct {
	to   *http.Request // the address; its content is not sent
	says *frame.HTTPRequest
}

// spell writes a request as net/http would. The connection ends with the
// answer, so that the end of the body always shows.
func spell(r *http.Request, text string) *frame.HTTPRequest {
	says := &frame.HTTPRequest{Line: r.Method + " " + r.URL.RequestURI() + " HTTP/1.1", Body: text}
	if login := r.URL.User; login != nil && r.Header.Get("Authorization") == "" {
		password, _ := login.Password()
		r.SetBasicAuth(login.Username(), password)
	}
	says.Fields = append(says.Fields, "Host: "+cmp.Or(r.Host, r.URL.Host))
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, value := range r.Header[name] {
			says.Fields = append(says.Fields, name+": "+value)
		}
	}
	if text != "" || r.Method == http.MethodPost {
		says.Fields = append(says.Fields, "Content-Length: "+strconv.Itoa(len(text)))
	}
	says.Fields = append(says.Fields, "Connection: close")
	return says
}

// errHead ends an exchange whose head seems to have no end.
var errHead = errors.New("the header of the response is longer than the limit")

// do sends the request and reads the head of the answer. The body is read from
// the connection, which the Close of the body ends.
func (r raw) do(ctx context.Context, pool *Pool, limits Limits) (*http.Response, error) {
	conn, err := connect(ctx, pool, r.to)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	written := make(chan error, 1)
	go func() {
		// A server may refuse the beginning and stop reading, so writing must not
		// block reading.
		_, err := io.WriteString(conn, r.says.String())
		written <- err
	}()
	end := func() error {
		stop()
		err := conn.Close()
		<-written
		return err
	}
	head := &bounded{from: conn, left: limits.Header}
	response, err := r.read(bufio.NewReader(head))
	if err != nil {
		_ = end()
		return nil, err
	}
	head.free = true
	response.Body = ended{response.Body, end}
	return response, nil
}

// read skips interim answers, such as status 100.
func (r raw) read(from *bufio.Reader) (*http.Response, error) {
	method := r.says.HTTP().Method
	for {
		response, err := http.ReadResponse(from, &http.Request{Method: method})
		if err != nil {
			return nil, fmt.Errorf("read the response: %w", err)
		}
		if response.StatusCode >= 200 || response.StatusCode == http.StatusSwitchingProtocols {
			return response, nil
		}
	}
}

// handshakeWait is how long a TLS handshake may take.
const handshakeWait = 10 * time.Second

// connect connects to the server as the pool does.
func connect(ctx context.Context, pool *Pool, to *http.Request) (net.Conn, error) {
	address := net.JoinHostPort(to.URL.Hostname(), port(to.URL))
	plain, err := pool.Dial(ctx, address)
	if err != nil || to.URL.Scheme != "https" {
		return plain, err
	}
	config := pool.TLS()
	config.NextProtos, config.ServerName = []string{"http/1.1"}, cmp.Or(config.ServerName, to.URL.Hostname())
	secure := tls.Client(plain, config)
	shaking, cancel := context.WithTimeout(ctx, handshakeWait)
	defer cancel()
	if err := secure.HandshakeContext(shaking); err != nil {
		_ = plain.Close()
		return nil, err
	}
	return secure, nil
}

// bounded reads a limited number of bytes, until the limit is lifted.
type bounded struct {
	from io.Reader
	left int64
	free bool
}

func (b *bounded) Read(into []byte) (int, error) {
	if b.free {
		return b.from.Read(into)
	}
	if b.left <= 0 {
		return 0, errHead
	}
	n, err := b.from.Read(into[:min(int64(len(into)), b.left)])
	b.left -= int64(n)
	return n, err
}

// ended is a body that closes the connection.
type ended struct {
	io.ReadCloser
	end func() error
}

func (e ended) Close() error { return e.end() }
