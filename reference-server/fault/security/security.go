// Package security holds the ways to be harmed by input, and to reveal secrets in
// logs.
package security

import (
	"bytes"
	"io"
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults in the order of the suite.
func Faults() []fault.Fault { return append(inputs(), logs()...) }

func inputs() []fault.Fault {
	const robust, half = "security-robust-to-hostile-input", `half \ud800`
	newest := fault.OverStdio(requirements.R20260728)
	ends := func(which func(fault.Exchange) bool) func(fault.Exchange) fault.Verdict {
		return fault.When(which).Exit(2)
	}
	return []fault.Fault{
		{Breaks: robust, Each: []fault.Fault{{
			Name: "security-wrong-types-kill", Title: "a name that is a number ends the process",
			Kills: []string{"security/survives-wrong-types"}, In: append(newest, fault.OverStdio(requirements.R20241105)...),
			Inbound: ends(func(x fault.Exchange) bool {
				_, number := x.Param("name").(float64)
				_, text := x.Param("arguments").(string)
				return x.Method == "tools/call" && number && text
			}),
		}, {
			Name: "security-huge-text-kills", Title: "a string of half a megabyte ends the process",
			Kills: []string{"security/survives-huge-text"}, In: newest,
			Inbound: ends(func(x fault.Exchange) bool { return len(x.Params) > 500_000 }),
		}, {
			Name: "security-deep-nesting-kills", Title: "arrays of a thousand levels end the process",
			Kills: []string{"security/survives-deep-nesting"}, In: newest,
			Inbound: ends(func(x fault.Exchange) bool { return bytes.Contains(x.Params, bytes.Repeat([]byte("["), 900)) }),
		}, {
			Name: "security-lone-surrogate-cuts", Title: "half of a character has the connection cut",
			Kills: []string{"security/survives-lone-surrogate"}, In: fault.OverHTTP(requirements.R20251125),
			HTTP: fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if bytes.Contains(body, []byte(half)) {
					panic(http.ErrAbortHandler) // net/http cuts the connection on this panic
				}
				return false
			}},
		}, {
			Name: "security-odd-capabilities-kill", Title: "a client capability that is a string ends the process",
			Kills: []string{"security/survives-odd-capabilities"}, In: newest,
			Inbound: ends(func(x fault.Exchange) bool {
				declared, _ := fault.Meta(x.Params, "clientCapabilities").(map[string]any)
				_, text := declared["roots"].(string)
				return text
			}),
		}, {
			Name: "security-control-characters-500", Title: "control characters are answered with status 500 and a page",
			Kills: []string{"security/survives-control-characters"}, In: fault.OverHTTP(requirements.R20260728),
			May: []string{"mrtr/state-binary"}, // which holds such characters
			HTTP: fault.HTTP{Serve: fault.PageFor(func(body []byte) bool {
				return bytes.Contains(body, []byte(`\u0000`))
			}, http.StatusInternalServerError, "text/html", "<h1>Internal Server Error</h1>")},
		}}},
	}
}

// logs are log messages before the list of tools.
func logs() []fault.Fault {
	saying := func(data any) func(fault.Exchange, fault.Message) []fault.Message {
		params := map[string]any{"level": "error", "logger": "harbour", "data": data}
		return fault.On("tools/list").Before(fault.Message{"jsonrpc": "2.0", "method": "notifications/message", "params": params})
	}
	const breaks, speaks = "security-no-internals-in-errors", "security/no-internals-in-logs"
	newest := fault.OverStdio(requirements.R20251125)
	return []fault.Fault{
		{Breaks: breaks, In: newest, Each: []fault.Fault{{
			Name: "security-logs-password", Title: "log messages contain the address of the database with its password",
			Send: saying(map[string]any{"failed": []any{"connect postgres://office:tide-4711@db.invalid/berths"}}),
		}, {
			Name: "security-logs-stack", Title: "log messages contain stack traces",
			Send: saying("Error: no berth\n    at find (/srv/harbour/berths.js:12:7)\n    at main (/srv/harbour/index.js:3:1)"),
		}}},
	}
}
