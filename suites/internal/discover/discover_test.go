package discover_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Which revisions a server speaks, from what it answers.
func TestVersions(t *testing.T) {
	t.Parallel()
	refuses := func(fakeserver.Request) any { return &fakeserver.Error{Code: -32601, Message: "gone"} }
	typed := discovery("2026-07-28")
	typed["server/discover"] = refuses
	typed["prompts/list"] = func(fakeserver.Request) any { return map[string]any{"resultType": "complete", "prompts": []any{}} }
	modernOnly := discovery("2026-07-28", "2027-01-01")
	modernOnly["initialize"] = refuses
	for name, row := range map[string]struct {
		look      discover.Look
		revisions []requirements.Revision
		eras      []string
		versions  probe.Versions
		supported []string
		sessions  bool
	}{
		"one": {stdio(&fakeserver.Server{}), []requirements.Revision{"2025-11-25"}, []string{"handshake"},
			probe.Versions{Echoed: []requirements.Revision{"2025-11-25"}, Offered: []string{"2025-11-25"}}, nil, false},
		"several": {stdio(&fakeserver.Server{Revisions: []string{"2024-11-05", "2025-06-18"}}), []requirements.Revision{"2024-11-05", "2025-06-18"}, []string{"handshake"},
			probe.Versions{Echoed: []requirements.Revision{"2024-11-05", "2025-06-18"}, Offered: []string{"2025-06-18"}}, nil, false},
		"heard of only": {stdio(&fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{"initialize": func(r fakeserver.Request) any {
			if r.Params["protocolVersion"] == "2025-03-26" {
				return &fakeserver.Error{Code: -32602, Message: "not this one"}
			}
			return map[string]any{"protocolVersion": "2025-03-26"}
		}}}), []requirements.Revision{"2025-03-26"}, []string{"handshake"}, probe.Versions{Offered: []string{"2025-03-26"}}, nil, false},
		"unknown ones": {stdio(&fakeserver.Server{Revisions: []string{"2019-01-01"}}), nil, nil, probe.Versions{Offered: []string{"2019-01-01"}}, nil, false},
		"both eras": {stdio(&fakeserver.Server{Answer: discovery("2026-07-28")}), []requirements.Revision{"2025-11-25", "2026-07-28"}, []string{"handshake", "stateless"},
			probe.Versions{Echoed: []requirements.Revision{"2025-11-25"}, Offered: []string{"2025-11-25"}}, []string{"2026-07-28"}, false},
		"modern only": {stdio(&fakeserver.Server{Answer: modernOnly}), []requirements.Revision{"2026-07-28"}, []string{"stateless"},
			probe.Versions{}, []string{"2026-07-28", "2027-01-01"}, false},
		"a later one only": {stdio(&fakeserver.Server{Answer: discovery("2027-01-01", 7)}), []requirements.Revision{"2025-11-25"}, []string{"handshake"},
			probe.Versions{Echoed: []requirements.Revision{"2025-11-25"}, Offered: []string{"2025-11-25"}}, []string{"2027-01-01"}, false},
		"modern without discovery": {stdio(&fakeserver.Server{Answer: typed}), []requirements.Revision{"2025-11-25", "2026-07-28"}, []string{"handshake", "stateless"},
			probe.Versions{Echoed: []requirements.Revision{"2025-11-25"}, Offered: []string{"2025-11-25"}}, nil, false},
		"HTTP": {overHTTP(t, &fakeserver.Server{HTTP: fakeserver.HTTP{Sessions: true}}), []requirements.Revision{"2025-11-25"}, []string{"handshake"},
			probe.Versions{Echoed: []requirements.Revision{"2025-11-25"}, Offered: []string{"2025-11-25"}}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := row.look.Versions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer found.Close(t.Context())
			versions, err := found.Versions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.revisions, found.Revisions()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.eras, found.Eras()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.versions, versions); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.supported, found.Supported); diff != "" {
				t.Error(diff)
			}
			if found.Sessions != row.sessions {
				t.Errorf("sessions %v", found.Sessions)
			}
		})
	}
}

// What was tried is told once for all revisions that met the same.
func TestTried(t *testing.T) {
	t.Parallel()
	complains := func(_, errw io.Writer) { _, _ = io.WriteString(errw, "no database\n") }
	s := &fakeserver.Server{Stdio: fakeserver.Stdio{Begin: complains, ExitAfter: 1}, Answer: all(fakeserver.Silence{})}
	found, err := stdio(s).Versions(t.Context(), requirements.Revisions()...)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"initialize 2024-11-05, initialize 2025-03-26, initialize 2025-06-18, initialize 2025-11-25, server/discover: " +
		"the end of the process, exit code 1; its last words on stderr: no database"}
	if diff := cmp.Diff(want, found.Tried); diff != "" {
		t.Error(diff)
	}
	// The first line is all that an overview of many servers shows.
	want = []string{
		"the end of the process, exit code 1; its last words on stderr: no database",
		"  asked: initialize 2024-11-05, initialize 2025-03-26, initialize 2025-06-18, initialize 2025-11-25, server/discover",
	}
	if diff := cmp.Diff(want, strings.Split(found.Unspoken(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// What the server offers instead is told when none of it is known.
func TestUnspoken(t *testing.T) {
	t.Parallel()
	found, err := stdio(&fakeserver.Server{Revisions: []string{"2019-01-01", "2020-01-01"}}).Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := strings.Cut(found.Unspoken(), "\n"); got != "over stdio no known revision was agreed on; the server offers 2020-01-01" {
		t.Errorf("got %s", got)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	l := look(requirements.Stdio, func(context.Context) (probe.Conn, error) { return nil, errors.New("no such command") })
	if _, err := l.Versions(t.Context()); err == nil || err.Error() != "no such command" {
		t.Errorf("got %v", err)
	}
	if _, _, err := l.Survey(t.Context(), requirements.R20251125, &discover.Found{}); err == nil {
		t.Error("nobody was surveyed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := stdio(&fakeserver.Server{}).Versions(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	s := &fakeserver.Server{
		Capabilities: map[string]any{"tools": map[string]any{}, "prompts": map[string]any{}, "resources": map[string]any{}},
		Prompts:      []map[string]any{{"name": "p", "arguments": []any{map[string]any{"name": "a", "required": true}}}},
		Answer: map[string]func(fakeserver.Request) any{
			"tools/list": func(r fakeserver.Request) any {
				cursor, _ := r.Params["cursor"].(string)
				return map[string]any{"tools": []any{map[string]any{"name": "t" + cursor}}, "nextCursor": cursor + "x"}
			},
			"resources/list": func(fakeserver.Request) any {
				return map[string]any{"resources": []any{map[string]any{"uri": "file:///a"}}}
			},
			"resources/templates/list": func(fakeserver.Request) any { return map[string]any{"resourceTemplates": []any{map[string]any{}}} },
		},
	}
	found := &discover.Found{Legacy: []requirements.Revision{"2025-11-25"}, Modern: true, Supported: []string{"x"}}
	got, client, err := stdio(s).Survey(t.Context(), requirements.R20251125, found)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close(t.Context()) }()
	if got.ServerInfo["name"] != "rigged" || len(got.Capabilities) != 3 || got.Supported[0] != "x" {
		t.Errorf("got %+v", got)
	}
	var tools []string
	for _, item := range got.Lists["tools/list"] {
		tools = append(tools, fmt.Sprint(item.(map[string]any)["name"]))
	}
	if diff := cmp.Diff([]string{"t", "tx", "txx"}, tools); diff != "" {
		t.Error("the pages up to the limit:", diff)
	}
	want := map[probe.Trait]bool{
		"modern": true, "legacy": true, "dual-era": true, "paginates": true, "paginates:tools/list": true,
		"resource-templates": true, "file-resources": true, "prompt-with-required-arguments": true,
	}
	if diff := cmp.Diff(want, got.Traits); diff != "" {
		t.Error(diff)
	}
}

// Lists that go round, fail half-way, or are none.
func TestOddLists(t *testing.T) {
	t.Parallel()
	tool := []any{map[string]any{"name": "t"}}
	for name, row := range map[string]struct {
		answer func(fakeserver.Request) any
		items  int
		asked  int
	}{
		"round":   {func(fakeserver.Request) any { return map[string]any{"tools": tool, "nextCursor": "same"} }, 1, 2}, // it starts over
		"refused": {func(fakeserver.Request) any { return &fakeserver.Error{Code: -32603, Message: "no"} }, 0, 1},
		"no list": {func(fakeserver.Request) any { return map[string]any{"tools": "t"} }, 0, 1},
		"empty":   {func(fakeserver.Request) any { return map[string]any{"tools": tool, "nextCursor": ""} }, 1, 1},
		"no text": {func(fakeserver.Request) any { return map[string]any{"tools": tool, "nextCursor": 7} }, 1, 1},
		"half-way": {func(r fakeserver.Request) any {
			if r.Params["cursor"] != nil {
				return &fakeserver.Error{Code: -32603, Message: "no"}
			}
			return map[string]any{"tools": tool, "nextCursor": "c"}
		}, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}}, Answer: map[string]func(fakeserver.Request) any{"tools/list": row.answer}}
			got, client, err := stdio(s).Survey(t.Context(), requirements.R20251125, &discover.Found{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close(t.Context()) }()
			asked := 0
			for _, r := range s.Seen() {
				if r.Method == "tools/list" {
					asked++
				}
			}
			if len(got.Lists["tools/list"]) != row.items || asked != row.asked {
				t.Errorf("%d items, asked %d times", len(got.Lists["tools/list"]), asked)
			}
		})
	}
}

func TestModernSurvey(t *testing.T) {
	t.Parallel()
	s := &fakeserver.Server{Capabilities: map[string]any{"tools": map[string]any{}}, Answer: discovery("2026-07-28")}
	got, client, err := stdio(s).Survey(t.Context(), requirements.R20260728, &discover.Found{Modern: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close(t.Context()) }()
	if got.ServerInfo["name"] != "modern" || got.Capabilities["tools"] == nil || !got.Traits[probe.ModernOnly] {
		t.Errorf("got %+v", got)
	}
	for _, r := range s.Seen() {
		if r.Method == "initialize" {
			t.Error("a stateless server was greeted")
		}
	}
}

// A server that says nothing is asked no more than it has to be.
func TestSilenceEndsTheSearch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answers := all(fakeserver.Silence{})
		answers["server/discover"] = func(fakeserver.Request) any { return &fakeserver.Error{Code: -32601, Message: "unknown"} }
		s := &fakeserver.Server{Answer: answers}
		found, err := stdio(s).Versions(t.Context())
		if err != nil || len(found.Revisions()) > 0 {
			t.Fatal(found.Revisions(), err)
		}
		lists := 0
		for _, r := range s.Seen() {
			if strings.HasSuffix(r.Method, "/list") {
				lists++
			}
		}
		if lists != 1 {
			t.Errorf("%d lists were asked for in vain, want one", lists)
		}
	})
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		transport requirements.Transport
		tried     string
		want      string
	}{
		"an exit":         {requirements.Stdio, "initialize: the end of the process, exit code 1", "run it by hand"},
		"a gateway alone": {requirements.HTTP, "HTTP status 502 without a JSON-RPC response", "the server behind it does not"},
		"a banner":        {requirements.Stdio, "no answer within 10s; what came instead is Hello", "logs and banners"},
		"another framing": {requirements.Stdio, "no answer within 10s; what came instead is Content-Length: 137", "one line of JSON"},
		"nothing flushed": {requirements.Stdio, "no answer within 10s", "flush"},
		"pretty JSON": {
			requirements.Stdio, `no answer within 10s; what came instead is { (it is not JSON: unexpected EOF at byte 1)`, "strict JSON",
		},
		"a message over several lines": {
			requirements.Stdio, `no answer within 2s; what came instead is a message over 9 lines, want it on one: {`, "without indentation",
		},
		"UTF-16": {
			requirements.Stdio, "no answer within 10s; what came instead is {\x00\"\x00 (it is not JSON: invalid character '\\x00')", "messages are UTF-8",
		},
		"no line break": {
			requirements.Stdio, "no answer within 10s\n  stdout, with no line break at its end: {\"jsonrpc\"", "write one behind each message",
		},
		"another framing, no line break": {
			requirements.Stdio, "no answer within 10s; what came instead is Content-Length: 137\n  stdout, with no line break at its end: {", "no header",
		},
		"a banner without a line break": {requirements.Stdio, "no answer within 10s\n  stdout, with no line break at its end: Hello", "logs and banners"},
		"a variable is missing":         {requirements.Stdio, "initialize: the end of the process, exit code 1", "--env NAME=VALUE"},
		"a word of the shell":           {requirements.Stdio, `start "cd": exec: "cd": executable file not found in $PATH`, "--cwd"},
		"a long message":                {requirements.Stdio, "the answer to initialize is 142 bytes long, longer than limits.frame; raise it", "how much"},
		"a stream as JSON": {
			requirements.HTTP, "initialize 2025-11-25: HTTP status 200 without a JSON-RPC response, but with what is not JSON: event: message", "text/event-stream",
		},
		"half an event": {
			requirements.HTTP, `HTTP status 200 without a JSON-RPC response, but with a part of an event: data: {"id":1}`, "a blank line behind it",
		},
		"another name":  {requirements.HTTP, "HTTP status 403 without a JSON-RPC response: Access is only allowed at localhost:8080", "localhost in place"},
		"gzip":          {requirements.HTTP, "HTTP status 200 without a JSON-RPC response, but with what is not JSON: gzip", "Accept-Encoding"},
		"a log in JSON": {requirements.Stdio, `no answer within 10s; what came instead is {"level":"info"}`, "send logs to stderr"},
		"another id": {
			requirements.Stdio, `no answer within 10s; what came instead has the id 7, the request had 1: {"id":7}`, "the id of its request",
		},
		"another id, HTTP+SSE": {
			requirements.SSE, "no answer within 10s on the event stream, after HTTP status 202; what came instead has no id, the request had 1: {",
			"the id of its request",
		},
		"nonsense":        {requirements.Stdio, `initialize 2025-11-25: result {"hello":1}`, "protocolVersion"},
		"no array":        {requirements.Stdio, `server/discover: result {"supportedVersions":"2026-07-28"}`, "supportedVersions, an array"},
		"nonsense, HTTP":  {requirements.HTTP, `initialize 2025-11-25: result {"hello":1}`, "protocolVersion"},
		"only errors":     {requirements.Stdio, `initialize 2025-11-25: error {"code":-32601}`, "answers with errors"},
		"silence":         {requirements.Stdio, "no answer within 10s", "--start-timeout"},
		"no command":      {requirements.Stdio, "start x: file not found", "does the command exist"},
		"nobody listens":  {requirements.HTTP, "dial tcp: connection refused", "is the server running"},
		"no host":         {requirements.HTTP, "lookup x: no such host", "host name"},
		"another service": {requirements.HTTP, "HTTP status 404 without a JSON-RPC response", "is the path right"},
		"another type": {requirements.HTTP,
			`HTTP status 200 without a JSON-RPC response, but with the Content-Type "text/plain" and {"id":1}`, "application/json or"},
		"one session": {requirements.HTTP, `initialize 2025-11-25: error {"code":-32600,"message":"Invalid Request: Server already initialized"}
  server/discover: HTTP status 400 without a JSON-RPC response`, "starts it for each run"},
		"silence, HTTP":  {requirements.HTTP, "no answer within 10s", "--timeout"},
		"HTTP/2 only":    {requirements.HTTP, `initialize 2025-11-25: the end of the connection: malformed HTTP response "\x00\x00"`, "target.http2"},
		"strange issuer": {requirements.HTTP, "x509: certificate signed by unknown authority", "target.ca"},
		"another host": {requirements.HTTP,
			"tls: failed to verify certificate: x509: certificate is valid for example.com, not localhost", "target.ca"},
		"no TLS": {requirements.HTTP, "the end of the connection: http: server gave HTTP response to HTTPS client", "use http://"},
		"TLS": {requirements.HTTP,
			"HTTP status 400 without a JSON-RPC response: Client sent an HTTP request to an HTTPS server.", "wants https://"},
		"TLS and no word": {requirements.HTTP, "the end of the connection: read: connection reset by peer", "wants https://"},
		"a variable":      {requirements.Stdio, `start "API_KEY=x": exec: "API_KEY=x": executable file not found in $PATH`, "--env"},
		"quotes":          {requirements.Stdio, `start "node x.js": exec: "node x.js": executable file not found in $PATH`, "leave out the quotes"},
		"no folder":       {requirements.Stdio, `start "node" in "x": its working directory x is not a directory`, "--cwd"},
		"an address":      {requirements.Stdio, `start "http://127.0.0.1:1/mcp": no such file or directory`, "--url"},
		"anything, HTTP":  {requirements.HTTP, "tls: bad certificate", "MCP endpoint"},
	} {
		if got := discover.Advice(row.transport, row.tried, ""); !strings.Contains(got, row.want) {
			t.Errorf("%s: got %s, want something with %q", name, got, row.want)
		}
	}
}

// What an HTTP server says in words of its own is told to whoever wonders why
// nothing could be judged.
func TestTriedTellsTheBody(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, want string }{
		"a line":  {"Access is only allowed at localhost:8080\nsecond line", "HTTP status 403 without a JSON-RPC response: Access is only allowed at localhost:8080"},
		"a page":  {"<html>no</html>", "HTTP status 403 without a JSON-RPC response"},
		"nothing": {"", "HTTP status 403 without a JSON-RPC response"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, row.body)
			}))
			defer front.Close()
			l := look(requirements.HTTP, func(ctx context.Context) (probe.Conn, error) {
				return wire.DialHTTP(ctx, wire.HTTPTarget{URL: front.URL}, wire.Options{})
			})
			found, err := l.Versions(t.Context(), requirements.Revisions()...)
			if err != nil || len(found.Tried) != 1 {
				t.Fatal(err, found.Tried)
			}
			if _, outcome, _ := strings.Cut(found.Tried[0], ": "); outcome != row.want {
				t.Errorf("got %q, want %q", outcome, row.want)
			}
		})
	}
}
