package manifest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func runtime() []suite.Case {
	return []suite.Case{
		handed("runtime-stable", "the manifest describes the same server when it is asked for twice", "ext-manifest-runtime-current",
			"change the manifest only when what it describes changes", of(runtimeStable)),
		{
			ID:       "ext-manifest/runtime-current",
			Title:    "the manifest shows a change of the tools as soon as tools/list does",
			Checks:   []requirements.ID{"ext-manifest-runtime-current"},
			Needs:    manifests(suite.Capability("tools"), suite.Role(roles.Trigger, "tools")),
			Observes: roles.Trigger,
			Lane:     suite.Alone, // nobody else sees the tools change
			Fix:      "make the manifest from the registry each time it is asked for, or drop the stored one when the tools change",
			Run:      of(runtimeCurrent),
		},
	}
}

// Figures that count something, and tools that come and go, may differ between two
// documents; the rest describes the server.
func runtimeStable(d *document) error {
	again := proposal.ReadManifestAnew(d.client)
	d.client.UndecideIf(again.Document == nil, "the server hands over no manifest the second time; ext-manifest/available says so")
	first, second := lasting(d.Document), lasting(again.Document)
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if other, ok := second[name]; ok && !probe.Same(first[name], other) {
			return d.Shown.And(again.Shown).Violation("%s of the second manifest is %s, and was %s in the first, want the same",
				again.Where(name), probe.Show(other), probe.Show(first[name]))
		}
	}
	return nil
}

// lasting is what of a document describes the server itself, by names of properties.
// What somebody adds there of their own may be anything, such as how long it is up.
func lasting(document map[string]any) map[string]any {
	kept := map[string]any{"manifest_version": document["manifest_version"], list: sorted(document[list])}
	for _, name := range []string{"name", "version", "mcp_spec_version", "description", "homepage"} {
		if value, ok := probe.ObjectOf(document["server"])[name]; ok {
			kept["server."+name] = value
		}
	}
	for _, one := range probe.ArrayOf(document["tools"]) {
		tool := probe.ObjectOf(one)
		if name, ok := tool["name"].(string); ok {
			kept["tools."+name] = []any{tool["input_schema"], tool["output_schema"]}
		}
	}
	return kept
}

// The tools are changed twice, so that one is added and removed again, whichever
// comes first, and they are left as they were. A manifest that agrees with one of the two
// lists only does not follow the change.
func runtimeCurrent(d *document) error {
	before := d.now()
	d.client.NotSeenIf(before.handed.Kept,
		"the manifest stands in the answer that opened the connection, and cannot be asked for again on it")
	agrees := before.differ("") == nil
	var verdict, stopped error
	listed := before.listed
	for range 2 {
		d.trigger()
		if stopped == nil {
			stopped = d.client.Try(func() {
				differs := d.follows(&listed)
				agrees, verdict = agrees || differs == nil, cmp.Or(verdict, differs)
			})
		}
	}
	d.client.Must(stopped)
	d.client.UndecideIf(!agrees, "the manifest and tools/list differ anyway; ext-manifest/tools-equal-list says so")
	return verdict
}

// trigger changes the tools. Where there is no handshake the manifest is none of a
// connection, so that the change is made on another one, which reaches the same
// server over HTTP.
func (d *document) trigger() {
	c, tools := d.client, d.client.Role(roles.Trigger).Fields().At("tools")
	if protocol.RequestMeta().At(c.Revision()) && c.Transport() == requirements.HTTP {
		other := c.Opened()
		other.Act(tools)
		other.Close()
		return
	}
	c.Act(tools)
}

// follows compares the manifest with tools/list after a change of the latter. Where
// the document may be kept for a while, that time is waited out.
func (d *document) follows(listed *map[string]bool) error {
	after := d.now()
	d.client.UndecideIf(maps.Equal(*listed, after.listed), "roles.trigger.tools did not change tools/list")
	*listed = after.listed
	const when = " after a change of the tools"
	v := after.differ(when)
	if fresh, given := d.freshness(); v != nil && given {
		d.client.UndecideIf(fresh > d.client.Waits().Max, "the manifest may be kept for longer than wait.max")
		d.client.Await(d.client.Mark(), fresh, func(probe.Seen) bool { return false })
		after = d.now()
		v = after.differ(when)
	}
	if v != nil {
		return v
	}
	return nil
}

// freshness is how long the document may be kept, where it says so.
func (d *document) freshness() (time.Duration, bool) {
	seconds, ok := probe.NumberOf(d.Document["manifest_ttl"])
	if millis, given := probe.NumberOf(d.Whole["ttlMs"]); given && (!ok || millis > seconds*1000) {
		seconds, ok = millis/1000, true
	}
	return time.Duration(seconds * float64(time.Second)), ok && seconds > 0
}
