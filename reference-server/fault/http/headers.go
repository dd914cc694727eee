package http

import (
	"encoding/base64"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// versionHeader are faults of the header for the revision.
func versionHeader() []fault.Fault {
	return []fault.Fault{
		{
			Name:   "http-version-header-optional",
			Title:  "a server whose clients all send MCP-Protocol-Version serves requests without it",
			Breaks: "http-version-header-required", In: modern(), Negotiate: sinceHeader,
			Reply: fault.OnResult("server/discover", withoutOlder),
			HTTP: changesHeaders(func(header http.Header, p post) {
				if header.Get(headerVersion) == "" {
					header.Set(headerVersion, p.Params.Meta["io.modelcontextprotocol/protocolVersion"])
				}
			}),
		},
		{Breaks: "http-version-header-body-mismatch", In: modern(), Each: []fault.Fault{{
			Name:  "http-version-header-unread-modern",
			Title: "a request is served at the revision in its body, whatever its header says",
			Kills: []string{"http/version-header-unknown"}, Skip: []fault.Check{fault.CheckVersionMatch},
		}, {
			Name:  "http-version-body-unread",
			Title: "a request is served at the revision in its header, whatever its body says",
			Kills: []string{"http/version-header-mismatch"},
			Inbound: fault.When(func(x fault.Exchange) bool {
				return fault.Foreign(x) && x.Header.Get(headerVersion) == string(requirements.R20260728)
			}).Answer(map[string]any{"resultType": "complete", "tools": []any{}, "ttlMs": 0, "cacheScope": "public"}),
		}}},
		{
			Name: "http-unsupported-version-200", Title: "the error for an unsupported revision has status 200",
			Breaks: "http-unsupported-version-400", In: modern(),
			HTTP: statusOK(func(x fault.Exchange) bool {
				return fault.Foreign(x) && x.Header.Get(headerVersion) == foreignVersion
			}),
		}, {
			Name: "http-unknown-method-200", Title: "the error for an unknown method has status 200",
			Breaks: "http-unknown-method-404", In: modern(),
			HTTP: statusOK(func(x fault.Exchange) bool { return x.Method == "no/such_method" }),
		},
	}
}

// statusOK gives some answers status 200.
func statusOK(which func(fault.Exchange) bool) fault.HTTP {
	return fault.HTTP{Head: func(x fault.Exchange, usual int, _ http.Header) int {
		if x.HTTP == http.MethodPost && which(x) {
			return http.StatusOK
		}
		return usual
	}}
}

// sinceHeader agrees only on revisions whose clients send the version header.
func sinceHeader(_ string, agreed requirements.Revision) string {
	if agreed.Before(requirements.R20250618) {
		return string(requirements.R20250618)
	}
	return string(agreed)
}

func withoutOlder(result fault.Message) {
	result["supportedVersions"] = []any{string(requirements.R20260728), string(requirements.R20251125), string(requirements.R20250618)}
}

// methodHeader are faults of the header for the method.
func methodHeader() []fault.Fault {
	spelled, spaced := regexp.MustCompile(`\n(mcp|MCP)-(m|M)`), regexp.MustCompile(`\nMcp-Method: [ \t]+`)
	return []fault.Fault{
		{In: modern(), Each: []fault.Fault{{
			Name: "http-method-header-optional", Title: "a request without Mcp-Method is served",
			Breaks: "http-mcp-method-required",
			HTTP: changesHeaders(func(header http.Header, p post) {
				if header.Get(headerMethod) == "" {
					header.Set(headerMethod, p.Method)
				}
			}),
		}, {
			Name: "http-method-header-unread", Title: "the header Mcp-Method has to be there, and may say anything",
			Breaks: "http-mcp-method-mismatch", Kills: []string{"http/method-header-mismatch", "http/method-header-case"},
			HTTP: changesHeaders(func(header http.Header, p post) {
				if header.Get(headerMethod) != "" {
					header.Set(headerMethod, p.Method)
				}
			}),
		}, {
			Name: "http-method-header-folded", Title: "the header Mcp-Method is compared without regard to letter case",
			Breaks: "http-header-values-case-sensitive", Kills: []string{"http/method-header-case"},
			HTTP: changesHeaders(func(header http.Header, p post) {
				if strings.EqualFold(header.Get(headerMethod), p.Method) {
					header.Set(headerMethod, p.Method)
				}
			}),
		}, {
			Name: "http-header-names-exact", Title: "headers are recognized only when their names have the usual letter case",
			Breaks: "http-header-names-case-insensitive",
			HTTP:   fault.HTTP{Conn: changesBytes(func(text []byte) []byte { return spelled.ReplaceAll(text, []byte("\nother-$2")) })},
		}, {
			Name: "http-header-blanks-kept", Title: "blanks around the value of a header belong to it",
			Breaks: "http-header-whitespace-trimmed",
			HTTP:   fault.HTTP{Conn: changesBytes(func(text []byte) []byte { return spaced.ReplaceAll(text, []byte("\nMcp-Method: _")) })},
		}}},
	}
}

// changesBytes changes the bytes of a connection before net/http parses them. On
// loopback bytes that are sent together are read together.
func changesBytes(change func([]byte) []byte) func(net.Conn) net.Conn {
	return func(conn net.Conn) net.Conn { return &reading{Conn: conn, change: change} }
}

type reading struct {
	net.Conn
	change func([]byte) []byte
	left   []byte
}

func (r *reading) Read(into []byte) (int, error) {
	if len(r.left) == 0 {
		raw := make([]byte, max(len(into), 1))
		n, err := r.Conn.Read(raw)
		r.left = r.change(raw[:n])
		if err != nil {
			return copy(into, r.left), err
		}
	}
	n := copy(into, r.left)
	r.left = r.left[n:]
	return n, nil
}

// nameHeader are faults of the header for the name of the tool, prompt or resource.
func nameHeader() []fault.Fault {
	return []fault.Fault{{
		Name: "http-name-header-optional", Title: "requests that are about something with a name are served without Mcp-Name",
		Breaks: "http-mcp-name-required", In: modern(),
		HTTP: changesHeaders(func(header http.Header, p post) {
			if header.Get(headerName) == "" && p.named() != "" {
				header.Set(headerName, p.named())
			}
		}),
	}, {
		Name: "http-name-header-unread", Title: "the header Mcp-Name may say anything that is not in base64 form",
		Breaks: "http-mcp-name-mismatch", In: modern(),
		HTTP: changesNameHeader(func(value, name string) string {
			if strings.Contains(value, "=") {
				return value
			}
			return name
		}),
	}, {
		Name: "http-name-header-ignored", Title: "the header Mcp-Name has to be there, and may say anything",
		Breaks: "http-mcp-name-mismatch", In: modern(),
		Silent: []string{
			"http/name-header-case", "http/base64-other", "http/base64-upper-case", "http/base64-no-prefix", "http/base64-no-suffix",
			"http/base64-alphabet", "http/base64-padding",
		},
		HTTP: changesNameHeader(func(_, name string) string { return name }),
	}, {
		Name: "http-name-header-folded", Title: "the header Mcp-Name is compared without regard to letter case",
		Breaks: "http-header-values-case-sensitive", Kills: []string{"http/name-header-case"}, In: modern(),
		HTTP: changesNameHeader(func(value, name string) string {
			if strings.EqualFold(value, name) {
				return name
			}
			return value
		}),
	}, {
		Name: "http-name-header-unread-prompts", Title: "each prompt has required arguments, and Mcp-Name of prompts/get may name another one",
		Breaks: "http-mcp-name-mismatch", Kills: []string{"http/name-header-mismatch-get"}, In: modern(),
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method != "prompts/list" {
				return items
			}
			return slices.DeleteFunc(slices.Clone(items), func(prompt fault.Message) bool { return !demands(prompt) })
		},
		HTTP: changesHeaders(func(header http.Header, p post) {
			if p.Method == "prompts/get" && header.Get(headerName) != "" {
				header.Set(headerName, p.named())
			}
		}),
	}, {
		Name: "http-name-header-literal", Title: "the header Mcp-Name in base64 form is compared as it stands",
		Breaks: "http-name-base64-decoded", Kills: []string{"http/name-header-base64"}, In: modern(),
		HTTP: changesNameHeader(func(value, _ string) string {
			if hasBase64Form(value) {
				return "literally " + value
			}
			return value
		}),
	}}
}

// demands reports whether a prompt has a required argument.
func demands(prompt fault.Message) bool {
	arguments, _ := prompt["arguments"].([]any)
	return slices.ContainsFunc(arguments, func(item any) bool {
		argument, _ := item.(map[string]any)
		return argument["required"] == true
	})
}

// base64Form are faults in recognizing base64.
func base64Form() []fault.Fault {
	plain := func(text string) bool { _, err := base64.StdEncoding.DecodeString(text); return err == nil }
	all := []fault.Fault{
		{
			Name: "http-base64-unread", Title: "the header Mcp-Name in base64 form may stand for anything",
			Breaks: "http-name-base64-decoded", Kills: []string{"http/base64-other"},
			HTTP: changesNameHeader(func(value, name string) string {
				if hasBase64Form(value) && plain(strings.TrimSuffix(strings.TrimPrefix(value, begins), ends)) {
					return name
				}
				return value
			}),
		},
		{Breaks: "http-base64-marker-exact", Each: []fault.Fault{{
			Name: "http-base64-marker-folded", Title: "the header Mcp-Name is decoded after =?BASE64? too",
			Kills: []string{"http/base64-upper-case"},
			HTTP:  changesNameHeader(func(value, _ string) string { return strings.Replace(value, strings.ToUpper(begins), begins, 1) }),
		}, {
			Name: "http-base64-without-prefix", Title: "the header Mcp-Name is decoded when only ?= stands behind it",
			Kills: []string{"http/base64-no-prefix"},
			HTTP: changesNameHeader(func(value, _ string) string {
				if text, ok := strings.CutSuffix(value, ends); ok && plain(text) {
					return begins + value
				}
				return value
			}),
		}, {
			Name: "http-base64-without-suffix", Title: "the header Mcp-Name is decoded when only =?base64? stands in front",
			Kills: []string{"http/base64-no-suffix"},
			HTTP: changesNameHeader(func(value, _ string) string {
				if text, ok := strings.CutPrefix(value, begins); ok && plain(text) {
					return value + ends
				}
				return value
			}),
		}}},
		{
			Name: "http-base64-foreign-characters", Title: "characters that are not base64 are ignored in Mcp-Name",
			Breaks: "http-base64-invalid-rejected", Kills: []string{"http/base64-alphabet"},
			HTTP: changesNameHeader(func(value, _ string) string { return strings.ReplaceAll(value, "!", "") }),
		}, {
			Name: "http-base64-any-padding", Title: "the padding of base64 in Mcp-Name does not matter",
			Breaks: "http-base64-invalid-rejected", Kills: []string{"http/base64-padding"},
			HTTP: changesNameHeader(func(value, _ string) string {
				if !hasBase64Form(value) {
					return value
				}
				text := strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(value, begins), ends), "=")
				return begins + text + strings.Repeat("=", (4-len(text)%4)%4) + ends
			}),
		},
	}
	for i := range all {
		all[i].In = modern()
	}
	return all
}

// mismatch are faults in the form of header errors. A server that makes the same mistake
// with every header gets one finding.
func mismatch() []fault.Fault {
	const form = "http/header-mismatch-error-"
	named := func(x fault.Exchange) string { return x.Header.Get(headerMethod) }
	return []fault.Fault{
		{Breaks: "http-header-mismatch-error", In: modern(), Each: []fault.Fault{{
			Name: "http-header-mismatch-code", Title: "headers that differ from the body are rejected with error -32600",
			Kills: []string{form + "missing"}, Silent: []string{form + "method", form + "version", form + "name"},
			Reply: func(_ fault.Exchange, m fault.Message) {
				if failure, _ := m["error"].(map[string]any); failure["code"] == headerMismatch {
					failure["code"] = -32600
				}
			},
		}, {
			Name: "http-header-mismatch-200", Title: "a header that names no method, or another one, is rejected with status 200",
			Kills: []string{form + "missing"}, Silent: []string{form + "method"},
			HTTP: statusOK(func(x fault.Exchange) bool {
				return x.Method != "" && x.Header.Get(headerVersion) != "" && named(x) != x.Method
			}),
		}, {
			Name: "http-header-mismatch-method-200", Title: "a header that names another method is rejected with status 200",
			Kills: []string{form + "method"},
			HTTP: statusOK(func(x fault.Exchange) bool {
				return x.Method != "" && named(x) != "" && !strings.EqualFold(named(x), x.Method)
			}),
		}, {
			Name: "http-header-mismatch-version-200", Title: "a header that names another revision than the body is rejected with status 200",
			Kills: []string{form + "version"},
			HTTP: statusOK(func(x fault.Exchange) bool {
				body, given := fault.Meta(x.Params, "protocolVersion").(string)
				return given && named(x) == x.Method && body != x.Header.Get(headerVersion)
			}),
		}, {
			Name: "http-header-mismatch-name-200", Title: "a header that names another tool is rejected with status 200",
			Kills: []string{form + "name"},
			HTTP: statusOK(func(x fault.Exchange) bool {
				return x.Method == "tools/call" && named(x) == x.Method && x.Header.Get(headerName) != x.Param("name")
			}),
		}}},
	}
}
