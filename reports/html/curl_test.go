package html

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
)

func TestCurl(t *testing.T) {
	t.Parallel()
	origin := originIn("http://127.0.0.1:3000/mcp?a=b, served by node dist/index.js")
	sh, err := exec.LookPath("sh")
	for text, want := range map[string][]string{
		"POST /mcp?x=[1]\nAccept: text/event-stream\nIdempotency-Key: \nX-Quote: it's\n\n{\"a\":\"it's\\n@\"}\n": {
			"-i", "-N", "-g", "--path-as-is", "-X", "POST", "http://127.0.0.1:3000/mcp?x=[1]", "-H", "Accept: text/event-stream",
			"-H", "Idempotency-Key;", "-H", "X-Quote: it's", "--data-raw", "{\"a\":\"it's\\n@\"}\n",
		},
		"DELETE /mcp\nMcp-Session-Id: 7": {"-i", "-N", "-g", "--path-as-is", "-X", "DELETE", "http://127.0.0.1:3000/mcp", "-H", "Mcp-Session-Id: 7"},
		"GET /":                          {"-i", "-N", "-g", "--path-as-is", "-X", "GET", "http://127.0.0.1:3000/"},
		"POST /mcp\nbad header: x\n\n{}": nil, "POST /mcp\nno colon\n\n{}": nil, `{"jsonrpc":"2.0"}`: nil, "POST /mcp\n\n\x00": nil, "POST /mcp\n\n\xff": nil,
		"POST /mcp\n\n" + strings.Repeat("x", largestCurl): nil,
	} {
		command := curl(origin, reports.Frame{Dir: "sent", Text: text})
		if want == nil {
			if command != "" {
				t.Errorf("%q: got %s, want no command", text, command)
			}
			continue
		}
		if err != nil {
			t.Skip("there is no sh")
		}
		out, err := exec.CommandContext(t.Context(), sh, "-c", `curl() { for word; do printf '%s\0' "$word"; done; }; `+command).Output()
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got)\n%s", text, err, diff)
		}
	}
	for _, f := range []reports.Frame{{Dir: "received", Text: "GET /"}, {Dir: "sent", Text: "GET /", Truncated: true}} {
		if got := curl(origin, f); got != "" {
			t.Errorf("%+v: got %s", f, got)
		}
	}
	if got := curl(originIn("the bundled reference server"), reports.Frame{Dir: "sent", Text: "GET /"}); got != "" {
		t.Errorf("without an address: %s", got)
	}
}
