package meta

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// required are faults of metadata that requests must have.
func required() []fault.Fault {
	web := fault.OverHTTP(requirements.R20260728)
	stdio := fault.OverStdio(requirements.R20260728)
	without := func(key string, code int) fault.Change {
		return fault.When(func(x fault.Exchange) bool {
			return x.Method == "server/discover" && fault.Meta(x.Params, key) == nil
		}).Set("/error/code", code)
	}
	return []fault.Fault{
		{Breaks: "meta-protocol-version-required", In: web, Each: []fault.Fault{
			{Name: "meta-version-optional", Title: "a request without a protocol version is served", Skip: []fault.Check{fault.CheckMetaVersion}},
			// A server of both eras may reject such a request in other ways.
			fault.WithoutHandshake(fault.Fault{
				Name: "meta-version-internal", Title: "a request without a protocol version is an internal error", In: web,
				May:     []string{"lifecycle/initialize-refused", "meta/object-required-status", "http/get-405", "http/delete-405"},
				Silent:  []string{"meta/version-required-status"},
				Inbound: fault.When(unversioned).Refuse(-32603, "internal error"),
			}),
		}},
		{
			Name: "meta-capabilities-optional", Title: "a request without client capabilities is served",
			Breaks: "meta-client-capabilities-required", In: append(web, stdio...), Skip: []fault.Check{fault.CheckMetaClient},
		}, {
			Name: "meta-capabilities-invalid-request", Title: "a request without client capabilities is an invalid request",
			Breaks: "meta-client-capabilities-required", In: stdio, Reply: without("clientCapabilities", -32600),
		}, {
			Name:   "meta-missing-fields-200",
			Title:  "a request without a version or capabilities gets its error with status 200",
			Breaks: "meta-missing-field-http-400",
			Kills:  []string{"meta/version-required-status", "meta/capabilities-required-status"}, In: web,
			HTTP: fault.Status(http.StatusBadRequest, http.StatusOK, func(x fault.Exchange) bool {
				return x.Method == "server/discover" &&
					(fault.Meta(x.Params, "protocolVersion") == nil || fault.Meta(x.Params, "clientCapabilities") == nil)
			}),
		},
	}
}

// unversioned reports whether a request for discovery names no version in its metadata.
func unversioned(x fault.Exchange) bool {
	return x.Method == "server/discover" && fault.Meta(x.Params, "protocolVersion") == nil
}

// clients are faults that depend on the name of the client.
func clients() []fault.Fault {
	return []fault.Fault{{
		Name: "meta-inspector-sees-less", Title: "a client that is called mcp-inspector is listed fewer tools",
		Breaks: "meta-client-info-no-behaviour",
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method == "tools/list" && fault.Client(x.Params) == "mcp-inspector" {
				return items[1:]
			}
			return items
		},
	}, {
		Name: "meta-strangers-refused", Title: "a client whose name is not known is rejected",
		Breaks: "meta-client-info-no-behaviour",
		Inbound: fault.When(func(x fault.Exchange) bool {
			return x.Method == "tools/list" && fault.Client(x.Params) == "example-client"
		}).Refuse(-32602, "this client is not known"),
	}, {
		Name: "meta-inspector-may-all", Title: "a client that is called mcp-inspector may do what its credentials do not allow",
		Breaks: "meta-client-info-not-security", In: fault.OverHTTP(requirements.R20260728),
		Inbound: fault.When(func(x fault.Exchange) bool {
			return x.Tool() == "hoist_signal" && fault.Client(x.Params) == "mcp-inspector"
		}).Answer(map[string]any{
			"content":    fault.Text("The signal was hoisted."),
			"resultType": "complete",
		}),
	}}
}

// servers are results with missing or wrong information about their server.
func servers() []fault.Fault {
	info := func(method string, value any) fault.Change {
		return fault.OnResult(method, func(result fault.Message) { result.Object("_meta")[prefix+"serverInfo"] = value })
	}
	return []fault.Fault{{
		Name: "meta-server-unnamed", Title: "the pages of tools/list do not say which server they are from",
		Breaks: "meta-server-info-in-results",
		Reply:  fault.OnResult("tools/list", func(result fault.Message) { delete(result.Object("_meta"), prefix+"serverInfo") }),
	}, {
		Name: "meta-server-without-version", Title: "the server that a result is from has no version",
		Breaks: "meta-server-info-shape", Reply: info("tools/list", map[string]any{"name": "harbour-office"}),
	}, {
		Name: "meta-server-text", Title: "the server that a result of discovery is from is a string",
		Breaks: "meta-server-info-shape", Reply: info("server/discover", "harbour-office"),
	}}
}
