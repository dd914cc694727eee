package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Lines of stdout do not depend on the pieces in which they come. Together they are the
// output, and no line is kept beyond the limit.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "\n", "{}\n", "a\r\n\nb", strings.Repeat("x", 100) + "\ny", "\xef\xbb\xbf{}\n\x00\n"} {
		f.Add([]byte(seed), 16)
	}
	type line struct {
		Text string
		Size int
	}
	lines := func(t *testing.T, in io.Reader, limit int) (all []line, last int) {
		t.Helper()
		r := newLineReader(in, limit)
		for {
			text, size, err := r.next()
			if len(text) > limit || size < len(text) {
				t.Fatalf("%d bytes are kept of %d, the limit is %d", len(text), size, limit)
			}
			all = append(all, line{string(text), size})
			if err != nil {
				return all, size
			}
		}
	}
	f.Fuzz(func(t *testing.T, output []byte, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		got, last := lines(t, bytes.NewReader(output), limit)
		pieces, _ := lines(t, iotest.OneByteReader(bytes.NewReader(output)), limit)
		if diff := cmp.Diff(got, pieces); diff != "" {
			t.Errorf("-at once +byte by byte:\n%s", diff)
		}
		rest := output
		for i, l := range got {
			if !bytes.HasPrefix(rest, []byte(l.Text)) {
				t.Fatalf("line %d is %q, the output goes on with %q", i, l.Text, rest)
			}
			if kept := lineFrame([]byte(l.Text), l.Size); kept.Truncated != (len(l.Text) < l.Size) || string(kept.Raw()) != l.Text {
				t.Fatalf("the frame of %q holds %q, truncated %v", l.Text, kept.Raw(), kept.Truncated)
			}
			rest = rest[min(l.Size+1, len(rest)):]
		}
		if len(rest) != 0 || last > 0 && bytes.HasSuffix(output, []byte("\n")) {
			t.Errorf("%q is left", rest)
		}
	})
}

// Events do not depend on the pieces in which they come, hold lines of the stream in its
// order and nothing else, and no event is kept beyond the limit.
func FuzzEventParser(f *testing.F) {
	for _, seed := range []string{
		"data: {}\n\n", "id:1\r\n\r\n: x\r\rdata", "\xef\xbb\xbf\n\ndata:\n\n", "event: e\ndata: {\ndata: }\n\n\n",
		"retry: 5\nid\nevent\n\n", strings.Repeat("data: x\n", 20) + "\n", strings.Repeat(":\n", 1100) + "data: y\n\n",
	} {
		f.Add(seed, 64)
	}
	f.Fuzz(func(t *testing.T, stream string, limit int) {
		if limit < 1 || limit > 1<<20 {
			return
		}
		whole := parse(stream, limit, 1<<20)
		if diff := cmp.Diff(whole, parse(stream, limit, 1)); diff != "" {
			t.Error(diff)
		}
		rest := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(stream, bom))
		for _, event := range whole {
			kept := 0
			for _, line := range event.SSE.Lines {
				kept += len(line)
				_, after, there := strings.Cut(rest, line)
				if !there || strings.ContainsAny(line, "\r\n") {
					t.Fatalf("the line %q is not in the rest of the stream, %q", line, rest)
				}
				rest = after
			}
			if kept > limit || event.Size < kept && event.Truncated {
				t.Fatalf("%d bytes are kept of %d, the limit is %d", kept, event.Size, limit)
			}
		}
	})
}

// The head of an answer to a request that was written by hand is read within its limit,
// whatever the pieces. Interim answers are none.
func FuzzHead(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.0 401 \nWWW-Authenticate: Bearer\n\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 200 OK\r\n a: b\r\n\r\n",
	} {
		f.Add([]byte(seed), http.MethodPost, 1<<10)
	}
	f.Fuzz(func(t *testing.T, answer []byte, method string, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		request := raw{says: &frame.HTTPRequest{Line: method + " /mcp HTTP/1.1"}}
		read := func(from io.Reader) (*http.Response, []byte, int, bool) {
			taken := &counted{from: from}
			head := &bounded{from: taken, left: int64(limit)}
			response, err := request.read(bufio.NewReader(head))
			if taken.bytes > limit {
				t.Fatalf("%d bytes are read of a head, the limit is %d", taken.bytes, limit)
			}
			if err != nil {
				return nil, nil, 0, false
			}
			head.free = true
			body, _ := io.ReadAll(response.Body)
			return response, body, response.StatusCode, true
		}
		response, body, status, ok := read(bytes.NewReader(answer))
		_, again, statusAgain, okAgain := read(bytes.NewReader(answer))
		if !bytes.Equal(body, again) || status != statusAgain || ok != okAgain {
			t.Errorf("one answer, read twice: %d %q, then %d %q", status, body, statusAgain, again)
		}
		if _, pieces, statusPieces, okPieces := read(iotest.OneByteReader(bytes.NewReader(answer))); ok && okPieces && (status != statusPieces || !bytes.Equal(body, pieces)) {
			t.Errorf("at once %d %q, byte by byte %d %q", status, body, statusPieces, pieces)
		}
		if !ok {
			return
		}
		if interim := status < 200 && status != http.StatusSwitchingProtocols; interim || len(body) > len(answer) {
			t.Errorf("status %d with %d bytes, of %d", status, len(body), len(answer))
		}
		for name, values := range response.Header {
			for _, value := range values {
				if strings.ContainsAny(name+value, "\r\n") {
					t.Errorf("the header %q: %q breaks a line", name, value)
				}
			}
		}
	})
}

// counted counts the bytes that are read.
type counted struct {
	from  io.Reader
	bytes int
}

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.bytes += n
	return n, err
}

// Whatever an endpoint event says, the kit posts to the host of the server only, over
// HTTP, or, for a server on this machine, to this machine.
func FuzzEndpoint(f *testing.F) {
	for _, seed := range []string{
		"/messages?session=1", "", "http://127.0.0.1:1/x", "http://[::1]:8080/", "//evil.example/x", "http://127.0.0.1@evil.example/", "file:///etc/passwd",
		"http://localhost.evil.example/", "\\\\evil.example\\x", "http://2130706433/", "http://[::ffff:169.254.169.254]/", "http://%31%36%39.254.169.254/", "..\x00",
	} {
		f.Add(seed, "http://127.0.0.1:1/sse")
		f.Add(seed, "https://harbour.example/sse")
	}
	f.Fuzz(func(t *testing.T, said, base string) {
		conn, err := DialSSE(t.Context(), HTTPTarget{URL: base}, Options{})
		if err != nil {
			return
		}
		event := frame.New(frame.Received, frame.KindEvent, []byte(said))
		event.SSE = &frame.SSE{Event: "endpoint", HasEvent: true, Data: []string{said}}
		conn.announced(event)
		conn.news.Lock()
		to, foreign := conn.to, conn.foreign
		conn.news.Unlock()
		_ = conn.Close(t.Context())
		if foreign != nil {
			return
		}
		server, err := url.Parse(base)
		if err != nil || to == nil {
			t.Fatalf("nothing is known of where to post: %v, %v", to, err)
		}
		if to.Scheme != "http" && to.Scheme != "https" {
			t.Errorf("posts to %s", to)
		}
		here := regexp.MustCompile(`(?i)^(localhost|127\.0\.0\.1|::1)$`).MatchString
		if same := strings.EqualFold(to.Hostname(), server.Hostname()); !same && !(here(to.Hostname()) && here(server.Hostname())) {
			t.Errorf("a server at %s leads to %s", base, to)
		}
	})
}
