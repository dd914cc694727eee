package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// A site is the server over HTTP.
type site struct {
	t   *testing.T
	url string
}

// client keeps no connections: with those of http.DefaultClient each server that a test
// closes would end the requests of other tests.
//
//nolint:gochecknoglobals // it has no state
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func newSite(t *testing.T, o server.Options) *site {
	t.Helper()
	s := httptest.NewServer(made(t, o).Handler())
	t.Cleanup(s.Close)
	return &site{t: t, url: s.URL + "/mcp"}
}

// do sends a request. Headers are "Name: value"; an empty value removes the header.
func (s *site) do(method, body string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header[http.CanonicalHeaderKey(name)] = append(r.Header[http.CanonicalHeaderKey(name)], value)
		}
	}
	if accept := r.Header["Accept"]; len(accept) > 1 {
		r.Header["Accept"] = accept[1:]
	}
	if kind := r.Header["Content-Type"]; len(kind) > 1 {
		r.Header["Content-Type"] = kind[1:]
	}
	response, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// open makes the handshake and returns the headers of the session. The headers that
// identify the owner have to come with each request.
func (s *site) open(revision string, as ...string) []string {
	s.t.Helper()
	response := s.do("POST", hello(revision), as...)
	id := response.Header.Get("Mcp-Session-Id")
	if response.StatusCode != 200 || id == "" {
		s.t.Fatalf("initialize: %s", answer(response))
	}
	headers := append([]string{"Mcp-Session-Id: " + id}, as...)
	if revision >= "2025-06-18" {
		headers = append(headers, "Mcp-Protocol-Version: "+revision)
	}
	if got := answer(s.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...)); got != "202" {
		s.t.Fatalf("initialized: %s", got)
	}
	return headers
}

// answer describes the status and the body in few words.
func answer(r *http.Response) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	if len(body) == 0 {
		return fmt.Sprint(r.StatusCode)
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		var told []string
		for _, data := range events(string(body)) {
			told = append(told, tell(data))
		}
		return fmt.Sprintf("%d stream %s", r.StatusCode, strings.Join(told, ", "))
	}
	return fmt.Sprintf("%d %s", r.StatusCode, tell(string(body)))
}

// events returns the data of the events with data.
func events(text string) []string {
	var all []string
	for event := range strings.SplitSeq(text, "\n\n") {
		for line := range strings.SplitSeq(event, "\n") {
			if data, ok := strings.CutPrefix(line, "data: "); ok && data != "" {
				all = append(all, data)
			}
		}
	}
	return all
}

func TestHTTPOfTheHandshakeEra(t *testing.T) {
	t.Parallel()
	list := request("2025-11-25", "1", "tools/list", "")
	for _, revision := range revisions()[:4] {
		s := newSite(t, server.Options{})
		session := s.open(revision)
		since := func(first, then, before string) string {
			if revision >= first {
				return then
			}
			return before
		}
		for _, row := range []struct {
			name, method, body string
			headers            []string
			bare               bool // without the headers of the session
			want               string
		}{
			{name: "request", method: "POST", body: list, want: "200 id 1 ok"},
			{name: "notification", method: "POST", body: `{"jsonrpc":"2.0","method":"notifications/x"}`, want: "202"},
			{name: "broken notification", method: "POST", body: `{"jsonrpc":"1.0","method":"notifications/x"}`, want: "400 no id -32600"},
			{name: "response", method: "POST", body: `{"jsonrpc":"2.0","id":1,"result":{}}`, want: "202"},
			{name: "no JSON", method: "POST", body: `x`, want: "400 " + since("2025-11-25", "no id -32700", "id null -32700")},
			{name: "no JSON from nobody", method: "POST", bare: true, body: `x`, want: "400 no id -32700"},
			{name: "null id", method: "POST", body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
				want: "400 " + since("2025-11-25", "no id -32600", "id null -32600")},
			{name: "unknown method", method: "POST", body: `{"jsonrpc":"2.0","id":1,"method":"x"}`, want: "200 id 1 -32601"},
			{name: "bad params", method: "POST", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, want: "200 id 1 -32602"},
			{name: "batch", method: "POST", body: "[" + list + "," + request("2025-11-25", "2", "ping", "") + "]",
				want: map[string]string{"2024-11-05": "400 id null -32600", "2025-03-26": "200 [id 1 ok, id 2 ok]", "2025-06-18": "400 id null -32600",
					"2025-11-25": "400 no id -32600"}[revision]},
			{name: "progress", method: "POST",
				body: request("2025-11-25", "1", "tools/call", `"name":"test_tool_with_progress","_meta":{"progressToken":1}`),
				want: "200 stream notifications/progress, notifications/progress, notifications/progress, id 1 ok"},
			{name: "no session", method: "POST", bare: true, body: list, want: "400 no id -32600"},
			{name: "unknown session", method: "POST", bare: true, headers: []string{"Mcp-Session-Id: x"}, body: list, want: "404 no id -32600"},
			{name: "second initialize", method: "POST", body: hello(revision), want: `400 id "hello" -32600`},
			{name: "unknown version", method: "POST", headers: []string{"Mcp-Protocol-Version: ", "Mcp-Protocol-Version: 1900-01-01"}, body: list,
				want: since("2025-06-18", "400 no id -32600", "200 id 1 ok")},
			{name: "no version", method: "POST", headers: []string{"Mcp-Protocol-Version: "}, body: list, want: "200 id 1 ok"},
			{name: "foreign origin", method: "POST", headers: []string{"Origin: http://evil.example"}, body: list, want: "403 no id -32600"},
			{name: "rebinding origin", method: "POST", headers: []string{"Origin: http://localhost.evil.example"}, body: list,
				want: "403 no id -32600"},
			{name: "null origin", method: "POST", headers: []string{"Origin: null"}, body: list, want: "403 no id -32600"},
			{name: "own origin", method: "POST", headers: []string{"Origin: http://localhost:1234"}, body: list, want: "200 id 1 ok"},
			{name: "foreign host", method: "POST", headers: []string{"Host: evil.example"}, body: list, want: "403 no id -32600"},
			{name: "other type", method: "POST", headers: []string{"Content-Type: text/plain"}, body: list, want: "415 no id -32600"},
			{name: "type with charset", method: "POST", headers: []string{"Content-Type: application/json; charset=utf-8"}, body: list,
				want: "200 id 1 ok"},
			{name: "only HTML", method: "POST", headers: []string{"Accept: text/html"}, body: list, want: "406 no id -32600"},
			{name: "anything", method: "POST", headers: []string{"Accept: */*"}, body: list, want: "200 id 1 ok"},
			{name: "no accept", method: "POST", headers: []string{"Accept: "}, body: list, want: "200 id 1 ok"},
			{name: "put", method: "PUT", want: "405"},
			{name: "head", method: "HEAD", want: "405"},
			{name: "get without session", method: "GET", bare: true, want: "400 no id -32600"},
			{name: "get of JSON", method: "GET", headers: []string{"Accept: application/json"}, want: "406 no id -32600"},
			{name: "get from a foreign origin", method: "GET", headers: []string{"Origin: http://evil.example"}, want: "403 no id -32600"},
			{name: "get after an unknown event", method: "GET", headers: []string{"Last-Event-ID: x"}, want: "400 no id -32600"},
			{name: "delete of an unknown session", method: "DELETE", bare: true, headers: []string{"Mcp-Session-Id: x"}, want: "404 no id -32600"},
			{name: "delete", method: "DELETE", want: "204"},
			{name: "request after delete", method: "POST", body: list, want: "404 no id -32600"},
			{name: "get after delete", method: "GET", want: "404 no id -32600"},
		} {
			headers := row.headers
			if !row.bare {
				headers = append(append([]string{}, session...), headers...)
			}
			if got := answer(s.do(row.method, row.body, headers...)); got != row.want {
				t.Errorf("%s: %s: got %s, want %s", revision, row.name, got, row.want)
			}
		}
	}
}

func TestHTTPOfTheModernEra(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	list := request(modern, "1", "tools/list", "")
	call := func(arguments string) string {
		return request(modern, "1", "tools/call", `"name":"basin_level","arguments":{`+arguments+`}`)
	}
	version, lists, calls, basin := "Mcp-Protocol-Version: "+modern, "Mcp-Method: tools/list", "Mcp-Method: tools/call",
		"Mcp-Name: basin_level"
	for _, row := range []struct {
		name, body string
		headers    []string
		want       string
	}{
		{"request", list, []string{version, lists}, "200 id 1 ok"},
		{"stray session and event", list, []string{version, lists, "Mcp-Session-Id: x", "Last-Event-ID: 1-1"}, "200 id 1 ok"},
		{"foreign origin", list, []string{version, lists, "Origin: https://evil.example"}, "403 no id -32600"},
		{"no version header", list, []string{lists}, "400 id 1 -32020"},
		{"other version in the header", list, []string{"Mcp-Protocol-Version: 2025-11-25", lists}, "400 id 1 -32020"},
		{"other version in the body", strings.ReplaceAll(list, modern, "2025-11-25"), []string{version, lists}, "400 id 1 -32020"},
		{"unserved version", strings.ReplaceAll(list, modern, "1900-01-01"), []string{"Mcp-Protocol-Version: 1900-01-01", lists},
			"400 id 1 -32022"},
		{"no metadata", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, []string{version, lists}, "400 id 1 -32602"},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{version, lists}, "400 id 1 -32602"},
		{"no capabilities",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			[]string{version, lists}, "400 id 1 -32602"},
		{"no method header", list, []string{version}, "400 id 1 -32020"},
		{"other method header", list, []string{version, "Mcp-Method: server/discover"}, "400 id 1 -32020"},
		{"method header in capitals", list, []string{version, "Mcp-Method: TOOLS/LIST"}, "400 id 1 -32020"},
		{"unknown method", request(modern, "1", "no/such", ""), []string{version, "Mcp-Method: no/such"}, "404 id 1 -32601"},
		{"initialize", request(modern, "1", "initialize", ""), []string{version, "Mcp-Method: initialize"}, "404 id 1 -32601"},
		{"ping", request(modern, "1", "ping", ""), []string{version, "Mcp-Method: ping"}, "404 id 1 -32601"},
		{"no name header", call(""), []string{version, calls}, "400 id 1 -32020"},
		{"other name header", call(""), []string{version, calls, "Mcp-Name: tide_table"}, "400 id 1 -32020"},
		{"call", call(""), []string{version, calls, basin}, "200 id 1 ok"},
		{"name in base64", call(""), []string{version, calls, "Mcp-Name: =?base64?YmFzaW5fbGV2ZWw=?="}, "200 id 1 ok"},
		{"other name in base64", call(""), []string{version, calls, "Mcp-Name: =?base64?eA==?="}, "400 id 1 -32020"},
		{"marker in capitals", call(""), []string{version, calls, "Mcp-Name: =?BASE64?YmFzaW5fbGV2ZWw=?="}, "400 id 1 -32020"},
		{"broken base64", call(""), []string{version, calls, "Mcp-Name: =?base64?YmFzaW5fbGV2ZWw?="}, "400 id 1 -32020"},
		{"bytes beyond ASCII", call(""), []string{version, calls, "Mcp-Name: b\xe4sin"}, "400 id 1 -32020"},
		{"argument without header", call(`"basin":"north"`), []string{version, calls, basin}, "400 id 1 -32020"},
		{"argument with header", call(`"basin":"north"`), []string{version, calls, basin, "Mcp-Param-Basin: north"}, "200 id 1 ok"},
		{"argument with another header", call(`"basin":"north"`), []string{version, calls, basin, "Mcp-Param-Basin: south"}, "400 id 1 -32020"},
		{"argument in base64", call(`"basin":" hafen \u00e4"`), []string{version, calls, basin, "Mcp-Param-Basin: =?base64?IGhhZmVuIMOk?="},
			"200 id 1 ok"},
		{"null argument", call(`"basin":null`), []string{version, calls, basin}, "200 id 1 tool error"},
		{"integer", call(`"year":2024`), []string{version, calls, basin, "Mcp-Param-Year: 2024.0"}, "200 id 1 ok"},
		{"other integer", call(`"year":2024`), []string{version, calls, basin, "Mcp-Param-Year: 2025"}, "400 id 1 -32020"},
		{"boolean", call(`"mean":true`), []string{version, calls, basin, "Mcp-Param-Mean: false"}, "400 id 1 -32020"},
		{"header of no argument", call(""), []string{version, calls, basin, "Mcp-Param-Other: x"}, "200 id 1 ok"},
		{"nested argument", request(modern, "1", "tools/call", `"name":"vessel_traffic","arguments":{"kind":"any","filter":{"kind":"sail"}}`),
			[]string{version, calls, "Mcp-Name: vessel_traffic", "Mcp-Param-Kind: sail"}, "200 id 1 ok"},
		{"missing resource", request(modern, "1", "resources/read", `"uri":"other://x"`),
			[]string{version, "Mcp-Method: resources/read", "Mcp-Name: other://x"}, "400 id 1 -32602"},
		{"batch", "[" + list + "]", []string{version, lists}, "400 no id -32600"},
		{"no JSON", "x", []string{version}, "400 no id -32700"},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/x"}`, []string{version}, "202"},
	} {
		if got := answer(s.do("POST", row.body, row.headers...)); got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		response := s.do(method, "", version)
		if response.StatusCode != 405 || response.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow %q", method, response.StatusCode, response.Header.Get("Allow"))
		}
	}
}

// answerOf describes the answer to a booking over HTTP.
func answerOf(t *testing.T, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
		return ""
	}
	if told := tell(string(body)); told[len(told)-2:] != "ok" {
		return told
	}
	got := result(t, string(body))
	meta, _ := got["_meta"].(map[string]any)
	if meta["was_replay"] == true {
		return "replay of " + booking(got)
	}
	return booking(got)
}
