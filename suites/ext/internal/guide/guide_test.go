package guide_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/guide"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0.2.0": true, "0.10.0": true, "1.0.0-beta": true, "99999999999999999999.0.0": true, "0.2.0+7": true,
		"0.1.9": false, "0.2": false, "": false, "v0.2.0": false, "00.2.0": false,
	} {
		if got := guide.IsVersion(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text             string
		trigger, telling bool
	}{
		{"MCP server for Acme. USE  WHEN\nuser asks to manage projects.", true, true},
		{"Use when needed.", true, false},
		{"MCP server for Acme.", false, true},
		{"係留を予約する。利用者が停泊場所を探しているときに使う。", false, true},
		{"Ahoy: moor a ship", true, true},
	} {
		if got := guide.HasTrigger(row.text, []string{"ahoy"}); got != row.trigger {
			t.Errorf("%q has a trigger: %t", row.text, got)
		}
		if got := guide.Telling(row.text, nil); got != row.telling {
			t.Errorf("%q tells: %t", row.text, got)
		}
	}
}

func TestFrontMatter(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text, wrong string
		front       map[string]any
	}{
		"usual": {text: "---\r\n# who\r\nname: a\r\ndescription: >\r\n  b\r\n  c\r\nspec-version: 0.2.0\r\n---\r\n# A\r\n", front: map[string]any{
			"name": "a", "description": "b c\n", "spec-version": "0.2.0",
		}},
		"values": {text: "---\na: 0.2\nb: ~\nc: yes\nd: true\ne: 2026-08-01\nf: &x [1]\ng: *x\nh:\n---\n", front: map[string]any{
			"a": json.Number("0.2"), "b": nil, "c": "yes", "d": true, "e": "2026-08-01", "f": []any{json.Number("1")}, "g": []any{json.Number("1")}, "h": nil,
		}},
		"none":     {text: "# A\n", wrong: "the first line is not ---"},
		"no end":   {text: "---\nname: a\n", wrong: "no line --- ends"},
		"tabs":     {text: "---\na:\n\tb: c\n---\n", wrong: "cannot be read as YAML"},
		"a list":   {text: "---\n- a\n---\n", wrong: "no keys with values"},
		"empty":    {text: "---\n---\n", wrong: "no keys with values"},
		"a bomb":   {text: "---\na: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n---\n", wrong: "too many values"},
		"too long": {text: "---\na: " + strings.Repeat("x", 1<<17) + "\n---\n", wrong: "no more than"},
	} {
		d, err := guide.Read(row.text)
		if row.wrong != "" && (err == nil || !strings.Contains(err.Error(), row.wrong)) || row.wrong == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(row.front, d.Front); row.wrong == "" && diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	d, err := guide.Read("---\na: b\n---\n# One\n> said\n\n```sh\n# no title\n```\n\n## First ##\n\nwords\n- a\n  - b\n2) c\n\n~~~\n## no section\n- no entry\n~~~\n\n" +
		"Second\n---\n\n| tool | use |\n|---|---|\n| x | y |\n\nTwo\n===\n\n### deeper\n")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, s := range d.Body.Sections {
		titles = append(titles, s.Title)
	}
	if diff := cmp.Diff([][]string{{"One", "Two"}, {"First", "Second"}}, [][]string{d.Body.Titles, titles}); diff != "" || !d.Body.Summary {
		t.Errorf("summary %t, %s", d.Body.Summary, diff)
	}
	if diff := cmp.Diff([][]string{{"- a", "- b", "2) c"}, {"x | y"}}, [][]string{d.Body.Sections[0].Items, d.Body.Sections[1].Items}); diff != "" {
		t.Error(diff)
	}
	if _, n := d.Body.Find("SECOND!"); n != 1 {
		t.Errorf("the second section is %d", n)
	}
}
