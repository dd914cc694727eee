package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
)

const (
	head = "POST /mcp\nAccept: application/json\nMcp-Session-Id: 7f\nUser-Agent: mcp-conform\n\n"
	body = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

func TestFrame(t *testing.T) {
	var stderr []string
	for i := range 20 {
		stderr = append(stderr, fmt.Sprintf("line %d", i))
	}
	for _, row := range []struct {
		name    string
		frame   reports.Frame
		problem string
		want    []string
		whole   bool
	}{
		{"no HTTP", reports.Frame{Text: body}, "", []string{body}, true},
		{"nothing", reports.Frame{}, "", []string{"(no bytes)"}, true},
		{"body first", reports.Frame{Text: head + body}, "$.result is absent", []string{"POST /mcp  (3 header fields not shown)", body}, false},
		{"a field that matters", reports.Frame{Text: head + body}, "the MCP-Session-Id is of another client",
			[]string{"POST /mcp  (2 header fields not shown)", "Mcp-Session-Id: 7f", body}, false},
		{"part of another word", reports.Frame{Text: head + body}, "it is acceptable", []string{"POST /mcp  (3 header fields not shown)", body}, false},
		{"a body with an empty line", reports.Frame{Text: "POST /mcp\n\na\n\nb"}, "", []string{"POST /mcp", "a", "", "b"}, true},
		{"a long body", reports.Frame{Text: head + strings.Repeat("x", 500)}, "", []string{
			"POST /mcp  (3 header fields not shown)", strings.Repeat("x", 60), strings.Repeat("x", 60), strings.Repeat("x", 60),
			"... 260 bytes ...", strings.Repeat("x", 60)}, false},
		{"no body", reports.Frame{Text: "HTTP/1.1 401 Unauthorized\nDate: today\nWww-Authenticate: Bearer"}, "",
			[]string{"HTTP/1.1 401 Unauthorized  (1 header field not shown)", "Www-Authenticate: Bearer"}, false},
		{"not quite HTTP", reports.Frame{Text: "POST /mcp\nno field\n\nbody"}, "", []string{"POST /mcp", "no field", "", "body"}, true},
		{"the end of a process", reports.Frame{Kind: reports.EndFrame, Text: "exited\n" + strings.Repeat("x", 200) + "\nError: why\n"}, "",
			[]string{"exited", strings.Repeat("x", 60), strings.Repeat("x", 57) + "...", "Error: why"}, false},
		{"a line that is not that long", reports.Frame{Kind: reports.EndFrame, Text: strings.Repeat("x", 100)}, "",
			[]string{strings.Repeat("x", 60), strings.Repeat("x", 40)}, true},
		{"a long end", reports.Frame{Kind: reports.EndFrame, Text: strings.Join(stderr, "\n")}, "", []string{
			"line 0", "line 1", "line 2", "... 7 lines ...", "line 10", "line 11", "line 12", "line 13", "line 14", "line 15",
			"line 16", "line 17", "line 18", "line 19"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			page := Page{Width: 72, Rows: 5}
			of := reports.Finding{Status: reports.Fail, Problem: row.problem, Frames: []reports.Frame{row.frame}}
			got, _ := page.set(row.frame, of)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if page.Whole(of) != row.whole {
				t.Errorf("shown as a whole: %t, want %t", !row.whole, row.whole)
			}
			all := Page{Width: 72}
			if got := strings.Join(all.frame(row.frame, of), "\n"); strings.Contains(got, "...") || strings.Contains(got, "not shown") || !all.Whole(of) {
				t.Errorf("a page without limits cuts:\n%s", got)
			}
		})
	}
	if (Page{Width: 72, Rows: 5, Frames: 1}).Whole(reports.Finding{Frames: make([]reports.Frame, 2)}) {
		t.Error("a finding is whole of which a frame is left out")
	}
}

func TestAlso(t *testing.T) {
	finding := func(id, problem string) reports.Finding {
		return reports.Finding{Case: id, Title: "title", Status: reports.Fail, Problem: problem, Fix: "fix it", Notes: []string{"a note"}}
	}
	places := []reports.Place{{Revision: "2025-11-25", Transport: "stdio"}, {Revision: "2025-11-25", Transport: "http"}}
	other := finding("s/b", strings.Repeat("another problem ", 12))
	other.Fix, other.Notes = "fix that", []string{"a note", "another one"}
	block := reports.Block{
		Group: reports.Group{Finding: finding("s/a", "problem"), Places: places},
		Also:  []reports.Group{{Finding: finding("s/c", "problem"), Places: places}, {Finding: other, Places: places[:1]}},
	}
	page := Page{Width: 60, Rows: 5}
	want := []string{
		"  also      s/c, 2025-11-25 over stdio and http",
		"            s/b, 2025-11-25 over stdio",
		"              another problem another problem another",
		"              problem another problem another problem ano...",
		"              fix: fix that",
		"              note: another one",
	}
	got := page.Block(block)
	if first := len(page.Finding(block.Group)); cmp.Diff(want, got[first:]) != "" {
		t.Errorf("-want +got:\n%s", cmp.Diff(want, got[first:]))
	}
	for i := range 30 {
		block.Also = append(block.Also, reports.Group{Finding: finding(fmt.Sprintf("s/d%d", i), "problem"), Places: places})
	}
	many := strings.Join(page.Block(block), "\n")
	for i := range 30 {
		if !strings.Contains(many, fmt.Sprintf("s/d%d", i)) {
			t.Errorf("s/d%d is told nowhere", i)
		}
	}
	if !strings.Contains(many, "and 20 more findings: s/d10") {
		t.Errorf("the rest is not told in one sentence:\n%s", many)
	}
	if alone := page.Block(reports.Block{Group: block.Group}); len(alone) != len(page.Finding(block.Group)) {
		t.Errorf("a finding without others says more: %q", alone)
	}
}

func TestReference(t *testing.T) {
	at := func(id string, revision string) reports.Finding {
		return reports.Finding{Case: id, Status: reports.Fail, Revision: "2025-11-25", Transport: "stdio", Problem: "problem",
			Frames: []reports.Frame{{Dir: "sent", Text: revision}}}
	}
	got := strings.Join(Page{Width: 80}.Reference(at("s/b", "bytes"), at("s/a", "")), "\n")
	if !strings.Contains(got, "  evidence  see s/a, 2025-11-25 over stdio") || !strings.Contains(got, "  problem   problem") || strings.Contains(got, "sent") {
		t.Errorf("got\n%s", got)
	}
}
