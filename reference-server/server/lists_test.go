package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// The server caches its lists, and the cache follows the changes of the registry. Another
// server that shared the cache does not see them.
func TestListsFollowChanges(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", modern} {
		o := server.Options{}.Sharing(&core.Shelf{})
		p, other := newPeer(t, made(t, o)), newPeer(t, made(t, o))
		p.open(revision)
		other.open(revision)
		for _, row := range []struct{ trigger, list, appears string }{
			{"test_trigger_tool_change", "tools", `"name":"winter_storage"`},
			{"test_trigger_prompt_change", "prompts", `"name":"winter_notice"`},
			{"test_trigger_resource_change", "resources", `"uri":"harbour://notices/winter"`},
		} {
			var seen []bool
			for range 3 {
				seen = append(seen, strings.Contains(p.all(revision, row.list), row.appears))
				if strings.Contains(other.all(revision, row.list), row.appears) {
					t.Errorf("%s: another server lists %s", revision, row.appears)
				}
				p.send(request(revision, "9", "tools/call", fmt.Sprintf(`"name":%q`, row.trigger)))
				told := p.next()
				for told != "" && tell(told) != "id 9 ok" { // the change may be reported before the answer
					told = p.next()
				}
			}
			if want := []bool{false, true, false}; fmt.Sprint(seen) != fmt.Sprint(want) {
				t.Errorf("%s: %s is there: %v, want %v", revision, row.appears, seen, want)
			}
		}
	}
}

// all joins the text of all pages of a list.
func (p *peer) all(revision, list string) string {
	p.t.Helper()
	var pages []string
	params := ""
	for {
		p.send(request(revision, "1", list+"/list", params))
		page := p.next()
		pages = append(pages, page)
		cursor, more := result(p.t, page)["nextCursor"].(string)
		if !more {
			return strings.Join(pages, "\n")
		}
		params = fmt.Sprintf(`"cursor":%q`, cursor)
	}
}

func TestListsAreKeptByRevision(t *testing.T) {
	t.Parallel()
	shared := made(t, server.Options{})
	for range 2 {
		for _, revision := range revisions() {
			p, fresh := newPeer(t, shared), newPeer(t, made(t, server.Options{}))
			p.open(revision)
			fresh.open(revision)
			for _, list := range []string{"tools", "resources", "resources/templates", "prompts"} {
				if got, want := p.all(revision, list), fresh.all(revision, list); got != want {
					t.Errorf("%s: %s are %s, want %s", revision, list, got, want)
				}
			}
		}
	}
}

// Servers that share a shelf list what each lists by itself: their faults and their
// extensions make lists longer or shorter, or write into them.
func TestListsAreShared(t *testing.T) {
	t.Parallel()
	usual := &core.Shelf{}
	write := func(_ fault.Exchange, m fault.Message) {
		if result, ok := m.Result(); ok {
			result.Object("_meta")["written"] = true
		}
	}
	for name, o := range map[string]server.Options{
		"sound":               {},
		"writes":              {Fault: &fault.Fault{Reply: write}},
		"as without dashdash": {Fault: &fault.Fault{Breaks: "ping-prompt"}},
		"one extension":       {Extensions: []string{"dashdash"}},
		"none":                {Extensions: []string{}},
		"newer shapes":        {Fault: &fault.Fault{Skip: []fault.Check{fault.CheckShape}}},
		"another tool": {Fault: &fault.Fault{Domain: func(r fault.Registry) {
			r.AddTool(fault.Message{"name": "another", "inputSchema": map[string]any{"type": "object"}}, func(map[string]any) string { return "" })
		}}},
	} {
		for range 2 {
			p, alone := newPeer(t, made(t, o.Sharing(usual))), newPeer(t, made(t, o))
			const revision = "2025-06-18"
			p.open(revision)
			alone.open(revision)
			for _, list := range []string{"tools", "prompts"} {
				if got, want := p.all(revision, list), alone.all(revision, list); got != want {
					t.Errorf("%s: %s are %s, want %s", name, list, got, want)
				}
			}
		}
	}
}

// A hook may write into an answer without changing later answers.
func TestFaultsSpoilNoList(t *testing.T) {
	t.Parallel()
	spoil := func(item fault.Message) {
		item.Object("inputSchema")["type"] = "spoiled"
		item["name"] = "spoiled"
	}
	for name, f := range map[string]fault.Fault{
		"reply": {Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && x.Nth == 1 {
				spoil(result["tools"].([]fault.Message)[0])
				result.Object("_meta")["spoiled"] = true
			}
		}},
		"list": {List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Nth == 1 {
				spoil(items[0])
			}
			return items
		}},
	} {
		p, sound := newPeer(t, made(t, server.Options{Fault: &f})), newPeer(t, made(t, server.Options{}))
		list := request(modern, "1", "tools/list", "")
		var got []string
		for range 2 {
			p.send(list)
			got = append(got, p.next())
		}
		sound.send(list)
		if want := sound.next(); !strings.Contains(got[0], "spoiled") || got[1] != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
