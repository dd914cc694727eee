// Package faults holds the ways to break the provenance extension.
package faults

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/provenance"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const suite = "ext-provenance/"

// whole changes all that the fee says of its sources, in both places.
func whole(change func(records []any) any) fault.Change {
	return fault.OnTool("mooring_fee", func(result fault.Message) {
		meta := result.Object("_meta")
		for _, key := range []string{"provenance", provenance.Prefix + "provenance"} {
			if records, ok := meta[key].([]any); ok {
				if meta[key] = change(records); meta[key] == nil {
					delete(meta, key)
				}
			}
		}
	})
}

// each changes all records.
func each(change func(record fault.Message)) fault.Change {
	return whole(func(records []any) any {
		for _, one := range records {
			if record, ok := one.(map[string]any); ok {
				change(record)
			}
		}
		return records
	})
}

func set(name string, value any) fault.Change {
	return each(func(record fault.Message) { record[name] = value })
}

func located(name string, value any) fault.Change {
	return each(func(record fault.Message) { record.Object("location")[name] = value })
}

func drop(name string) fault.Change {
	return each(func(record fault.Message) { delete(record, name) })
}

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	const present, source, confidence, retrieved = "ext-provenance-present", "ext-provenance-source", "ext-provenance-confidence",
		"ext-provenance-retrieved-at"
	const location, list, kept = "ext-provenance-location", "ext-provenance-list", "ext-provenance-payload-kept"
	never := whole(func([]any) any { return nil })
	expected := []string{suite + "source-expected"}
	return []fault.Fault{
		{Breaks: present, Each: []fault.Fault{
			{Name: "provenance-never", Title: "provenance is declared, and no answer says where its data comes from", Reply: never},
			{Name: "provenance-prose", Title: "the source stands in the text for people alone", Reply: fault.Changes(never,
				fault.OnTool("mooring_fee", func(result fault.Message) {
					content, _ := result["content"].([]any)
					result["content"] = append(content, fault.Text("Source: the tariff of the harbour, page 3.")...)
				}))},
			{
				Name: "provenance-two-ways", Title: "provenance differs between its two names", In: fault.OverStdio("2026-07-28"),
				Reply: fault.OnTool("mooring_fee", func(result fault.Message) {
					result.Object("_meta")["provenance"] = map[string]any{"source": "another tariff"}
				}),
			},
			{Name: "provenance-once", Title: "only the first answer of a tool says where its data comes from", Ext: provenance.Switches{Once: true}},
		}},
		{Breaks: source, May: expected, Each: []fault.Fault{
			{Name: "provenance-string", Title: "provenance is a string", Reply: whole(func([]any) any { return "the tariff of the harbour" })},
			{Name: "provenance-source-missing", Title: "records have no source", Reply: drop("source")},
			{Name: "provenance-source-empty", Title: "source is an empty string", Reply: set("source", "")},
			{Name: "provenance-source-object", Title: "source is an object", Reply: set("source", map[string]any{"file": "tariff"})},
		}},
		{Breaks: confidence, Each: []fault.Fault{
			{Name: "provenance-confidence-number", Title: "confidence is 0.9", Reply: set("confidence", 0.9)},
			{Name: "provenance-confidence-high", Title: `confidence is "high"`, Reply: set("confidence", "high")},
			{Name: "provenance-confidence-capital", Title: `confidence is "Exact"`, Reply: set("confidence", "Exact")},
		}},
		{Breaks: retrieved, Each: []fault.Fault{
			{Name: "provenance-retrieved-words", Title: `retrieved_at is "March 10"`, Reply: set("retrieved_at", "March 10")},
			{Name: "provenance-retrieved-date", Title: "retrieved_at has no time", Reply: set("retrieved_at", "2026-03-10")},
			{Name: "provenance-retrieved-later", Title: "retrieved_at lies in the next year", Reply: each(func(record fault.Message) {
				record["retrieved_at"] = time.Now().AddDate(1, 0, 0).UTC().Format(time.RFC3339)
			})},
		}},
		{Breaks: location, Each: []fault.Fault{
			{Name: "provenance-page-string", Title: `page is "3"`, Reply: located("page", "3")},
			{Name: "provenance-location-string", Title: `location is "p. 3"`, Reply: set("location", "p. 3")},
			{Name: "provenance-version-number", Title: "version is a number", May: expected, Reply: set("version", 2.1)},
			{Name: "provenance-transformation-list", Title: "transformation is an array", Reply: set("transformation", []any{"sum"})},
			{Name: "provenance-page-zero", Title: "page is 0", Reply: located("page", 0)},
		}},
		{
			Name: "provenance-derived-unexplained", Title: "a derived value does not say how it came about",
			Breaks: "ext-provenance-derived-explained", Reply: drop("transformation"),
		},
		{Breaks: list, Each: []fault.Fault{
			{Name: "provenance-list-patchy", Title: "one record of a list has no source", Reply: whole(func(records []any) any {
				return append(records, map[string]any{"confidence": "exact"})
			})},
			{Name: "provenance-list-keyed", Title: "several sources are an object with their names", May: expected,
				Reply: whole(func(records []any) any {
					object := map[string]any{}
					for _, one := range records {
						record, _ := one.(map[string]any)
						name, _ := record["source"].(string)
						object[name] = map[string]any(fault.Message(record).Without("source"))
					}
					return object
				})},
			{Name: "provenance-list-empty", Title: "the list of sources is empty", May: expected, Reply: whole(func([]any) any { return []any{} })},
		}},
		{Breaks: kept, Each: []fault.Fault{
			{Name: "provenance-content-moved", Title: "the answer stands in result beside provenance, and content is missing",
				May: []string{"schema/messages-valid", "tools/call-result"}, Reply: fault.OnTool("mooring_fee", func(result fault.Message) {
					result["result"], result["provenance"] = result["content"], result.Object("_meta")["provenance"]
					delete(result, "content")
				})},
			{Name: "provenance-in-answer", Title: "provenance stands in the structured content, which the output schema does not allow",
				In: fault.OverStdio("2025-06-18", "2026-07-28"),
				Reply: fault.OnTool("mooring_fee", func(result fault.Message) {
					answer := result.Object("structuredContent")
					result["structuredContent"] = map[string]any(answer.With("provenance", result.Object("_meta")["provenance"]))
				})},
		}},
		{
			Name: "provenance-constant", Title: "each answer names the same source", Breaks: "ext-provenance-matches-source",
			Reply: set("source", "harbour-office"),
		},
		{
			Name: "provenance-password", Title: "the source is an address with a password", Breaks: "ext-provenance-no-credentials", May: expected,
			Reply: set("source", "postgres://clerk:kelp-and-brine@db.harbour.example/tariff"),
		},
	}
}
