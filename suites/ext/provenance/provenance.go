// Package provenance holds the cases of the provenance proposal: an answer says where its
// data comes from. The cases judge the form of what is said; they verify no source.
package provenance

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-provenance",
		Title:     "answers say where their data comes from",
		Extension: proposal.Extension("provenance"),
		Cases:     slices.Concat(called(), watched(proposal.NewScanner())),
	}
}

// A claim is all that one place of an answer says of sources.
type claim struct {
	place    string
	value    any
	records  []record
	disagree string // a second place that says something else
}

// A record names one source.
type record struct {
	place  string
	fields map[string]any
}

// claims are those of a tool's answer: of the whole of it, and of blocks of its content.
func claims(result map[string]any) []claim {
	var all []claim
	found, ok := proposal.Locate(result, "provenance", "provenance", func(holder map[string]any) bool { return marked(holder["provenance"]) })
	if ok {
		one := claimed(found.Place, found.Value)
		one.disagree = found.Disagree
		all = append(all, one)
	}
	for i, block := range probe.ArrayOf(result["content"]) {
		meta := probe.ObjectOf(probe.ObjectOf(block)["_meta"])
		for _, key := range []string{proposal.Prefix + "provenance", "provenance"} {
			if value, there := meta[key]; there {
				all = append(all, claimed(fmt.Sprintf("content[%d]._meta.provenance", i), value))
				break
			}
		}
	}
	return all
}

// marked reports whether a value in the tool's own answer is one of the extension.
func marked(v any) bool {
	records := claimed("", v).records
	return len(records) > 0 && slices.ContainsFunc(records, func(r record) bool { return probe.TextOf(r.fields["source"]) != "" })
}

func claimed(place string, value any) claim {
	c := claim{place: place, value: value}
	switch v := value.(type) {
	case map[string]any:
		c.records = []record{{place, v}}
	case []any:
		for i, item := range v {
			if fields, ok := item.(map[string]any); ok {
				c.records = append(c.records, record{fmt.Sprintf("%s[%d]", place, i), fields})
			}
		}
	}
	return c
}

// formed reports whether a claim is a record or a list.
func (c claim) formed() bool {
	_, object := c.value.(map[string]any)
	_, list := c.value.([]any)
	return object || list
}

// keyed reports whether an object holds records under names of its own, where a list is
// meant.
func keyed(v any) bool {
	object, ok := v.(map[string]any)
	if _, named := object["source"]; !ok || named || len(object) == 0 {
		return false
	}
	for _, value := range object {
		if _, inner := value.(map[string]any); !inner {
			return false
		}
	}
	return object["location"] == nil
}

// A judge judges one record; one that has a claim as a whole in view judges claims.
type judge func(m probe.Message, r record) probe.Opinion

func watched(scanner *proposal.Scanner) []suite.Case {
	const form = "a record of provenance in the form of the proposal"
	on := func(slug, title string, rule requirements.ID, fix, sees string, watch func(probe.Answer) probe.Opinion) suite.Case {
		return suite.Case{
			ID: "ext-provenance/" + slug, Title: title, Checks: []requirements.ID{rule}, Fix: fix,
			Sees: sees, Watch: probe.OnResult("tools/call", watch),
		}
	}
	each := func(judge judge) func(probe.Answer) probe.Opinion {
		return func(a probe.Answer) probe.Opinion {
			said := probe.Nothing()
			for _, one := range shared(a) {
				for _, r := range one.records {
					if !keyed(one.value) {
						said = said.And(judge(a.Message, r))
					}
				}
			}
			return said
		}
	}
	return []suite.Case{
		on("source-named", "provenance is a record that names its source, or a list of records", "ext-provenance-source",
			"send provenance as an object, and put where the data is kept into source, as a string",
			"a record of provenance that ext-provenance/several-listed does not judge", sources),
		on("confidence-known", "confidence is one of the four that the proposal has", "ext-provenance-confidence",
			"use exact, derived, estimated or uncertain, in small letters, or leave confidence out",
			form+" with confidence", each(confidence)),
		on("retrieved-at", "retrieved_at is a moment that has passed", "ext-provenance-retrieved-at",
			"write the time at which the data was read as RFC 3339 text: Z is for UTC only, and local time needs its own offset",
			form+" with retrieved_at", each(retrieved)),
		on("location-shape", "location, version and transformation have their types", "ext-provenance-location",
			"make location an object with page, paragraph and line as integers from 1 on, and all else text",
			form+" with location, version or transformation", each(placed)),
		on("derived-explained", "a derived or estimated value says how it came about", "ext-provenance-derived-explained",
			"say in transformation what was done to the data",
			form+" whose confidence is derived or estimated", each(explained)),
		on("several-listed", "several sources are a list of records, each with its source", "ext-provenance-list",
			"send an array of records, and name the source of each", "provenance of several sources", listed),
		on("no-credentials", "a source shows no credentials", "ext-provenance-no-credentials",
			"leave user, password and tokens out of addresses in source and location",
			form, each(func(m probe.Message, r record) probe.Opinion {
				for _, text := range append(probe.Texts(r.fields["location"]), r.source()) {
					if hits := scanner.Secrets(text, m.Survey().Given.Secrets, m.Survey().Tokens.All()); len(hits) > 0 {
						return probe.Breaks("%s shows %s, %s", r.place, hits[0].What, probe.Show(hits[0].Text))
					}
				}
				return probe.Kept()
			})),
	}
}

// confidence warns of verified, which example servers of the proposals send.
func confidence(m probe.Message, r record) probe.Opinion {
	said := property("confidence", "Confidence")(m, r)
	if r.fields["confidence"] == "verified" {
		return said.AtMostWarn()
	}
	return said
}

// shared are the claims of an answer, which every watcher here asks for.
func shared(a probe.Answer) []claim {
	return probe.Shared(a.Message, "provenance", func() []claim { return claims(a.Result) })
}

func property(name, definition string) judge {
	return func(m probe.Message, r record) probe.Opinion {
		value, there := r.fields[name]
		if !there {
			return probe.Nothing()
		}
		return proposal.Fits(m, "provenance", definition, r.place+"."+name, value)
	}
}

// sources leaves records of which some have a source to several-listed, and a null to present.
func sources(a probe.Answer) probe.Opinion {
	said := probe.Nothing()
	for _, one := range shared(a) {
		if keyed(one.value) || patchy(one) {
			continue
		}
		if !one.formed() && one.value != nil {
			said = said.And(probe.Breaks("%s is %s, want a record with its source, or a list of records", one.place, probe.Show(one.value)))
		}
		for _, r := range one.records {
			if source, there := r.fields["source"]; there {
				said = said.And(proposal.Fits(a.Message, "provenance", "Source", r.place+".source", source))
			} else {
				said = said.And(probe.Breaks("%s.source is missing, want the name of the source", r.place))
			}
		}
	}
	return said
}

// patchy reports whether some records of a list have a source, and others have none.
func patchy(c claim) bool {
	named := 0
	for _, r := range c.records {
		if r.source() != "" {
			named++
		}
	}
	return named > 0 && named < len(c.records)
}

func listed(a probe.Answer) probe.Opinion {
	said := probe.Nothing()
	for _, one := range shared(a) {
		list, ok := one.value.([]any)
		switch {
		case keyed(one.value):
			said = said.And(probe.Breaks("%s is an object with records under names, want an array of records", one.place))
		case !ok:
		case len(list) == 0:
			said = said.And(probe.Breaks("%s is empty, want a record for each source", one.place).AtMostWarn())
		case len(one.records) < len(list):
			said = said.And(probe.Breaks("%s holds something other than records: %s", one.place, probe.Show(one.value)))
		case patchy(one):
			i := slices.IndexFunc(one.records, func(r record) bool { return r.source() == "" })
			said = said.And(probe.Breaks("%s.source is %s, want the source of each record", one.records[i].place,
				probe.Show(probe.Member(one.records[i].fields, "source"))))
		default:
			said = said.And(probe.Kept())
		}
	}
	return said
}

func retrieved(m probe.Message, r record) probe.Opinion {
	said := property("retrieved_at", "DateTime")(m, r)
	at, ok := proposal.Moment(r.fields["retrieved_at"])
	if ok && at.After(time.Now().Add(proposal.Tolerance)) {
		return probe.Breaks("%s.retrieved_at is %s, which is still to come, want a moment that has passed", r.place,
			probe.Show(r.fields["retrieved_at"])).AtMostWarn()
	}
	return said
}

func placed(m probe.Message, r record) probe.Opinion {
	if !slices.ContainsFunc([]string{"location", "version", "transformation"},
		func(name string) bool { _, there := r.fields[name]; return there }) {
		return probe.Nothing()
	}
	said := proposal.Fits(m, "provenance", "Placed", r.place, r.fields)
	if location, there := r.fields["location"]; there && said.Violation() == nil {
		return proposal.Fits(m, "provenance", "StrictLocation", r.place+".location", location).AtMostWarn()
	}
	return said
}

func explained(_ probe.Message, r record) probe.Opinion {
	confidence := probe.TextOf(r.fields["confidence"])
	if confidence != "derived" && confidence != "estimated" {
		return probe.Nothing()
	}
	if said, given := r.fields["transformation"]; !given || said == "" {
		return probe.Breaks("%s.transformation is %s beside the confidence %s, want how the value came about", r.place,
			probe.Show(probe.Member(r.fields, "transformation")), confidence)
	}
	return probe.Kept()
}
