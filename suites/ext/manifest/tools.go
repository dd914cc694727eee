package manifest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func tools() []suite.Case {
	return []suite.Case{
		handed("tool-required", "each tool of the manifest has a name, a description and input_schema", "ext-manifest-tool-required",
			"send name, description and input_schema for each tool; inputSchema is the spelling of tools/list", of(toolRequired)),
		handed("tool-name-pattern", "tool names of the manifest consist of small letters, digits and underscores",
			"ext-manifest-tool-name-pattern",
			"rename the tool: begin with a small letter, and use a-z, 0-9 and _ only", of(toolNamePattern)),
		handed("tool-names-unique", "each tool occurs once in the manifest", "ext-manifest-tool-names-unique",
			"list each tool once, and give different tools different names", of(toolNamesUnique)),
		handed("tool-flags-boolean", "the flags of tools are booleans and required_scopes is an array of strings",
			"ext-manifest-tool-flags-boolean",
			"send true or false for idempotent, requires_confirmation, supports_streaming and supports_pagination", ofEntries("ToolFlags")),
		{
			ID:     "ext-manifest/tools-equal-list",
			Title:  "the manifest and tools/list name the same tools",
			Checks: []requirements.ID{"ext-manifest-tools-equal-list"},
			Needs:  manifests(suite.Capability("tools")),
			// Not while another case changes the tools.
			Observes: roles.Trigger,
			Fix:      "make the manifest and tools/list from the same registry, and put all pages of the list into the manifest",
			Run:      of(toolsEqualList),
		},
		handed("idempotent-agrees", "the manifest and the annotations of a tool agree on whether it is idempotent",
			"ext-manifest-idempotent-agrees",
			"make idempotent of the manifest from idempotentHint", of(idempotentAgrees), suite.Capability("tools")),
	}
}

// ofEntries makes a case of a definition that each tool has to fit.
func ofEntries(definition string) func(*probe.Client) error {
	return of(func(d *document) error {
		for _, e := range d.entries() {
			d.client.Must(d.fits(definition, e.tool, "tools", e.at))
		}
		return nil
	})
}

func toolRequired(d *document) error {
	d.client.NotSeenIf(len(d.tools()) == 0, "the manifest lists no tools")
	for i, tool := range d.tools() {
		problem := d.client.ExtensionProblem("manifest", "ToolOutline", d.Pointer("tools", i), tool)
		if problem == "" {
			continue
		}
		for _, s := range misspelt(probe.ObjectOf(tool)) {
			problem += fmt.Sprintf("; it has %q, where the manifest has %q", s.written, s.meant)
		}
		return d.violation("%s", problem)
	}
	return nil
}

// A spelling is the name that another text has for a required property of a tool.
type spelling struct{ meant, written string }

// misspelt are the properties of a tool that stand in the place of required ones, in the
// spelling of the proposal's examples or of tools/list.
func misspelt(tool map[string]any) []spelling {
	all := []spelling{{"name", "tool"}, {"input_schema", "parameters"}, {"input_schema", "inputSchema"}}
	return slices.DeleteFunc(all, func(s spelling) bool {
		_, right := tool[s.meant]
		_, other := tool[s.written]
		return right || !other
	})
}

// A name that the core protocol allows and that tools/list has too cannot be changed
// for the manifest alone.
func toolNamePattern(d *document) error {
	all := d.entries()
	narrow, wide := regexp.MustCompile(`^[a-z][a-z0-9_]*$`), regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
	var doubtful error
	for _, e := range all {
		name := e.name()
		if name == "" || narrow.MatchString(name) {
			continue
		}
		broken := d.violation("%s is %q, want a name that fits ^[a-z][a-z0-9_]*$", d.Where("tools", e.at, "name"), name)
		if !wide.MatchString(name) {
			return broken
		}
		switch {
		case probe.List(d.client, protocol.Tools()).Lacks(name):
			return broken
		case doubtful == nil:
			doubtful = broken.AtMostWarn()
		}
	}
	return doubtful
}

func toolNamesUnique(d *document) error {
	all := d.entries()
	first := map[string]int{}
	var problems []string
	for _, e := range all {
		name := e.name()
		if name == "" {
			continue
		}
		if at, twice := first[name]; twice {
			problems = append(problems, fmt.Sprintf("%s is %q, the name of %s, want each name once",
				d.Where("tools", e.at, "name"), name, d.Where("tools", at)))
			continue
		}
		first[name] = e.at
	}
	return d.none(problems)
}

// A pair is a manifest and the list of tools at the same time.
type pair struct {
	manifest, listed map[string]bool
	handed           proposal.Handed
	items            probe.Items
}

// differ says how the two differ, shown by both, and nothing where they do not. What
// other proposals offer as a tool need not be in both.
func (p pair) differ(when string) *probe.Violation {
	var problems []string
	shown := p.handed.Shown
	if only := beyond(p.listed, p.manifest); len(only) > 0 {
		problems = append(problems, fmt.Sprintf("the manifest lacks %s, which tools/list has", quoted(only)))
		item, _ := p.items.Find(only[0])
		shown = shown.And(item.Page)
	}
	if only := beyond(p.manifest, p.listed); len(only) > 0 {
		problems = append(problems, fmt.Sprintf("the manifest has %s, which tools/list lacks", quoted(only)))
		shown = shown.And(p.items)
	}
	if len(problems) == 0 {
		return nil
	}
	return shown.Violation("%s%s, want the same tools in both", some(problems), when)
}

// beyond are the names that others do not have.
func beyond(names, others map[string]bool) []string {
	var only []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !others[name] && !slices.Contains(proposal.Standing(), name) {
			only = append(only, name)
		}
	}
	return only
}

func quoted(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("the tool %q", names[0])
	}
	return fmt.Sprintf("%d tools such as %q", len(names), names[0])
}

// now reads the manifest and the list, and the manifest again: a list that changes
// meanwhile shows nothing, and neither does a tool without a name.
func (d *document) now() pair {
	before := proposal.ReadManifestAnew(d.client)
	items := probe.ListAnew(d.client, protocol.Tools())
	items.MustBeRead()
	after := proposal.ReadManifestAnew(d.client)
	d.client.UndecideIf(!maps.Equal(names(before), names(after)), "the tools change while they are read")
	d.client.UndecideIf(nameless(after), "a tool of the manifest has no name, which ext-manifest/tool-required judges")
	p := pair{manifest: names(after), listed: map[string]bool{}, handed: after, items: items}
	for _, item := range items.All {
		if item.Keyed {
			p.listed[item.Key] = true
		}
	}
	return p
}

// names are the tools that a manifest has.
func names(h proposal.Handed) map[string]bool {
	all := map[string]bool{}
	for _, tool := range probe.ArrayOf(h.Document["tools"]) {
		if name, ok := probe.ObjectOf(tool)["name"].(string); ok {
			all[name] = true
		}
	}
	return all
}

// nameless reports whether a tool of the manifest has no name that is a string, or an empty one.
func nameless(h proposal.Handed) bool {
	return slices.ContainsFunc(probe.ArrayOf(h.Document["tools"]), func(tool any) bool {
		return probe.TextOf(probe.ObjectOf(tool)["name"]) == ""
	})
}

func toolsEqualList(d *document) error {
	d.tools()
	if v := d.now().differ(""); v != nil {
		return v
	}
	return d.forWeakest()
}

// forWeakest compares what the weakest principal is shown. A document that does not come by a
// request with credentials is nobody's own; and that is a warning, since a server may think
// of it as a description that all may read.
func (d *document) forWeakest() error {
	weakest, sure := bench.Weakest(d.client)
	if !sure || weakest == d.client || !proposal.IsManifest(proposal.GetManifest().Ask(weakest, nil).Object) {
		return nil
	}
	var v *probe.Violation
	_ = d.client.Try(func() { v = (&document{client: weakest}).now().differ(" of the weakest principal") })
	if v == nil {
		return nil
	}
	return v.AtMostWarn()
}

func idempotentAgrees(d *document) error {
	compared := 0
	err := d.eachListed(func(e entry, listed probe.Item) string {
		says, ok := e.tool["idempotent"].(bool)
		annotations := probe.ObjectOf(listed.Get("annotations"))
		hint, too := annotations["idempotentHint"].(bool)
		if !ok || !too || annotations["readOnlyHint"] == true {
			return ""
		}
		compared++
		if says && !hint {
			return fmt.Sprintf("%s is true, and idempotentHint of %q in tools/list is false, want the same in both",
				d.Where("tools", e.at, "idempotent"), e.name())
		}
		return ""
	})
	d.client.NotSeenIf(err == nil && compared == 0, "no tool that changes something has both idempotent and idempotentHint")
	return err
}

// eachListed compares each tool of the document with the one that tools/list has by
// that name.
func (d *document) eachListed(compare func(e entry, listed probe.Item) (problem string)) error {
	all := d.entries()
	items := probe.List(d.client, protocol.Tools())
	var problems []string
	shown := d.Shown
	for _, e := range all {
		listed, ok := items.Find(e.name())
		if !ok || e.name() == "" {
			continue
		}
		if problem := compare(e, listed); problem != "" {
			if len(problems) == 0 {
				shown = shown.And(listed.Page)
			}
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		return shown.Violation("%s", some(problems))
	}
	return nil
}
