package proposal

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// An Entry is what a server says of a tool in one place: in the manifest, in tools/list, or in
// _meta there. Proposals add properties of theirs in each of them.
type Entry struct {
	Tool  string
	Says  map[string]any // without the prefix of the proposals
	Shown probe.Evidence

	Listed bool      // in tools/list
	Clock  time.Time // of the answer, by the clock of the server where it tells that; zero where that is long ago

	at       string
	pointer  string // the same place in the message
	prefixed bool   // the place holds properties under the prefix
}

// Where is the place of a property, as problems show it.
func (e Entry) Where(property string) string {
	if e.prefixed {
		return e.at + `["` + Prefix + property + `"]`
	}
	return e.at + "." + property
}

// Pointer is the place of a property as a JSON pointer into the message.
func (e Entry) Pointer(property string) string {
	if e.prefixed {
		property = Prefix + property
	}
	return e.pointer + "/" + frame.Escape(property)
}

// Entries are all places in which the server speaks of its tools, the manifest first.
func Entries(c *probe.Client) []Entry { return entriesBy(c, ReadManifest, probe.List) }

// EntriesAnew reads them again, for what changes from call to call.
func EntriesAnew(c *probe.Client) []Entry { return entriesBy(c, ReadManifestAnew, probe.ListAnew) }

func entriesBy(c *probe.Client, read func(*probe.Client) Handed, list func(*probe.Client, protocol.List) probe.Items) []Entry {
	var all []Entry
	if Manifest(c) != nil {
		h := read(c)
		for i, value := range probe.ArrayOf(h.Document["tools"]) {
			tool := probe.ObjectOf(value)
			all = append(all, Entry{
				Tool: probe.TextOf(tool["name"]), Says: tool, Shown: h.Shown, Clock: h.At, at: h.Where("tools", i), pointer: h.Pointer("tools", i),
			})
		}
	}
	if _, listed := c.Survey().Lists[protocol.Tools().Method]; !listed {
		return all
	}
	for _, item := range list(c, protocol.Tools()).All {
		own := Entry{
			Tool: item.Key, Says: probe.ObjectOf(item.Value), Listed: true, Shown: item.Evidence(), Clock: Clock(item.Page, c.Now()),
			at: item.Where(), pointer: item.Pointer,
		}
		all = append(all, own)
		bare, prefixed := metaOf(own.Says)
		own.at, own.pointer = item.Where("_meta"), item.Pointer+"/_meta"
		for _, says := range []map[string]any{prefixed, bare} {
			if own.Says, own.prefixed = says, !own.prefixed; len(says) > 0 {
				all = append(all, own)
			}
		}
	}
	return all
}

// metaOf are the properties in _meta of an item of tools/list, those under the prefix apart.
func metaOf(tool map[string]any) (bare, prefixed map[string]any) {
	bare, prefixed = map[string]any{}, map[string]any{}
	for name, value := range probe.ObjectOf(tool["_meta"]) {
		if own, ours := strings.CutPrefix(name, Prefix); ours {
			prefixed[own] = value
		} else {
			bare[name] = value
		}
	}
	return bare, prefixed
}

// Stated finds a property of a tool, in the first place that has it.
func Stated(all []Entry, tool, property string) (value any, in Entry, ok bool) {
	for _, e := range all {
		if value, stated := e.Says[property]; stated && e.Tool == tool {
			return value, e, true
		}
	}
	return nil, Entry{}, false
}

// JudgeEntries asks for the problem of each place. The violation tells the first few, and
// shows the place of the first. Where no place has what is asked for, the case ends.
func JudgeEntries(c *probe.Client, all []Entry, what string, problem func(all []Entry, e Entry) (text string, applies bool)) error {
	const most = 3
	var problems []string
	var shown probe.Evidence
	seen, more := false, 0
	for _, e := range all {
		text, applies := problem(all, e)
		switch seen = seen || applies; {
		case text == "":
			continue
		case len(problems) == most:
			more++
			continue
		case len(problems) == 0:
			shown = e.Shown
		}
		problems = append(problems, text)
	}
	c.NotSeenIf(!seen, "no tool has "+what)
	if len(problems) == 0 {
		return nil
	}
	text := strings.Join(problems, "; ")
	if more > 0 {
		text = fmt.Sprintf("%s; and %d more", text, more)
	}
	return shown.Violation("%s", text)
}

// Standing are the names of tools that stand for methods of the proposals.
func Standing() []string {
	return []string{
		"get_manifest", "capabilities", "check_permissions", "can_execute", "negotiate_scopes",
		"begin_transaction", "commit_transaction", "rollback_transaction", "recommend_servers", "ai_help",
		"subscribe", "unsubscribe", "resume", "export_result_ref", "import_from_ref",
	}
}

// tellings are what the server says of its tools, as discovery read it: in the manifest, and
// in tools/list and its _meta.
func tellings(c *probe.Client) (manifest, listed []map[string]any) {
	for _, value := range probe.ArrayOf(Manifest(c)["tools"]) {
		manifest = append(manifest, probe.ObjectOf(value))
	}
	for _, value := range c.Survey().Lists[protocol.Tools().Method] {
		tool := probe.ObjectOf(value)
		bare, prefixed := metaOf(tool)
		listed = append(listed, tool, prefixed, bare)
	}
	return manifest, listed
}

// A tool that is flagged shows the extension. With a message or a risk, the flag is meant.
func confirmationFlags(c *probe.Client) (probe.Strength, string) {
	manifest, listed := tellings(c)
	where := ""
	for i, tool := range append(manifest, listed...) {
		if tool["requires_confirmation"] != true {
			continue
		}
		place := "requires_confirmation in tools/list"
		if i < len(manifest) {
			place = "requires_confirmation in the manifest"
		}
		if tool["confirmation_message"] != nil || tool["risk_level"] != nil {
			return probe.Strong, place
		}
		where = place
	}
	if where == "" {
		return "", ""
	}
	return probe.Weak, where
}

// What a manifest says of the cost of a tool shows the extension; in tools/list the same names
// may mean something else.
func costsStated(c *probe.Client) (probe.Strength, string) {
	manifest, listed := tellings(c)
	for i, tool := range append(manifest, listed...) {
		for _, property := range []string{"cost", "latency", "quota"} {
			switch {
			case tool[property] == nil:
			case i < len(manifest):
				return probe.Strong, property + " in the manifest"
			default:
				return probe.Weak, property + " in tools/list"
			}
		}
	}
	return "", ""
}
