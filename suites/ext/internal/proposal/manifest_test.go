package proposal_test

import (
	"encoding/json"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A manifest is a claim itself, and its tokens are claims by name, wherever it is
// handed over.
func TestClaimsOfAManifest(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	document := object{"manifest_version": "0.1.0", "server": object{}, "tools": []any{}, "supported_extensions": []any{"permissions", "other"}}
	opening := func(name string, in func(result, meta object)) *fakeserver.Server {
		return &fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{"initialize": func(fakeserver.Request) any {
			meta := object{}
			result := object{"protocolVersion": "2025-11-25", "capabilities": object{}, "serverInfo": object{"name": name, "version": "1"}, "_meta": meta}
			in(result, meta)
			return result
		}}}
	}
	method := func(name string, answer any) *fakeserver.Server {
		return &fakeserver.Server{Answer: map[string]func(fakeserver.Request) any{name: func(fakeserver.Request) any { return answer }}}
	}
	asTool := func(listed ...object) *fakeserver.Server {
		written, _ := json.Marshal(document)
		return &fakeserver.Server{Capabilities: object{"tools": object{}}, Tools: listed, Answer: map[string]func(fakeserver.Request) any{
			"tools/call": func(r fakeserver.Request) any {
				if r.Params["name"] != "get_manifest" {
					return &fakeserver.Error{Code: -32602, Message: "no such tool"}
				}
				return object{"content": []any{object{"type": "text", "text": string(written)}}}
			},
		}}
	}
	for name, row := range map[string]struct {
		server *fakeserver.Server
		form   string
		claim  probe.Strength // of permissions
	}{
		"the method":         {method("get_manifest", document), "M:get_manifest", probe.Explicit},
		"wrapped":            {method("get_manifest", object{"manifest": document}), "M:get_manifest", probe.Explicit},
		"without the token":  {method("get_manifest", object{"server": object{}, "tools": []any{}}), "M:get_manifest", ""},
		"not a manifest":     {method("get_manifest", object{"tools": []any{}}), "", ""},
		"an older name":      {method("capabilities", document), "M:capabilities", probe.Explicit},
		"an unlisted tool":   {asTool(), "T:get_manifest", probe.Explicit},
		"one that may write": {asTool(fakeserver.Tool("get_manifest", false)), "", ""},
		"in the result":      {opening("a", func(result, _ object) { result["manifest"] = document }), "result.manifest", probe.Explicit},
		"in the metadata":    {opening("b", func(_, meta object) { meta["manifest"] = document }), "_meta.manifest", probe.Explicit},
		"under the prefix":   {opening("c", func(_, meta object) { meta[proposal.Prefix+"manifest"] = document }), "_meta[" + proposal.Prefix + "manifest]", probe.Explicit},
		"none":               {&fakeserver.Server{}, "", ""},
		"tokens of no array": {method("get_manifest", object{"server": object{}, "tools": []any{}, "supported_extensions": "permissions"}), "M:get_manifest", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked(t, row.server, "", proposal.Extension("permissions"), func(c *probe.Client) error {
				if got := c.Survey().Claims["permissions"]; got.Strength != row.claim {
					t.Errorf("claimed %q by %q, want %q", got.Strength, got.Where, row.claim)
				}
				if m := c.Survey().Manifest.Load(); m == nil || m.Form != row.form || (m.Document == nil) != (row.form == "") {
					t.Errorf("the manifest is %+v, want form %q", m, row.form)
				}
				return nil
			})
		})
	}
}
