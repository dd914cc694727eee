package provenance

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// called are the cases about the call of the role.
func called() []suite.Case {
	role := suite.Role(roles.Content, "provenance")
	return []suite.Case{
		bench.Case("ext-provenance/present", "a tool's answer says where its data comes from", "ext-provenance-present",
			"put provenance into _meta of each result: a record with the source, or a list of records", present, role),
		bench.Case("ext-provenance/payload-kept", "provenance stands beside the answer and leaves it as it is", "ext-provenance-payload-kept",
			"keep content and structuredContent as the protocol and outputSchema define them, and put provenance into _meta", payloadKept, role),
		bench.Case("ext-provenance/source-expected", "the record names the source that the data comes from", "ext-provenance-matches-source",
			"name the source of the data of this very answer", sourceExpected, suite.Role(roles.Content, "provenance.expect")),
	}
}

// ask makes the call of the role, and gives what its answer says of sources.
func ask(c *probe.Client) (*probe.Reply, map[string]any, []claim) {
	reply := c.CallTool(c.Role(roles.Content).Field("provenance"), nil)
	if proposal.LacksRights(reply) {
		c.Undecide("the caller of this run may not make the call of roles.content.provenance")
	}
	c.Require(proposal.WantDone(reply), "the call of roles.content.provenance had no result: "+reply.Outcome())
	result, _ := reply.Result()
	return reply, result, claims(result)
}

func present(c *probe.Client) error {
	reply, _, all := ask(c)
	for _, one := range all {
		if !one.formed() {
			return reply.Violation("%s is %s, want a record or a list of records", one.place, probe.Show(one.value)).
				Unless(probe.Elsewhere{Case: "ext-provenance/source-named", Why: "provenance is neither a record nor a list"})
		}
		if one.place[0] != '_' && !strings.HasPrefix(one.place, "content[") {
			c.Note("provenance stands in " + one.place + ", an older form; the canonical place is _meta.provenance")
		}
	}
	if len(all) == 0 {
		return reply.Violation("the answer has no provenance, want a record of where its data comes from, in _meta")
	}
	for _, one := range all {
		c.Must(proposal.Agree(reply, "provenance", proposal.Located{Value: one.value, Place: one.place, Disagree: one.disagree}))
	}
	c.Note("what provenance says is unverified: the kit judges its form")
	again := c.CallTool(c.Role(roles.Content).Field("provenance"), nil)
	if result, _ := again.Result(); proposal.Done(again) && len(claims(result)) == 0 {
		return probe.Shown(reply, again).Violation("the answer to the same call again has no provenance, want it in each answer")
	}
	return nil
}

func payloadKept(c *probe.Client) error {
	reply, result, all := ask(c)
	c.NotSeenIf(len(all) == 0, "the answer has no provenance, which ext-provenance/present judges")
	content, ok := result["content"].([]any)
	switch {
	case !ok:
		return reply.Violation("$.result.content is missing beside provenance, want the answer of the tool there")
	case len(content) == 0 && result["structuredContent"] == nil:
		return reply.Violation("$.result.content is empty beside provenance, want the answer of the tool there")
	}
	structured, given := result["structuredContent"]
	if _, inside := probe.ObjectOf(structured)["provenance"]; !given || !inside {
		return nil
	}
	call := c.Role(roles.Content).Field("provenance")
	tool, _ := probe.List(c, protocol.Tools()).Find(call.Tool)
	schema, typed := tool.Get("outputSchema").(map[string]any)
	if compiled, err := schemas.Compile(schema); typed && err == nil {
		if faults, _ := compiled.Validate(structured); len(faults) > 0 {
			return reply.Violation("%s", probe.Faults("/result/structuredContent", faults))
		}
	}
	return nil
}

func sourceExpected(c *probe.Client) error {
	reply, _, all := ask(c)
	c.NotSeenIf(len(all) == 0, "the answer has no provenance, which ext-provenance/present judges")
	want := c.Role(roles.Content).Fields().At("provenance").At("expect")
	var named []string
	for _, one := range all {
		c.NotSeenIf(!one.formed(), one.place+" is neither a record nor a list, which ext-provenance/source-named judges")
		for _, r := range one.records {
			if r.source() == want.Text("source") || want.Text("source") == "" {
				return r.expected(reply, want)
			}
			named = append(named, r.source())
		}
	}
	broken := reply.Violation("provenance names %s, want %s", probe.Show(named), probe.Show(want.Text("source")))
	if strings.Join(named, "") != "" {
		return broken
	}
	return broken.Unless(nameless(all))
}

// nameless tells which watcher judges that no record names a source.
func nameless(all []claim) probe.Elsewhere {
	for _, one := range all {
		if list, ok := one.value.([]any); ok && len(one.records) < max(len(list), 1) {
			return probe.Elsewhere{Case: "ext-provenance/several-listed", Why: "a list holds something other than records"}
		}
	}
	return probe.Elsewhere{Case: "ext-provenance/source-named", Why: "no record names a source"}
}

func (r record) source() string { return probe.TextOf(r.fields["source"]) }

// expected compares what else is known of the source.
func (r record) expected(reply *probe.Reply, want roles.Fields) error {
	version, location := want.Text("version"), want.Text("location")
	got, given := r.fields["version"]
	if version != "" && got != version {
		broken := reply.Violation("%s.version is %s, want %q", r.place, probe.Show(probe.Member(r.fields, "version")), version)
		if _, text := got.(string); given && !text {
			broken = broken.Unless(probe.Elsewhere{Case: "ext-provenance/location-shape", Why: "the version is not a string"})
		}
		return broken
	}
	if location == "" {
		return nil
	}
	for _, value := range probe.ObjectOf(r.fields["location"]) {
		if probe.TextOf(value) == location || probe.JSON(value) == location {
			return nil
		}
	}
	if probe.JSON(r.fields["location"]) == location {
		return nil
	}
	return reply.Violation("%s.location is %s, want %q in it", r.place, probe.Show(r.fields["location"]), location)
}
