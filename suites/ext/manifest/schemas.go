package manifest

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func schemaCases() []suite.Case {
	return []suite.Case{
		handed("input-schema-valid", "input_schema and output_schema are valid JSON Schemas", "ext-manifest-input-schema-valid",
			"send each schema as an object that is valid in JSON Schema 2020-12, or name its dialect by $schema", of(schemasValid)),
		handed("schemas-agree", "the manifest and tools/list have the same schemas for a tool", "ext-manifest-schemas-agree",
			"make the schemas of the manifest and of tools/list from the same definition", of(schemasAgree), suite.Capability("tools")),
		// What a tool answers shows only when somebody calls it, so this watches all calls.
		{
			ID:     "ext-manifest/output-typed",
			Title:  "a tool whose results are structured has an output schema",
			Checks: []requirements.ID{"ext-manifest-output-typed"},
			Needs:  manifests(suite.Capability("tools")),
			Fix:    "add output_schema to the tool in the manifest, and outputSchema in tools/list",
			Sees:   "a result of tools/call",
			Watch:  probe.OnResult("tools/call", outputTyped),
		},
	}
}

func schemasValid(d *document) error {
	all := d.entries()
	compiled := map[string]error{}
	for _, e := range all {
		for _, property := range []string{"input_schema", "output_schema"} {
			value, ok := e.tool[property]
			if !ok {
				continue
			}
			if problem := proposal.UnsoundSchema(d.client, value, compiled); problem != "" {
				return d.violation("%s is %s", d.Where("tools", e.at, property), problem)
			}
		}
	}
	return nil
}

// A schema that is not valid differs from that of tools/list too.
func schemasAgree(d *document) error {
	compared, unsound, compiled := 0, 0, map[string]error{}
	err := d.eachListed(func(e entry, listed probe.Item) string {
		for _, p := range []struct{ own, core string }{{"input_schema", "inputSchema"}, {"output_schema", "outputSchema"}} {
			own, has := e.tool[p.own].(map[string]any)
			other, too := listed.Get(p.core).(map[string]any)
			if !has || !too {
				continue
			}
			if proposal.UnsoundSchema(d.client, own, compiled) != "" {
				unsound++
				continue
			}
			compared++
			if at := proposal.SchemaDifference(own, other); at != "" {
				return fmt.Sprintf("%s differs from %s of %q in tools/list, at %s, want the same schema",
					d.Where("tools", e.at, p.own), p.core, e.name(), at)
			}
		}
		return ""
	})
	d.client.NotSeenIf(err == nil && compared == 0 && unsound > 0,
		"the schemas of the manifest are not valid, which ext-manifest/input-schema-valid judges")
	d.client.NotSeenIf(err == nil && compared == 0, "no schema stands both in the manifest and in tools/list")
	return err
}

// outputTyped looks at the tool of a call in the manifest and in tools/list, as
// discovery read them.
func outputTyped(a probe.Answer) probe.Opinion {
	structured, ok := a.Result["structuredContent"]
	name, named := a.Request.Params()["name"].(string)
	failed := a.Result["isError"] == true // what a schema describes is the result of a call that went well
	if !ok || !named || failed || slices.Contains(proposal.Standing(), name) || a.Survey() == nil || a.Survey().Manifest.Load() == nil {
		return probe.Nothing()
	}
	known := false
	for _, source := range []struct {
		tools    any
		property string
	}{
		{a.Survey().Manifest.Load().Document["tools"], "output_schema"}, {a.Survey().Lists[protocol.Tools().Method], "outputSchema"},
	} {
		for _, item := range probe.ArrayOf(source.tools) {
			tool := probe.ObjectOf(item)
			if tool["name"] != name {
				continue
			}
			if _, described := tool[source.property]; described {
				return probe.Kept()
			}
			known = true
		}
	}
	if !known {
		return probe.Nothing()
	}
	return probe.Breaks("%s is %s, and the tool %q has no output schema in the manifest or in tools/list, want one",
		a.Where("/result/structuredContent"), probe.Show(structured), name)
}
