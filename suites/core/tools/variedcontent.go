package tools

import (
	"maps"
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// content judges the structured content of a result of a tool with an output schema. Other cases
// judge what plain arguments get, by one call: where that one keeps the rule, this one counts.
func (t trial) content(c *probe.Client, o outcome) error {
	_, structured := o.result["structuredContent"]
	if !structured {
		return t.absent(c, o)
	}
	if v, _ := o.misfit(c); v != nil {
		v.Problem = t.name() + ": " + v.Problem
		if t.misfitsAnyway(c, o.schema) {
			v = v.Unless(probe.Elsewhere{Case: "tools/structured-content-conforms", Why: "plain arguments get such content, too"})
		}
		return v.Under("tools-structured-content-conforms")
	}
	return nil
}

// text judges whether the text blocks hold the values of structured content, where they have its
// properties.
func (t trial) text(c *probe.Client, o outcome) error {
	value := o.result["structuredContent"]
	misfit, _ := o.misfit(c) // another rule judges that
	if problem := contradicted(o.result, value); problem != "" && shaped(c, value) && misfit == nil {
		return o.Violation("%s: %s", t.name(), problem).
			Unless(probe.Elsewhere{Case: "tools/structured-content-text", Why: "the text differs with plain arguments, too"})
	}
	return nil
}

// absent judges a result without structured content. What the tool makes of arguments that do not
// fit is not known, and neither is what a tool lacks that fails with plain ones.
func (t trial) absent(c *probe.Client, o outcome) error {
	if t.Slip != "" {
		return nil
	}
	_, plain := t.plainly(c)
	switch {
	case plain == nil:
		return nil
	case plain["structuredContent"] != nil:
		return o.Violation("$.result.structuredContent is absent from the answer to %s, and there with other arguments, want it each time",
			t.name()).Under("tools-structured-content-present").Unless(probe.NoContent(o.Reply))
	}
	return o.Violation("$.result.structuredContent is absent from the answer to %s, want a value that fits the output schema", t.name()).
		Under("tools-structured-content-present").Unless(probe.NoContent(o.Reply)).
		Unless(probe.Elsewhere{Case: "tools/structured-content-present", Why: "it is absent with plain arguments, too"})
}

// misfitsAnyway reports whether plain arguments get structured content that does not fit
// either: tools/structured-content-conforms judges those, where the schema is of an object.
func (t trial) misfitsAnyway(c *probe.Client, schema map[string]any) bool {
	if kind := probe.TextOf(schema["type"]); kind != "object" && kind != "" {
		return false
	}
	reply, result := t.plainly(c)
	v, _ := outcome{reply, result, schema}.misfit(c)
	return v != nil
}

// plainly calls the tool with plain arguments. The result is nil if that fails.
func (t trial) plainly(c *probe.Client) (*probe.Reply, map[string]any) {
	reply := c.Call("tools/call", t.params(t.plain), probe.Within(oneToolLimit(c)))
	if result, served := reply.Result(); served && !reply.ErrorFlag() && final(result) {
		return reply, result
	}
	return reply, nil
}

// contradicted tells where a text block holds JSON with the properties of structured content and other
// values; empty where none does, or another block repeats the content.
func contradicted(result map[string]any, structured any) string {
	if repeated(result, structured) {
		return ""
	}
	object, _ := structured.(map[string]any)
	for _, text := range jsonTexts(result) {
		other, ok := text.(map[string]any)
		if ok && len(object) > 0 && slices.Equal(slices.Sorted(maps.Keys(object)), slices.Sorted(maps.Keys(other))) {
			return difference(other, object)
		}
	}
	return ""
}

// repeated reports whether a text block repeats structured content.
func repeated(result map[string]any, structured any) bool {
	return slices.ContainsFunc(probe.ArrayOf(result["content"]), func(block any) bool {
		text, ok := probe.ObjectOf(block)["text"].(string)
		return ok && repeatsValue(text, structured)
	})
}

// jsonTexts are the values of the text blocks that hold JSON.
func jsonTexts(result map[string]any) (all []any) {
	for _, block := range probe.ArrayOf(result["content"]) {
		text := probe.TextOf(probe.ObjectOf(block)["text"])
		if read := frame.Read([]byte(text)); read.Value != nil {
			all = append(all, read.Value)
		}
	}
	return all
}

// difference tells the first place where structured content differs from the JSON of a text block.
func difference(text, structured any) string {
	pointer, there, here := differs("", text, structured)
	return probe.Faults("/result/structuredContent"+pointer, []schemas.Fault{{
		Got: probe.Show(here) + ", and " + probe.Show(there) + " in the text block", Want: "the same value in both",
	}})
}

// differs is the pointer to the first difference between two values, and what stands there in each.
func differs(pointer string, a, b any) (at string, inA, inB any) {
	first, _ := a.(map[string]any)
	second, _ := b.(map[string]any)
	if first != nil && second != nil {
		for _, name := range slices.Sorted(maps.Keys(merged(first, second))) {
			if x, y := probe.Member(first, name), probe.Member(second, name); !probe.Same(x, y) {
				return differs(pointer+"/"+frame.Escape(name), x, y)
			}
		}
	}
	list, _ := a.([]any)
	other, _ := b.([]any)
	for i := range min(len(list), len(other)) {
		if !probe.Same(list[i], other[i]) {
			return differs(pointer+"/"+strconv.Itoa(i), list[i], other[i])
		}
	}
	return pointer, a, b
}

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
