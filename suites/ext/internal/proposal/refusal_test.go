package proposal_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// answered is one answer of a server, by HTTP status and text.
type answered struct {
	name, method, text string
	status             int
	want               bool   // it is a refusal
	place              string // of the record
}

// Where a structured error record may stand, and what counts as a refusal.
func TestRecordsAndRefusals(t *testing.T) {
	t.Parallel()
	const record = `{"code":"X","category":"transient"}`
	rows := []answered{
		{name: "invalid params", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`, want: true},
		{name: "invalid params with status 500", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`, status: 500, want: true},
		{name: "internal error", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`},
		{name: "internal error with status 400", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, status: 400},
		{name: "unknown method", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, status: 404},
		{name: "status 422 alone", method: "tools/call", status: http.StatusUnprocessableEntity, want: true},
		{name: "status 405 alone", method: "tools/call", status: http.StatusMethodNotAllowed},
		{name: "status 500 alone", method: "tools/call", status: http.StatusInternalServerError},
		{name: "tool error", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`, want: true},
		{name: "result", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}}`},
		{name: "a tool's own status", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"status":"failed"}}`},
		{name: "a step that failed", method: "transaction/step", text: `{"jsonrpc":"2.0","id":1,"result":{"status":"failed"}}`, want: true},
		{name: "a wish that was not allowed", method: "permissions/check", text: `{"jsonrpc":"2.0","id":1,"result":{"allowed":false}}`, want: true},
		{name: "record in metadata", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"error":` + record + `}}}`, want: true, place: "_meta.error"},
		{
			name: "record under the prefix", method: "tools/call", want: true, place: "_meta[" + proposal.Prefix + "error]",
			text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"` + proposal.Prefix + `error":` + record + `}}}`,
		},
		{name: "record in a success", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"error":` + record + `}}`, want: true, place: "result.error"},
		{name: "record as answer", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":` + record + `}}`, want: true, place: "structuredContent"},
		{
			name: "record as text", method: "tools/call", want: true, place: "the JSON of the first text block, error",
			text: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"error\":{\"code\":\"X\",\"category\":\"transient\"}}"}]}}`,
		},
		{
			name: "record in error data", method: "transaction/commit", want: true, place: "error.data.error",
			text: `{"jsonrpc":"2.0","id":1,"error":{"code":1000,"message":"no","data":{"error":` + record + `}}}`,
		},
		{name: "an error member without a category", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"error":{"code":"A3"}}}`},
		{name: "error.data, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"data":` + record + `}}`, want: true, place: "error.data"},
		{name: "error.data.error, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"data":{"error":` + record + `}}}`, want: true, place: "error.data.error"},
		{name: "prefixed, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.github.mcp-extension-proposals/error":` + record + `}}}`, want: true, place: "_meta[io.github.mcp-extension-proposals/error]"},
		{name: "bare, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"error":` + record + `}}}`, want: true, place: "_meta.error"},
		{name: "result, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"error":` + record + `}}`, want: true, place: "result.error"},
		{name: "structured, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":` + record + `}}`, want: true, place: "structuredContent"},
		{name: "structured error, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"error":` + record + `}}}`, want: true, place: "structuredContent.error"},
		{name: "text, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"code\":\"X\",\"category\":\"transient\"}"}]}}`, want: true, place: "the JSON of the first text block"},
		{name: "text error, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"error\":{\"code\":\"X\",\"category\":\"c\"}}"}]}}`, want: true, place: "the JSON of the first text block, error"},
		{name: "a code of its own, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"code":"X","category":"yacht"}}}`, want: false, place: ""},
		{name: "no category, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"code":"X"}}}`, want: false, place: ""},
		{name: "flag, alone", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`, want: true, place: ""},
		{name: "plain error, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}`, want: true, place: ""},
		{name: "internal error, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}`, want: false, place: ""},
		{name: "unknown method, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}`, want: false, place: ""},
		{name: "no code, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"error":{}}`, want: true, place: ""},
		{name: "failed, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"status":"failed"}}`, want: true, place: ""},
		{name: "denied, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"status":"denied"}}`, want: true, place: ""},
		{name: "not allowed, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{"allowed":false}}`, want: true, place: ""},
		{name: "a tool's own, alone", method: "tools/call", text: `{"jsonrpc":"2.0","id":1,"result":{"status":"failed","allowed":false}}`, want: false, place: ""},
		{name: "fine, alone", method: "x", text: `{"jsonrpc":"2.0","id":1,"result":{}}`, want: false, place: ""},
		{name: "status 403, alone", method: "x", status: 403, want: true},
		{name: "status 500, alone", method: "x", status: 500},
	}
	asking(t, rows, func(row answered, reply *probe.Reply) {
		if got := proposal.Declined(reply); got != row.want {
			t.Errorf("%s: declined is %t, want %t", row.name, got, row.want)
		}
		if got := proposal.WantDeclined(reply) == nil; got != row.want {
			t.Errorf("%s: wanting a refusal succeeds: %t, want %t", row.name, got, row.want)
		}
		held, place, ok := proposal.Record(reply)
		if place != row.place || ok != (place != "") || ok && held["code"] != "X" {
			t.Errorf("%s: the record is %v in %q, want %q", row.name, held, place, row.place)
		}
		_, isResult := reply.Result()
		if got, want := proposal.Done(reply), isResult && !row.want; got != want {
			t.Errorf("%s: wanting a result succeeds: %t, want %t", row.name, got, want)
		}
	})
}

// asking lets a case ask a server over HTTP that answers as the rows say, and
// shows each reply.
func asking(t *testing.T, rows []answered, show func(answered, *probe.Reply)) {
	t.Helper()
	seen := 0
	one := suite.Case{
		ID: "asks/once", Title: "answers are read", Fix: "read them", Checks: []requirements.ID{"ping-empty-result"},
		Run: func(c *probe.Client) error {
			for i, row := range rows {
				reply := c.Call(row.method, probe.Object{"row": i})
				seen++
				show(row, reply)
			}
			return nil
		},
	}
	report, err := judge.Judge(t.Context(), plan.Plan{
		Config: config.Default(), Local: &plan.Local{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, rows) })},
		Suites: []suite.Suite{{Name: "asks", Title: "answers are read", Cases: []suite.Case{one}}},
	}, nil)
	if err != nil || seen != len(rows) {
		t.Fatalf("%d of %d rows were seen: %v, %s", seen, len(rows), err, report.Verdict.Text)
	}
}

func serve(w http.ResponseWriter, r *http.Request, rows []answered) {
	body, _ := io.ReadAll(r.Body)
	var request struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Row             *int
			ProtocolVersion string
		}
	}
	_ = json.Unmarshal(body, &request)
	status, text := http.StatusOK, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method"}}`
	switch {
	case request.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case request.Method == "initialize" && request.Params.ProtocolVersion == "2025-06-18":
		text = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
	case request.Params.Row != nil:
		row := rows[*request.Params.Row]
		status, text = max(status, row.status), row.text
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, strings.Replace(text, `"id":1`, `"id":`+string(request.ID), 1))
}
