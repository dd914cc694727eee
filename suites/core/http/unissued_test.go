package http_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// The cases about a session id that is never given: for any request, and for calls of tools.
const (
	unissued         = "http/session-id-issued"
	unissuedForCalls = unissued + "-for-calls"
)

// A gate demands a session id that the response to initialize does not bring.
type gate struct {
	only   string // the method that needs an id; empty: all but initialize
	status int    // 0: 400
	code   int    // of a JSON-RPC error; 0: the words alone
	words  string
	any    bool   // an id that was never issued does
	header string // of the response to initialize
	member string // of the result of initialize
}

// before stands before a server without sessions.
func (g gate) before(server *fakeserver.Server) http.Handler {
	inner := server.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked fakeserver.Request
		_ = json.Unmarshal(body, &asked)
		opens := asked.Method == "initialize"
		given := r.Header.Get("Mcp-Session-Id") != ""
		switch {
		case opens && g.header != "":
			w.Header().Set(g.header, "berth-4")
		case opens, g.only != "" && asked.Method != g.only, given && g.any, r.Method != http.MethodPost:
		case g.code == 0:
			http.Error(w, g.words, cmp.Or(g.status, http.StatusBadRequest))
			return
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(cmp.Or(g.status, http.StatusBadRequest))
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`,
				cmp.Or(string(asked.ID), "null"), g.code, g.words)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// server declares as much as most servers do.
func (g gate) server() *fakeserver.Server {
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools", "prompts"), Tools: fakeserver.Reading(),
		Prompts: []map[string]any{{"name": "greet"}},
	}
	if g.member != "" {
		server.Edit = func(text string) string {
			return strings.Replace(text, `"result":{`, `"result":{"`+g.member+`":"berth-4",`, 1)
		}
	}
	return server
}

// TestSessionIDNeverIssued: a server that demands a session id and gives none has one defect. The
// finding names it, and all other complaints about what the server refuses are left to it.
func TestSessionIDNeverIssued(t *testing.T) {
	t.Parallel()
	const missing = "Bad Request: Mcp-Session-Id header is required"
	for name, row := range map[string]struct {
		gate
		also string // in the problem
	}{
		"status 400":                         {gate{words: missing}, "want the id there, or "},
		"status 400 in words of its own":     {gate{words: "Session ID is required"}, ""},
		"status 400 for words without an id": {gate{words: "no valid session"}, ""},
		"status 404":                         {gate{words: "session not found", status: http.StatusNotFound}, ""},
		"status 400 without a word":          {gate{any: true}, "with a made-up one it gets status 200 and result"},
		"status 404 without a word":          {gate{any: true, status: http.StatusNotFound}, ""},
		"error -32000":                       {gate{words: missing, code: -32000}, ""},
		"error -32600":                       {gate{words: "Missing session ID", code: -32600}, ""},
		"error -32600 with status 200":       {gate{words: "Missing session ID", code: -32600, status: http.StatusOK}, ""},
		"error -32000 without a word":        {gate{words: "bad request", code: -32000, any: true}, ""},
		"tools/call alone":                   {gate{words: missing, only: "tools/call"}, "tools/call without one"},
		"tools/call alone, without a word":   {gate{any: true, only: "tools/call"}, "tools/call without one"},
		"tools/call alone, as an error":      {gate{words: missing, code: -32600, only: "tools/call"}, "tools/call without one"},
		"another header":                     {gate{words: missing, header: "Mcp-Session"}, `the header "Mcp-Session"`},
		"the body":                           {gate{words: missing, member: "sessionId"}, "$.result.sessionId"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := lawful.Judge(t, &plan.Local{Handler: row.before(row.server())}, lawful.WithoutLoad)
			var told []string
			for _, f := range report.Findings {
				if f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error {
					told = append(told, f.Case)
					t.Logf("%s %s: %s", f.Status, f.Case, f.Problem)
				}
			}
			names := unissued
			if row.only == "tools/call" {
				names = unissuedForCalls
			}
			if !slices.Equal(told, []string{names}) {
				t.Errorf("findings of %v", told)
			}
			want(t, report, names, reports.Fail, row.also)
		})
	}
}

// TestRefusedForAnotherReason: what is refused for another reason than a session id is not said to
// need one.
func TestRefusedForAnotherReason(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]gate{
		"status 400 without a word":         {},
		"status 400 with other words":       {words: "the tenant is missing"},
		"a tool that wants a login":         {words: "no active session: call login first", code: -32000, status: http.StatusOK, only: "tools/call"},
		"a tool with a session as argument": {words: "session_id is required", code: -32602, status: http.StatusOK, only: "tools/call"},
		"ping is not known":                 {words: "method not found", code: -32601, status: http.StatusOK, only: "ping"},
		"ping has status 404":               {words: "not found", status: http.StatusNotFound, only: "ping"},
		"prompts are elsewhere":             {words: "not found", code: -32601, only: "prompts/list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := lawful.Judge(t, &plan.Local{Handler: row.before(row.server())}, lawful.WithoutLoad)
			want(t, report, unissued, reports.Skip, "")
			want(t, report, unissuedForCalls, reports.Skip, "")
		})
	}
}
