package fault

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func jsonrpc() []Fault {
	return slices.Concat(
		jsonrpcForms(), jsonrpcResults(), jsonrpcErrors(), jsonrpcCodes(), jsonrpcEncodings(),
		jsonrpcIDs(), jsonrpcNumbers(), jsonrpcIDUses(),
		jsonrpcAsking(), jsonrpcModernAsking(), jsonrpcMatching(), jsonrpcResultTypes(),
		jsonrpcNotifications(), jsonrpcUnknownNotifications(), jsonrpcMalformed(),
		jsonrpcBatches(), jsonrpcOddBatches(),
	)
}

// onFifthPing changes the fifth answer to the most harmless of requests on a stdio
// connection: nothing that a case looks for depends on it.
func onFifthPing(change func(m Message) Message) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		_, ok := m.Result()
		harmless := x.Method == "ping" || x.Method == "server/discover"
		if ok && harmless && x.Nth == 5 && x.Transport == requirements.Stdio {
			m = change(m)
		}
		return []Message{m}
	}
}

func columnOf(t requirements.Transport, r requirements.Revision) []Column {
	return []Column{{Revision: r, Transport: t}}
}

// jsonrpcForms are messages that are not what JSON-RPC makes of them.
func jsonrpcForms() []Fault {
	newest := columnOf(requirements.Stdio, requirements.R20260728)
	return []Fault{
		{
			Name:   "jsonrpc-version-number",
			Title:  "jsonrpc is the number 2.0 now and then",
			Breaks: "jsonrpc-version-member",
			Kills:  []string{"jsonrpc/version-member"},
			In:     newest,
			Reply:  onFifthPing(func(m Message) Message { return m.With("jsonrpc", json.RawMessage("2.0")) }),
		},
		{
			Name:   "jsonrpc-version-missing-on-errors",
			Title:  "errors do not say that they are JSON-RPC",
			Breaks: "jsonrpc-version-member",
			Kills:  []string{"jsonrpc/version-member"},
			In:     newest,
			Reply: func(_ Exchange, m Message) []Message {
				if _, failed := m["error"]; failed {
					m = m.Without("jsonrpc")
				}
				return []Message{m}
			},
		},
	}
}

// jsonrpcResults are responses with too many members, too few, or none that
// is an object.
func jsonrpcResults() []Fault {
	newest := columnOf(requirements.Stdio, requirements.R20260728)
	return []Fault{
		{
			Name:   "jsonrpc-result-beside-error",
			Title:  "errors have a result too, which is null",
			Breaks: "jsonrpc-result-xor-error",
			Kills:  []string{"jsonrpc/result-xor-error"},
			Reply: func(_ Exchange, m Message) []Message {
				if _, failed := m["error"]; failed {
					m = m.With("result", nil)
				}
				return []Message{m}
			},
		},
		{
			Name:   "jsonrpc-error-null-beside-result",
			Title:  "a result now and then has an error beside it, which is null",
			Breaks: "jsonrpc-result-xor-error",
			Kills:  []string{"jsonrpc/result-xor-error"},
			In:     newest,
			Reply:  onFifthPing(func(m Message) Message { return m.With("error", nil) }),
		},
		{
			Name:   "jsonrpc-answer-empty",
			Title:  "an answer now and then has neither result nor error",
			Breaks: "jsonrpc-result-xor-error",
			Kills:  []string{"jsonrpc/result-xor-error", "jsonrpc/all-answered"},
			Also:   []string{"ping/prompt", "schema/messages-valid"},
			In:     newest,
			Reply:  onFifthPing(func(m Message) Message { return m.Without("result") }),
		},
		{
			Name:   "jsonrpc-result-null",
			Title:  "a result now and then is null",
			Breaks: "jsonrpc-result-is-object",
			Kills:  []string{"jsonrpc/result-is-object"},
			Also:   []string{"schema/messages-valid"},
			In:     newest,
			Reply:  onFifthPing(func(m Message) Message { return m.With("result", nil) }),
		},
		{
			Name:   "jsonrpc-result-true",
			Title:  "a result now and then is true",
			Breaks: "jsonrpc-result-is-object",
			Kills:  []string{"jsonrpc/result-is-object"},
			Also:   []string{"schema/messages-valid"},
			In:     newest,
			Reply:  onFifthPing(func(m Message) Message { return m.With("result", true) }),
		},
	}
}

// jsonrpcErrors are errors that are not formed or coded as they have to be.
func jsonrpcErrors() []Fault {
	return []Fault{
		{
			Name:   "jsonrpc-error-without-message",
			Title:  "errors have a code and no message",
			Breaks: "jsonrpc-error-object-shape",
			Kills:  []string{"jsonrpc/error-shape"},
			Reply:  onAnyError(func(_ Exchange, failure Message) { delete(failure, "message") }),
		},
		{
			Name:   "jsonrpc-error-message-object",
			Title:  "the message of an error is an object",
			Breaks: "jsonrpc-error-object-shape",
			Kills:  []string{"jsonrpc/error-shape"},
			Reply: onAnyError(func(_ Exchange, failure Message) {
				failure["message"] = map[string]any{"text": failure["message"]}
			}),
		},
		{
			Name:   "jsonrpc-error-code-text",
			Title:  "the code for what is no request is a text",
			Breaks: "jsonrpc-error-code-integer",
			Kills:  []string{"jsonrpc/error-code-integer"},
			Also:   []string{"jsonrpc/batch-empty-array", "jsonrpc/batch-invalid-members"},
			Reply: onAnyError(func(x Exchange, failure Message) {
				if x.ID == nil && failure["code"] == -32600 {
					failure["code"] = "-32600"
				}
			}),
		},
	}
}

// jsonrpcCodes are errors under another code than they have to have.
func jsonrpcCodes() []Fault {
	return []Fault{
		{
			Name:   "jsonrpc-unknown-method-as-params",
			Title:  "an unknown method is refused as if its params were wrong",
			Breaks: "jsonrpc-method-not-found",
			Kills:  []string{"jsonrpc/method-not-found"},
			Reply: onAnyError(func(x Exchange, failure Message) {
				if x.Method == "no/such_method" {
					failure["code"] = -32602
				}
			}),
		},
		{
			Name:   "jsonrpc-bad-params-internal",
			Title:  "a missing parameter is an internal error",
			Breaks: "jsonrpc-invalid-params",
			Kills: []string{
				"jsonrpc/invalid-params-call-without-name", "jsonrpc/invalid-params-read-without-uri",
				"jsonrpc/invalid-params-get-without-name", "jsonrpc/invalid-params-complete-without-ref",
			},
			Reply: onAnyError(func(x Exchange, failure Message) {
				missing := map[string]string{
					"tools/call": "name", "resources/read": "uri", "prompts/get": "name", "completion/complete": "ref",
				}[x.Method]
				if missing != "" && x.Param(missing) == nil {
					failure["code"] = -32603
				}
			}),
		},
		{
			Name:   "jsonrpc-internal-as-params",
			Title:  "what fails inside the server is blamed on the params",
			Breaks: "jsonrpc-internal-error",
			Kills:  []string{"jsonrpc/internal-error"},
			Reply: onAnyError(func(_ Exchange, failure Message) {
				if failure["code"] == -32603 {
					failure["code"] = -32602
				}
			}),
		},
	}
}

// jsonrpcEncodings are messages that are not plain UTF-8.
func jsonrpcEncodings() []Fault {
	return []Fault{
		{
			Name:   "jsonrpc-latin-1",
			Title:  "an error that repeats a name is written in Latin-1",
			Breaks: "jsonrpc-utf8",
			Kills:  []string{"jsonrpc/utf8", "jsonrpc/utf8-beyond-ascii"},
			Bytes:  inLatin1,
		},
		{
			Name:   "jsonrpc-byte-order-mark",
			Title:  "answers about tools begin with a byte order mark",
			Breaks: "jsonrpc-utf8",
			Kills:  []string{"jsonrpc/utf8"},
			Bytes: func(x Exchange, text []byte) []byte {
				if x.Method != "tools/list" {
					return text
				}
				return append([]byte("\xef\xbb\xbf"), text...)
			},
		},
	}
}
