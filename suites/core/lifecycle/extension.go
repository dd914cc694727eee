package lifecycle

import (
	"context"
	"maps"
	"regexp"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func extensionCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/extension-identifiers",
			Title:  "extensions are declared under prefixed names",
			Checks: []requirements.ID{"lifecycle-extension-identifiers"},
			Needs:  []suite.Need{suite.Capability("extensions")},
			Fix:    "name each extension in capabilities.extensions with a prefix of dotted labels, a slash and a name",
			Run:    extensionIdentifiers,
		},
		{
			ID:     "lifecycle/extension-settings",
			Title:  "each declared extension has an object of settings",
			Checks: []requirements.ID{"lifecycle-extension-settings-object"},
			Needs:  []suite.Need{suite.Capability("extensions")},
			Fix:    "give each extension in capabilities.extensions an object, an empty one if there is nothing to set",
			Run:    extensionSettings,
		},
		{
			ID:     "lifecycle/extension-fallback",
			Title:  "a client that does not know tasks is never answered by one",
			Checks: []requirements.ID{"lifecycle-extension-fallback"},
			Needs:  []suite.Need{suite.Capability("extensions")},
			Fix:    "answer a call with a plain result, or error -32021, unless the request declares the tasks extension",
			Watch:  func() probe.Watcher { return probe.WatchFunc(extensionFallback) },
		},
	}
}

// extensions is what discovery declares, with its answer.
func extensions(ctx context.Context, c *probe.Client) (map[string]any, *probe.Reply, error) {
	reply, err := c.Call(ctx, "server/discover", nil)
	if err != nil {
		return nil, nil, err
	}
	v, _ := reply.At("/result/capabilities/extensions")
	declared, ok := v.(map[string]any)
	if !ok {
		return nil, nil, probe.NotSeen("the declared extensions are no object")
	}
	return declared, reply, nil
}

// identifier is the grammar of keys in _meta with the prefix made mandatory.
var identifier = regexp.MustCompile(`^` + label + `(\.` + label + `)*/([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)

const label = `[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?` // of the prefix

func extensionIdentifiers(ctx context.Context, c *probe.Client) error {
	declared, reply, err := extensions(ctx, c)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		if !identifier.MatchString(key) {
			return reply.Violation("$.result.capabilities.extensions has the key %s, want a prefix, a slash and a name", probe.Show(key))
		}
	}
	return nil
}

func extensionSettings(ctx context.Context, c *probe.Client) error {
	declared, reply, err := extensions(ctx, c)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		if _, ok := declared[key].(map[string]any); !ok {
			return reply.Violation("$.result.capabilities.extensions[%s] is %s, want an object", probe.Show(key), probe.Show(declared[key]))
		}
	}
	return nil
}

const tasks = "io.modelcontextprotocol/tasks"

// The tasks extension is the one that gives the result of a call another
// shape. Whether a request declared it stands in the request.
func extensionFallback(s probe.Seen) probe.Opinion {
	if s.Malformed || s.Dir != frame.Received || s.Kind != frame.KindMessage || s.Request.Method != "tools/call" {
		return probe.Nothing()
	}
	meta, _ := s.Request.Params["_meta"].(map[string]any)
	capabilities, _ := meta[probe.MetaCapabilities].(map[string]any)
	known, _ := capabilities["extensions"].(map[string]any)
	m := s.Message()
	if _, declared := known[tasks]; declared || m.Class != frame.Result && m.Class != frame.Error {
		return probe.Nothing()
	}
	if kind, _ := m.At("/result/resultType"); kind == "task" {
		return s.Break("$.result.resultType is \"task\", and the request does not declare " + tasks).Opinion()
	}
	return probe.Kept()
}
