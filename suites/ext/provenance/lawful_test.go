package provenance_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/ext/provenance"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type object = dialects.Object

// told answers each call with a record, or with a list of them.
func told(records any) fakeserver.Answers {
	answer := object{"content": []any{object{"type": "text", "text": "412.5"}}, "_meta": object{"provenance": records}}
	return fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		name, _ := r.Params["name"].(string)
		switch {
		case name != "tool_0" && name != "tool_1":
			return &fakeserver.Error{Code: -32602, Message: "unknown tool"}
		case !fakeserver.HasText(r):
			return fakeserver.Flagged(r)
		}
		return answer
	}}
}

func TestLawful(t *testing.T) {
	const role = "roles: {content: {provenance: {tool: tool_0, arguments: {text: fee}, expect: {source: ledger, location: F118}}}}"
	row := func(name string, records any) lawful.Row {
		return lawful.Row{Name: name, Config: role, Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:provenance"), Tools: fakeserver.Tools(2), Answer: told(records),
		}}
	}
	lawful.Servers(t, "ext-provenance", []lawful.Row{
		row("one record with all that there is", object{
			"source": "ledger", "location": object{"cell": "F118", "sheet": "July", "line": 118}, "retrieved_at": "1999-08-20t09:59:58.5+02:00",
			"version": "rev-77", "confidence": "derived", "transformation": "Summed over July", "licence": "open",
		}),
		row("several records", []any{
			object{"source": "https://harbour.example/rates?month=7"}, object{"source": "ledger", "location": object{"cell": "F118"}, "confidence": "uncertain"},
		}),
		{Name: "claims provenance, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:provenance"), Tools: fakeserver.Tools(2),
		}},
		{Name: "a word of its own among the answers", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Answer: told("Bordeaux, left bank"),
		}},
	})
}

// moved takes the records of each result away and puts them somewhere else.
func moved(put func(result object, records any)) dialects.Translator {
	return dialects.Translator{Out: func(message object) bool {
		result, _ := message["result"].(object)
		meta, _ := result["_meta"].(object)
		if records, ok := meta["provenance"]; ok {
			delete(meta, "provenance")
			delete(meta, dialects.Prefix+"provenance")
			put(result, records)
		}
		return true
	}}
}

// What the text, the schema and the examples have in other places is accepted. That the
// kit verifies nothing stands in a note, also of records that are made up.
func TestForms(t *testing.T) {
	t.Parallel()
	page := dialects.Page{
		Suites: []suite.Suite{provenance.Suite()}, Extensions: []string{"provenance"}, NotedBy: "present",
		Config: func(c *config.Config) { c.Transport = config.HTTP },
	}
	made := object{"source": "an-archive-that-nobody-has", "confidence": "exact"}
	page.Dialects(t, []dialects.Row{
		{Name: "canonical", Noted: "is unverified"},
		{Name: "beside the content", Noted: "result.provenance, an older form",
			Server: moved(func(result object, records any) { result["provenance"] = records })},
		{Name: "on a block of content", Server: moved(func(result object, records any) {
			content, _ := result["content"].([]any)
			block, _ := content[0].(object)
			block["_meta"] = object{"provenance": records}
		})},
		{Name: "made up", Warns: "source-expected", Unseen: "location-shape retrieved-at derived-explained several-listed", Noted: "is unverified",
			Server: moved(func(result object, _ any) { result["_meta"].(object)["provenance"] = made })},
	})
}
