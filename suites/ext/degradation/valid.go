package degradation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func valid() []suite.Case {
	checks := []requirements.ID{"ext-degrade-results-core-valid"}
	return []suite.Case{
		{
			ID:     "ext-degradation/results-valid",
			Title:  "the results of requests with properties of extensions are what the protocol defines",
			Checks: checks,
			Fix:    "put what an extension adds into _meta of the result, beside the content, never around it or in its place",
			Sees:   "a result of a request with properties of extensions",
			Watch:  probe.OnBinding(resultValid),
		},
		{
			ID:     "ext-degradation/tools-named-by-core",
			Title:  "tools/list has the schemas of tools under the names of the protocol",
			Checks: checks,
			Fix:    "write inputSchema and outputSchema in tools/list; input_schema and output_schema belong into the manifest",
			Sees:   "a list of tools",
			Watch:  probe.OnResult(protocol.Tools().Method, coreNames),
		},
	}
}

// resultValid judges the results that schema/messages-valid leaves out, since an
// extension may have its part in them.
func resultValid(m probe.Message) probe.Opinion {
	if m.Class != frame.Result || m.Request.Plain() {
		return probe.Nothing()
	}
	if m.Frame.Schemas == nil {
		return probe.Failed(errors.New("there are no schemas"))
	}
	set, err := m.Frame.Schemas.Core(string(m.Taken()))
	if err != nil {
		return probe.Failed(err)
	}
	definition, ok := set.ResultOf(m.Request.Method)
	result, object := m.Value("/result").(map[string]any)
	if !ok || !object || !final(result) {
		return probe.Nothing()
	}
	// Whether the type is there is judged of all results, by jsonrpc/result-type-present.
	typed := map[string]any(probe.Object(result).With("resultType", protocol.Complete))
	faults := slices.DeleteFunc(set.Validate(definition, typed), func(f schemas.Fault) bool { return elsewhere(m, f.Pointer) })
	if len(faults) > 0 {
		return probe.Breaks("%s", probe.Faults("/result", faults)).Unless(alsoPlain(m, faults))
	}
	return probe.Kept()
}

// alsoPlain tells which case judges the same faults in the results of plain requests.
func alsoPlain(m probe.Message, faults []schemas.Fault) (cause probe.Elsewhere) {
	for _, f := range faults {
		owner := m.OwnerOf(f)
		if owner == "" {
			return probe.Elsewhere{}
		}
		cause = probe.Elsewhere{Case: owner, Why: "results of plain requests have the same fault"}
	}
	return cause
}

// final reports whether a result is of a kind that the protocol itself defines: not
// a task, and no type of an extension.
func final(result map[string]any) bool {
	kind, typed := result["resultType"]
	_, task := result["task"].(map[string]any)
	_, text := kind.(string)
	return !task && (!typed || !text || kind == protocol.Complete)
}

// elsewhere knows what other cases judge of every result, with extensions or
// without.
func elsewhere(m probe.Message, pointer string) bool {
	switch m.Request.Method {
	case "tools/list", "resources/list", "prompts/list":
		if strings.HasPrefix(pointer, "/"+strings.TrimSuffix(m.Request.Method, "/list")) {
			return true
		}
	case "initialize", "server/discover":
		return true
	}
	info := "/_meta/" + frame.Escape(protocol.MetaServerInfo)
	return strings.HasSuffix(pointer, "/_meta") || strings.HasPrefix(pointer, info) || strings.Contains(pointer, "/icons") ||
		pointer == "/ttlMs" || pointer == "/cacheScope" || strings.Contains(pointer, "/annotations") ||
		pointer == "/nextCursor" && slices.Contains(protocol.Paginated(), m.Request.Method)
}

// coreNames looks for the spelling of the manifest.
func coreNames(a probe.Answer) probe.Opinion {
	tools, _ := a.Result["tools"].([]any)
	said := probe.Nothing()
	for i, item := range tools {
		tool, _ := item.(map[string]any)
		_, own := tool["inputSchema"]
		_, other := tool["input_schema"]
		if other && !own {
			return probe.Breaks("%s has input_schema and no inputSchema, want inputSchema", a.Where(fmt.Sprintf("/result/tools/%d", i)))
		}
		said = said.And(probe.Kept())
	}
	return said
}

// forms judge how extensions are claimed. That keys have a prefix and values are
// objects is judged by lifecycle/extension-identifiers and -settings, where the
// protocol defines the map.
func forms() []suite.Case {
	const fix = "declare extensions as an object: a key with your own prefix, and an object of settings as its value"
	checks := []requirements.ID{"ext-degrade-capability-form"}
	return []suite.Case{
		{
			ID:        "ext-degradation/claims-as-map",
			Title:     "extensions are declared in an object",
			Checks:    checks,
			Revisions: protocol.Stateless(),
			Fix:       fix,
			Sees:      "a declaration of extensions",
			Watch:     onClaims(func(a probe.Answer, _ any) probe.Opinion { return a.Wants(place, probe.AnObject()) }),
		},
		{
			ID:        "ext-degradation/claims-as-map-early",
			Title:     "where extensions are declared in advance of the revision that defines it, they are in an object",
			Checks:    checks,
			Revisions: protocol.Handshake(),
			Fix:       fix,
			Sees:      "a declaration of extensions",
			Watch:     onClaims(early),
		},
		{
			ID:     "ext-degradation/claims-own-prefix",
			Title:  "extensions are not declared under a prefix that the protocol keeps for itself",
			Checks: checks,
			Fix:    "use the prefix of the proposal, or your own; those with mcp or modelcontextprotocol as their second part are reserved",
			Sees:   "a declaration of extensions",
			Watch:  onClaims(ownPrefix),
		},
	}
}

const place = "/result/capabilities/extensions"

// onClaims makes watchers of what is declared as extensions.
func onClaims(judge func(a probe.Answer, declared any) probe.Opinion) func() probe.Watcher {
	return probe.OnResults([]string{"initialize", "server/discover"}, func(a probe.Answer) probe.Opinion {
		declared, ok := a.At(place)
		if !ok {
			return probe.Nothing()
		}
		return judge(a, declared)
	})
}

// early judges what claims an extension of the proposals alone: what else stands
// there, no revision up to then says.
func early(a probe.Answer, declared any) probe.Opinion {
	ours := proposal.Tokens()
	object, ok := declared.(map[string]any)
	if !ok {
		if slices.ContainsFunc(probe.Strings(declared), func(name string) bool { return slices.Contains(ours, name) }) {
			return a.Wants(place, probe.AnObject()).AtMostWarn()
		}
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		prefix, name, prefixed := strings.Cut(key, "/")
		_, settled := object[key].(map[string]any)
		switch {
		case !prefixed && slices.Contains(ours, key):
			said = said.And(probe.Breaks("%s has the key %s, want a prefix, a slash and a name", a.Where(place), probe.Show(key)).AtMostWarn())
		case prefixed && slices.Contains(ours, name) && prefix+"/" == protocol.ProposalPrefix && !settled:
			said = said.And(probe.Breaks("%s[%s] is %s, want an object", a.Where(place), probe.Show(key), probe.Show(object[key])).AtMostWarn())
		case prefixed && slices.Contains(ours, name):
			said = said.And(probe.Kept())
		}
	}
	return said
}

func ownPrefix(a probe.Answer, declared any) probe.Opinion {
	object, _ := declared.(map[string]any)
	ours := proposal.Tokens()
	said := probe.Nothing()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		_, name, _ := strings.Cut(key, "/")
		switch {
		case !slices.Contains(ours, name):
		case protocol.Reserved(key):
			said = said.And(probe.Breaks("%s has the key %s, whose prefix the protocol keeps for itself, want %s",
				a.Where(place), probe.Show(key), probe.Show(protocol.ProposalPrefix+name)).AtMostWarn())
		default:
			said = said.And(probe.Kept())
		}
	}
	return said
}
