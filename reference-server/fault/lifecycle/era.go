package lifecycle

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func era() []fault.Fault {
	return []fault.Fault{
		modernOnly(fault.Fault{
			Name: "lifecycle-initialize-answered", Title: "a server without a handshake answers initialize with a result",
			Breaks: "lifecycle-initialize-rejected-modern-only",
			Inbound: fault.On("initialize").Answer(map[string]any{
				"protocolVersion": string(requirements.R20260728), "capabilities": map[string]any{},
				"serverInfo": map[string]any{"name": "harbour", "version": "1"},
			}),
		}),
		modernOnly(fault.Fault{
			Name:    "lifecycle-initialize-error-silent",
			Title:   "a server without a handshake rejects initialize without naming the revisions it supports",
			Breaks:  "lifecycle-initialize-error-names-versions",
			Inbound: fault.On("initialize").Refuse(-32601, "unknown method"),
		}),
		modernOnly(fault.Fault{
			Name: "lifecycle-metadata-remembered", Title: "tools/list without metadata is served after one with metadata",
			Breaks: "lifecycle-no-connection-context", Kills: []string{"lifecycle/metadata-not-remembered"},
			Inbound: func(x fault.Exchange) fault.Verdict {
				known := slices.ContainsFunc(x.Past, func(a fault.Asked) bool { return a.Method == x.Method && fault.Current(a.Params) })
				if x.Method != "tools/list" || fault.Meta(x.Params, "protocolVersion") != nil || !known {
					return fault.Verdict{}
				}
				return noTools(x)
			},
		}),
		overHTTP(modernOnly(fault.Fault{
			Name:   "lifecycle-metadata-for-all",
			Title:  "requests without metadata are served on every connection once any client has sent metadata",
			Breaks: "meta-object-required", Kills: []string{"lifecycle/metadata-not-remembered"},
			May: []string{"meta/version-required-status", "http/get-405", "http/delete-405"},
			Inbound: func(x fault.Exchange) fault.Verdict {
				if x.Method != "tools/list" || fault.Meta(x.Params, "protocolVersion") != nil || x.Nth == 1 {
					return fault.Verdict{}
				}
				return noTools(x)
			},
		})),
		modernOnly(fault.Fault{
			Name: "lifecycle-metadata-missing-internal", Title: "a list request without metadata is an internal error",
			Breaks: "meta-object-required", Kills: []string{"meta/object-required"},
			Inbound: bareInternal(func(params json.RawMessage) bool { return !bytes.Contains(params, []byte("_meta")) }),
		}),
		modernOnly(fault.Fault{
			Name: "lifecycle-params-missing-internal", Title: "a list request without params is an internal error",
			Breaks: "meta-object-required", Kills: []string{"meta/params-required"},
			Inbound: bareInternal(func(params json.RawMessage) bool { return params == nil }),
		}),
		status200(overHTTP(modernOnly(fault.Fault{
			Name: "lifecycle-metadata-missing-200", Title: "a list request without metadata gets its error with status 200",
			Breaks: "meta-missing-field-http-400", Kills: []string{"meta/object-required-status"},
			May: []string{"meta/version-required-status", "http/get-405", "http/delete-405"},
		}))),
		{
			Name:   "lifecycle-handshake-changes-era",
			Title:  "after a handshake, requests with modern metadata get results in the legacy form",
			Breaks: "lifecycle-dual-era-modern-stateless", In: fault.OverHTTP(requirements.R20260728),
			Reply: fault.When(func(x fault.Exchange) bool { return fault.Current(x.Params) && x.Greeted }).Drop("/result/resultType"),
		},
	}
}

// overHTTP moves a fault of modernOnly to HTTP, where a server has many clients, and
// where the status too shows the missing handshake.
func overHTTP(f fault.Fault) fault.Fault {
	f.In = fault.OverHTTP(requirements.R20260728)
	f.HTTP.Head = func(x fault.Exchange, status int, _ http.Header) int {
		if x.Method == "initialize" {
			return http.StatusBadRequest
		}
		return status
	}
	return f
}

// bareInternal answers a list request with an internal error if its params fit.
func bareInternal(of func(json.RawMessage) bool) func(fault.Exchange) fault.Verdict {
	return fault.When(func(x fault.Exchange) bool {
		return x.Method == "tools/list" && of(x.Params)
	}).Refuse(-32603, "cannot read properties of undefined")
}

// status200 gives the refusal of a list request without metadata status 200.
func status200(f fault.Fault) fault.Fault {
	head := f.HTTP.Head
	f.HTTP.Head = func(x fault.Exchange, status int, h http.Header) int {
		if x.Method == "tools/list" && !bytes.Contains(x.Params, []byte("_meta")) {
			return http.StatusOK
		}
		return head(x, status, h)
	}
	return f
}

// modernOnly makes the server of a fault one without the handshake era, over stdio.
func modernOnly(f fault.Fault) fault.Fault {
	f.In = fault.OverStdio(requirements.R20260728)
	return fault.WithoutHandshake(f)
}

func extension() []fault.Fault {
	declares := func(name string, settings any) fault.Change {
		return fault.OnResult("server/discover", func(result fault.Message) {
			result.Object("capabilities").Object("extensions")[name] = settings
		})
	}
	return []fault.Fault{{
		Name: "lifecycle-extension-unprefixed", Title: "an extension is declared under a name without a prefix",
		Breaks: "lifecycle-extension-identifiers", Reply: declares("tides", map[string]any{}),
	}, {
		Name: "lifecycle-extension-prefix-odd", Title: "an extension is declared under a prefix that begins with a digit",
		Breaks: "lifecycle-extension-identifiers", Reply: declares("1harbour.invalid/tides", map[string]any{}),
	}, {
		Name: "lifecycle-extension-true", Title: "an extension is declared as true instead of an object",
		Breaks: "lifecycle-extension-settings-object", Reply: declares("invalid.harbour/tides", true),
	}, {
		Name: "lifecycle-task-unasked", Title: "a tool call is answered with a task although the client did not declare tasks",
		Breaks: "lifecycle-extension-fallback",
		May:    []string{"jsonrpc/result-type-known", "ext-transactions/commit", "ext-transactions/parallel-independent"},
		Reply: func(x fault.Exchange, m fault.Message) {
			if _, ok := m.Result(); !ok || x.Tool() != "count_bookings" && x.Tool() != "test_simple_text" || !fault.Current(x.Params) {
				return
			}
			m.Become(x.Answer(map[string]any{
				"resultType": "task", "taskId": "1", "status": "working", "ttlMs": nil,
				"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
			}))
		},
	}}
}
