package server_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// HTTP+SSE is served beside Streamable HTTP. The stream names the path for posts, each
// post is accepted at once, and the answer comes on the stream.
func TestLegacy(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(made(t, server.Options{}).Both())
	t.Cleanup(s.Close)
	get, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := s.Client().Do(get)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Body.Close() })
	lines := bufio.NewScanner(stream.Body)
	data := func() string {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return text
			}
		}
		t.Fatal("the stream has ended")
		return ""
	}
	post := func(to, origin string) int {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+to, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		answer, err := s.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	to := data()
	for want, got := range map[int]int{
		http.StatusAccepted: post(to, ""), http.StatusForbidden: post(to, "http://evil.example"),
		http.StatusNotFound: post("/message?sessionId=never", ""), http.StatusMethodNotAllowed: post("/sse", ""),
		http.StatusOK: post("/mcp", ""),
	} {
		if got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
	if answer := data(); !strings.Contains(answer, `"protocolVersion":"2024-11-05"`) {
		t.Errorf("the answer is %s", answer)
	}
}
