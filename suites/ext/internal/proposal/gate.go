package proposal

import (
	"regexp"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A Gate is the record with which a tool asks for confirmation instead of acting.
type Gate struct {
	Record  map[string]any
	Place   string // in words
	Pointer string // into the message; empty for JSON within a text
}

// asking reports whether an object says that it asks, in the words of the draft or of the text.
func asking(record map[string]any) bool {
	return record["status"] == "confirmation_required" || record["requires_confirmation"] == true
}

// FindGate finds the record of a gate, in the order in which the dialects are read. In _meta
// under its own name it needs no mark.
func FindGate(c *probe.Client, reply *probe.Reply, tool string) (Gate, bool) {
	const name, own = "confirmation", Prefix + "confirmation"
	result, _ := reply.Result()
	meta, answer := probe.ObjectOf(result["_meta"]), probe.ObjectOf(result["structuredContent"])
	text := probe.ObjectOf(textJSON(result))
	foreign := !Explicit(c, name) && (Declares(c, tool, "requires_confirmation") || Declares(c, tool, "status"))
	for _, p := range []struct {
		held           any
		place, pointer string
		marked         bool // nothing but a gate stands there
		tools          bool // the tool's own answer
	}{
		{meta[own], "_meta[" + own + "]", "/result/_meta/" + frame.Escape(own), true, false},
		{meta[name], "_meta.confirmation", "/result/_meta/confirmation", true, false},
		{meta, "_meta", "/result/_meta", false, false},
		{result[name], "result.confirmation", "/result/confirmation", false, false},
		{result, "result", "/result", false, false},
		{answer[name], "structuredContent.confirmation", "/result/structuredContent/confirmation", false, true},
		{answer, "structuredContent", "/result/structuredContent", false, true},
		{text[name], "the JSON of the text", "", false, true},
		{text, "the JSON of the text", "", false, true},
	} {
		record := probe.ObjectOf(p.held)
		if record != nil && (p.marked || asking(record)) && !(p.tools && foreign) {
			return Gate{record, p.place, p.pointer}, true
		}
	}
	return Gate{}, false
}

// AsksInWords reports whether an answer says that it waits for the user, without a record.
func AsksInWords(reply *probe.Reply) bool { return waits().MatchString(reply.TextContent()) }

var waits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)confirm|approv|consent|agree|are you sure|go ahead`)
})
