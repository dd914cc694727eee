package hostile_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A caller is one TCP connection of the kit to a server that writes its HTTP by hand,
// since net/http is too well-behaved for such a server.
type caller struct {
	net.Conn
	reader  *bufio.Reader
	request *http.Request
	decent  http.Handler
}

// next reads a request and returns the answer of a decent server: a status and a body.
// More is false at the end of the requests.
func (c *caller) next() (status int, body string, more bool) {
	r, err := http.ReadRequest(c.reader)
	if err != nil {
		return 0, "", false
	}
	c.request = r
	w := httptest.NewRecorder()
	c.decent.ServeHTTP(w, r)
	_, _ = io.Copy(io.Discard, r.Body)
	return w.Code, w.Body.String(), true
}

// write sends raw bytes, and tells whether the kit takes them.
func (c *caller) write(text string) bool {
	_, err := io.WriteString(c.Conn, text)
	return err == nil
}

// forever sends bytes until the kit takes no more.
func (c *caller) forever(text string) {
	for text = strings.Repeat(text, 1+32<<10/len(text)); c.write(text); {
	}
}

// idle waits until the kit hangs up.
func (c *caller) idle() { _, _ = io.Copy(io.Discard, c.reader) }

// each answers every request by hand until the kit hangs up or answer returns false.
func (c *caller) each(answer func(status int, body string) (keep bool)) {
	for {
		status, body, more := c.next()
		if !more || !answer(status, body) {
			return
		}
	}
}

// head is the start of an ordinary response.
func head(status int, lines ...string) string {
	return "HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n" + strings.Join(append(lines, ""), "\r\n")
}

// length is a Content-Length header.
func length(n int) string { return "Content-Length: " + strconv.Itoa(n) }

const asJSON, asEvents = "Content-Type: application/json", "Content-Type: text/event-stream"

// raw serves on loopback until the test ends.
func raw(t *testing.T, serve func(c *caller)) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	decent := decent().Handler()
	var serving sync.WaitGroup
	var mu sync.Mutex
	open, over := map[net.Conn]bool{}, false
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			if over {
				_ = conn.Close()
			}
			mu.Unlock()
			serving.Go(func() {
				serve(&caller{Conn: conn, reader: bufio.NewReader(conn), decent: decent})
				_ = conn.Close()
				mu.Lock()
				defer mu.Unlock()
				delete(open, conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		over = true
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return "http://" + listener.Addr().String() + "/mcp"
}

// over is a decent server whose HTTP a function may change: the function gets the answer
// of the server.
func over(change func(w http.ResponseWriter, r *http.Request, status int, body string)) http.Handler {
	decent := decent().Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		decent.ServeHTTP(recorder, r)
		change(w, r, recorder.Code, recorder.Body.String())
	})
}

// plainly writes the answer of a decent server.
func plainly(w http.ResponseWriter, status int, body string) {
	if body != "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// always gives every request the same answer.
func always(status int, body string, headers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// push writes a text that the kit gets at once; it fails when the kit has gone.
func push(w http.ResponseWriter, text string) bool {
	_, err := io.WriteString(w, text)
	return err == nil && http.NewResponseController(w).Flush() == nil
}

// elsewhere redirects every request.
func elsewhere(to string) http.Handler {
	return always(http.StatusTemporaryRedirect, "", "Location", to)
}

// reset ends a connection so that bytes on their way are lost.
func reset(c *caller) {
	if conn, ok := c.Conn.(*net.TCPConn); ok {
		_ = conn.SetLinger(0)
	}
}
