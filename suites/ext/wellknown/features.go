package wellknown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func features() []suite.Case {
	return []suite.Case{
		page("feature-required", "every feature has a name, a description and a type", "ext-wk-feature-required",
			"send name, description and type of each feature as strings, type being tool, prompt or resource", of(featureRequired)),
		page("feature-schemas", "schemas of features are valid, and annotations are objects", "ext-wk-feature-schemas",
			"send inputSchema and outputSchema as valid JSON Schemas and annotations as an object, or leave them out", of(featureSchemas)),
		page("features-match", "the features are what the server lists", "ext-wk-features-match",
			"make the document from the registry that the lists are made from", of(featuresMatch), suite.Lists()),
	}
}

// A feature is an entry of the document that is an object.
type feature struct {
	of map[string]any
	at int
}

func (f feature) text(property string) string { return probe.TextOf(f.of[property]) }

func (f feature) where(property string) string {
	return fmt.Sprintf("$.features[%d].%s", f.at, property)
}

func (d *document) features() []feature {
	all, ok := d.Object["features"].([]any)
	d.client.UndecideIf(!ok, "the document has no array of features; ext-well-known/required says so")
	d.client.NotSeenIf(len(all) == 0, "the document has no features")
	var objects []feature
	for i, one := range all {
		if o, ok := one.(map[string]any); ok {
			objects = append(objects, feature{o, i})
		}
	}
	return objects
}

// kinds are the lists, by the type of their features.
func kinds() map[string]protocol.List {
	return map[string]protocol.List{"tool": protocol.Tools(), "prompt": protocol.Prompts(), "resource": protocol.Resources()}
}

func featureRequired(d *document) error {
	d.features()
	for i, one := range probe.ArrayOf(d.Object["features"]) {
		d.client.Must(d.fits("Feature", fmt.Sprintf("/features/%d", i), one))
	}
	for _, f := range d.features() {
		if _, known := kinds()[f.text("type")]; !known {
			return d.violation("%s is %q, want tool, prompt or resource", f.where("type"), f.text("type")).AtMostWarn()
		}
		item, empty := d.listed(f), f.of["description"] == ""
		if f.of["description"] != nil && !empty || empty && (item == nil || !described(item)) {
			continue
		}
		v := d.violation("%s is %s, want a string that is not empty", f.where("description"),
			probe.Show(probe.Member(f.of, "description")))
		if described(item) && !empty {
			return v
		}
		return v.AtMostWarn() // there is nothing to repeat, or no sentence that asks for more
	}
	return nil
}

// listed is the item of a list that a feature stands for, as discovery read it.
func (d *document) listed(f feature) map[string]any {
	for _, one := range d.client.Survey().Lists[kinds()[f.text("type")].Method] {
		if item := probe.ObjectOf(one); f.names(item) {
			return item
		}
	}
	return nil
}

// names reports whether a feature stands for an item: a resource may be named by its URI.
func (f feature) names(item map[string]any) bool {
	name := f.text("name")
	return name != "" && (item["name"] == name || f.text("type") == "resource" && item["uri"] == name)
}

func described(item map[string]any) bool {
	return item == nil || probe.TextOf(item["description"]) != ""
}

func featureSchemas(d *document) error {
	compiled, bare := map[string]error{}, ""
	for _, f := range d.features() {
		for _, property := range []string{"inputSchema", "outputSchema"} {
			if f.of[property] == nil {
				continue
			}
			if problem := proposal.UnsoundSchema(d.client, f.of[property], compiled); problem != "" {
				return d.violation("%s is %s", f.where(property), problem)
			}
		}
		if _, object := f.of["annotations"].(map[string]any); f.of["annotations"] != nil && !object {
			return d.violation("%s is %s, want an object", f.where("annotations"), probe.Show(f.of["annotations"]))
		}
		if f.text("type") == "tool" && f.of["inputSchema"] == nil && bare == "" {
			bare = f.where("inputSchema")
		}
	}
	if bare != "" {
		return d.violation("%s is missing, want the schema of the tool", bare).AtMostWarn()
	}
	return nil
}

// featuresMatch compares in the column of the revision that the document names: lists of
// other revisions may lack what these do not know.
func featuresMatch(d *document) error {
	c := d.client
	named := probe.TextOf(d.Object["schemaVersion"])
	other := requirements.Revision(named).Known() && named != string(c.Revision())
	c.NotSeenIf(other, "the document describes revision "+named+", and this is another")
	c.UndecideIf(c.Survey().Traits[probe.Guarded], "the document is for everybody, and the lists are for callers with credentials")
	all := d.features()
	c.NotSeenIf(len(all) < len(probe.ArrayOf(d.Object["features"])),
		"a feature is not an object, which ext-well-known/feature-required judges")
	for _, f := range all {
		_, known := kinds()[f.text("type")]
		c.UndecideIf(!known || f.text("name") == "", "a feature has no name, or no type that there is; ext-well-known/feature-required says so")
	}
	var problems []string
	for _, kind := range []string{"tool", "prompt", "resource"} {
		own := slices.DeleteFunc(slices.Clone(all), func(f feature) bool { return f.text("type") != kind })
		problems = append(problems, d.compared(kind, own)...)
	}
	if len(problems) == 0 {
		return nil
	}
	return d.violation("%s", strings.Join(problems[:min(3, len(problems))], "; "))
}

// compared says how the features of a kind differ from a list. A list that was not read to
// its end says nothing.
func (d *document) compared(kind string, own []feature) []string {
	list := kinds()[kind]
	if !d.client.Survey().Declares(list.Capability) {
		if len(own) > 0 {
			return []string{fmt.Sprintf("%s is a %s, and the server declares no %s", own[0].where("name"), kind, list.Capability)}
		}
		return nil
	}
	items := probe.List(d.client, list)
	if !items.Whole() {
		return nil
	}
	var problems []string
	known := map[int]bool{}
	for _, item := range items.All {
		entry := probe.ObjectOf(item.Value)
		i := slices.IndexFunc(own, func(f feature) bool { return f.names(entry) })
		if i < 0 {
			if item.Keyed {
				problems = append(problems, fmt.Sprintf("the document lacks the %s %q, which %s has", kind, item.Key, list.Method))
			}
			continue
		}
		known[own[i].at] = true
		problems = append(problems, own[i].differs(entry, list.Method)...)
	}
	for _, f := range own {
		if !known[f.at] && !d.isTemplate(f) {
			problems = append(problems, fmt.Sprintf("%s is %q, which %s does not have", f.where("name"), f.text("name"), list.Method))
		}
	}
	return problems
}

// isTemplate reports whether a feature is a resource template, for which the proposal has
// no type.
func (d *document) isTemplate(f feature) bool {
	return f.text("type") == "resource" && slices.ContainsFunc(probe.List(d.client, protocol.Templates()).All, func(item probe.Item) bool {
		template := probe.ObjectOf(item.Value)
		return template["name"] == f.of["name"] || template["uriTemplate"] == f.of["name"]
	})
}

// differs says where a feature says something else than the item that it stands for. What
// stands on one side only is no contradiction.
func (f feature) differs(item map[string]any, method string) []string {
	var problems []string
	if own, other := f.text("description"), probe.TextOf(item["description"]); own != "" && other != "" && own != other {
		problems = append(problems, fmt.Sprintf("%s is %s, and %s has %s", f.where("description"), probe.Show(own), method, probe.Show(other)))
	}
	for _, property := range []string{"inputSchema", "outputSchema", "annotations"} {
		own, written := f.of[property].(map[string]any) // ext-well-known/feature-schemas judges others
		other, listed := item[property].(map[string]any)
		if !written || !listed {
			continue
		}
		if at := proposal.SchemaDifference(own, other); at != "" {
			problems = append(problems, fmt.Sprintf("%s differs from that of %q in %s, at %s", f.where(property), f.text("name"), method, at))
		}
	}
	return problems
}
