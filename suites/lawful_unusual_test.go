package suites_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// unusual are servers whose habits were once held against them.
func unusual() []lawful {
	return []lawful{
		{name: "all numbers with a fraction", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), Edit: fractions}},
		{name: "a method beyond the scope of the token", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Before: refusing(http.StatusForbidden, "tools/list", "tools/call"),
		}}, over: requirements.HTTP},
		{name: "a gateway without an upstream", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Before: refusing(http.StatusBadGateway, "tools/call"),
		}}, over: requirements.HTTP},
		{name: "a gateway that waits in vain", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Before: refusing(http.StatusGatewayTimeout, "tools/call"),
		}}, over: requirements.HTTP},
		{name: "a gateway without patience", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Before: refusing(http.StatusRequestTimeout, "tools/call"),
		}}, over: requirements.HTTP},
		{name: "one call and no more, in words of its own", server: oneCall()},
		{name: "one session at a time", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Sessions: true, OneSession: true,
		}}, over: requirements.HTTP},
		{name: "one session and no other beside it", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Sessions: true, Before: initializedOnce(http.StatusBadRequest),
		}}, over: requirements.HTTP},
		{name: "one session, and an error for others", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Sessions: true, Before: initializedOnce(http.StatusOK),
		}}, over: requirements.HTTP},
		{name: "one session, of a revision that is offered instead", server: &rigged.Server{
			Revisions: []string{"2025-06-18"}, Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
				Sessions: true, Before: initializedOnce(http.StatusBadRequest),
			},
		}, over: requirements.HTTP},
		{name: "one session, and not for long", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), HTTP: rigged.HTTP{
			Sessions: true, Before: endedAfter(30, initializedOnce(http.StatusBadRequest)),
		}}, over: requirements.HTTP},
		{name: "refuses arguments in words alone", server: refusesInWords(), warned: []string{
			"tools/inputs-validated-missing", "tools/inputs-validated-type",
		}},
		{name: "a type of content of 2025-03-26, where nothing names the revision", server: &rigged.Server{
			Revisions: []string{"2024-11-05"}, Capabilities: offersTools, Tools: reading(), Edit: sounds,
		}, over: requirements.HTTP},
		{name: "cursors that are keys", server: keyset()},
		{name: "a manifest, and no claim", server: selfDescribing()},
	}
}

// reading are tools that change nothing, with and without parameters.
func reading() []map[string]any {
	return append(tools(2),
		map[string]any{"name": "hours", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true}})
}

var number = regexp.MustCompile(`([:\[,])(-?[0-9]+)([,}\]])`)

// fractions writes every number as some languages do that have floats only.
func fractions(text string) string { return number.ReplaceAllString(text, "$1$2.0$3") }

// initializedOnce refuses every handshake but the first, as SDKs do whose transport
// object is made once and used for all.
func initializedOnce(status int) func(http.ResponseWriter, []byte) bool {
	var done atomic.Bool
	return func(w http.ResponseWriter, body []byte) bool {
		var r rigged.Request
		if json.Unmarshal(body, &r) != nil || r.Method != "initialize" || r.ID == nil || !done.Swap(true) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"Invalid Request: Server already initialized"}}`, r.ID)
		return true
	}
}

// endedAfter ends the session after so many messages.
func endedAfter(messages int64, before func(http.ResponseWriter, []byte) bool) func(http.ResponseWriter, []byte) bool {
	var came atomic.Int64
	return func(w http.ResponseWriter, body []byte) bool {
		if before(w, body) {
			return true
		}
		var r rigged.Request
		if came.Add(1) <= messages || json.Unmarshal(body, &r) != nil || r.ID == nil {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Session not found"}}`, r.ID)
		return true
	}
}

// sounds puts a sound in the place of a text.
func sounds(text string) string {
	return strings.ReplaceAll(text, `{"text":"done","type":"text"}`, `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`)
}

// refusing answers some methods by an HTTP status alone.
func refusing(status int, methods ...string) func(http.ResponseWriter, []byte) bool {
	return func(w http.ResponseWriter, body []byte) bool {
		var r rigged.Request
		if json.Unmarshal(body, &r) != nil || !slices.Contains(methods, r.Method) {
			return false
		}
		if status == http.StatusForbidden {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="tools"`)
		}
		w.WriteHeader(status)
		return true
	}
}

func called(text string) any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
}

// oneCall serves one call after each handshake.
func oneCall() *rigged.Server {
	var spent atomic.Bool
	plain := &rigged.Server{Capabilities: offersTools}
	return &rigged.Server{Capabilities: offersTools, Tools: reading()[2:], Answer: map[string]func(rigged.Request) any{
		"initialize": func(r rigged.Request) any {
			spent.Store(false)
			return plain.Initialize(r)
		},
		"tools/call": func(r rigged.Request) any {
			_, object := r.Params["arguments"].(map[string]any)
			switch {
			case r.Params["name"] != "hours":
				return &rigged.Error{Code: -32602, Message: "no such tool"}
			case r.Params["arguments"] != nil && !object:
				return &rigged.Error{Code: -32602, Message: "arguments is not an object"}
			case spent.Swap(true):
				return &rigged.Error{Code: -32029, Message: "come back tomorrow"}
			}
			return called("from 9 to 5")
		},
	}}
}

// refusesInWords validates arguments and never says isError.
func refusesInWords() *rigged.Server {
	day := map[string]any{
		"name": "tide", "annotations": map[string]any{"readOnlyHint": true},
		"inputSchema": map[string]any{"type": "object", "required": []any{"day"}, "properties": map[string]any{
			"day": map[string]any{"type": "integer"},
		}},
	}
	return &rigged.Server{Capabilities: offersTools, Tools: []map[string]any{day}, Answer: map[string]func(rigged.Request) any{
		"tools/call": func(r rigged.Request) any {
			arguments, _ := r.Params["arguments"].(map[string]any)
			_, text := r.Params["arguments"].(string)
			_, list := r.Params["arguments"].([]any)
			if r.Params["name"] != "tide" || text || list {
				return &rigged.Error{Code: -32602, Message: "no such call"}
			}
			if _, ok := arguments["day"].(float64); !ok {
				return called("I need the day, as a number.")
			}
			return called("high at noon")
		},
	}}
}

// keyset pages by the names of the tools: any text is a place in their order.
func keyset() *rigged.Server {
	all := tools(9)
	return &rigged.Server{Capabilities: offersTools, Tools: all, Answer: map[string]func(rigged.Request) any{
		"tools/list": func(r rigged.Request) any {
			after, _ := r.Params["cursor"].(string)
			page := slices.DeleteFunc(slices.Clone(all), func(t map[string]any) bool { return strings.Compare(fmt.Sprint(t["name"]), after) <= 0 })
			if len(page) <= 4 {
				return map[string]any{"tools": page}
			}
			return map[string]any{"tools": page[:4], "nextCursor": page[3]["name"]}
		},
	}}
}

// The same numbers where there is no handshake, and by a server that offers all there
// is.
func TestFractionsWithoutHandshake(t *testing.T) {
	t.Parallel()
	cfg := reference(t)
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20250326), string(requirements.R20260728)}}
	local := inprocess.Server(&fault.Fault{Bytes: func(_ fault.Exchange, text []byte) []byte { return []byte(fractions(string(text))) }})
	local.Handler = nil
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
		Selected: prompt,
	})
	wantNothingSaid(t, report)
}
