package requirements_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func load(t *testing.T) *requirements.Catalogue {
	t.Helper()
	c, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An area of the core counts for a grade, an extension for none, and neither is
// empty.
func TestAreas(t *testing.T) {
	t.Parallel()
	c := load(t)
	rows := make(map[string]requirements.Requirement)
	for _, r := range c.All() {
		rows[r.Area] = r
	}
	for _, a := range c.Areas() {
		r, ok := rows[a.Name]
		if !ok {
			t.Errorf("%s has no rows", a.Name)
		}
		if core := r.Extension == ""; core != (a.Grade != "") {
			t.Errorf("%s has the grade %q", a.Name, a.Grade)
		}
	}
}

func TestUnjudgedAreas(t *testing.T) {
	t.Parallel()
	c := load(t)
	checked := map[requirements.ID]bool{"pagination-invalid-cursor-code": true}
	var got []string
	for _, a := range c.Unjudged(requirements.R20251125, requirements.Stdio, func(id requirements.ID) bool { return checked[id] }) {
		got = append(got, a.Name)
	}
	for area, want := range map[string]bool{
		"lifecycle": true, "tools": true, "stdio": true, "tasks": true,
		"pagination": false, // a rule of it is checked
		"http":       false, // not over stdio
		"mrtr":       false, // not at this revision
	} {
		if slices.Contains(got, area) != want {
			t.Errorf("%s is unjudged: %t, want %t", area, !want, want)
		}
	}
}

func TestGradesAreOrdered(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		grade, other requirements.Grade
		want         bool
	}{
		{requirements.GradeCore, requirements.GradeCore, true},
		{requirements.GradeCore, requirements.GradeFull, true},
		{requirements.GradeFull, requirements.GradeExtended, false},
		{"", requirements.GradeExtended, false},
		{"", requirements.GradeFull, true},
	} {
		if got := row.grade.Within(row.other); got != row.want {
			t.Errorf("%q within %q: %t", row.grade, row.other, got)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)
	seen := make(map[requirements.ID]bool)
	for _, r := range load(t).All() {
		if seen[r.ID] {
			t.Errorf("%s stands there twice", r.ID)
		}
		seen[r.ID] = true
		if !shape.MatchString(string(r.ID)) {
			t.Errorf("%s is not kebab-case", r.ID)
		}
		prefix := r.Area + "-"
		if r.Extension != "" {
			prefix = "ext-"
			if r.Area != "ext-"+r.Extension {
				t.Errorf("%s of extension %s stands in area %s", r.ID, r.Extension, r.Area)
			}
		}
		if !strings.HasPrefix(string(r.ID), prefix) {
			t.Errorf("%s does not begin with %s", r.ID, prefix)
		}
	}
}

func TestClauses(t *testing.T) {
	t.Parallel()
	for _, r := range load(t).All() {
		covered := make(map[requirements.Revision]int)
		for _, c := range r.Clauses {
			checkClause(t, r, c)
			for _, rev := range requirements.Revisions() {
				if c.Holds(rev) {
					covered[rev]++
				}
			}
		}
		for rev, n := range covered {
			if n > 1 {
				t.Errorf("%s has %d clauses at %s", r.ID, n, rev)
			}
		}
		if len(covered) == 0 {
			t.Errorf("%s holds at no revision", r.ID)
		}
	}
}

func checkClause(t *testing.T, r requirements.Requirement, c requirements.Clause) {
	t.Helper()
	if _, err := requirements.ParseLevel(string(c.Level)); err != nil {
		t.Errorf("%s: %v", r.ID, err)
	}
	if _, err := requirements.ParseBasis(string(c.Basis)); err != nil {
		t.Errorf("%s: %v", r.ID, err)
	}
	if !c.Since.Known() || c.Until != "" && (!c.Until.Known() || c.Until.Before(c.Since)) {
		t.Errorf("%s holds from %q to %q", r.ID, c.Since, c.Until)
	}
	if c.Until == requirements.R20260728 {
		t.Errorf("%s: the newest revision ends nothing, leave until out", r.ID)
	}
	inner := regexp.MustCompile(`[.!?]\s+\p{Lu}`)
	if !strings.HasSuffix(c.Text, ".") || strings.TrimSpace(c.Text) != c.Text || inner.MatchString(c.Text) {
		t.Errorf("%s is not one sentence: %q", r.ID, c.Text)
	}
	if r.Extension == "" && (c.Page == "" || c.Source != "") {
		t.Errorf("%s: a core clause has a page and no source, got %q and %q", r.ID, c.Page, c.Source)
	}
	if r.Extension != "" && (c.Page != "" || c.Source == "") {
		t.Errorf("%s: an extension clause has a source and no page, got %q and %q", r.ID, c.Source, c.Page)
	}
	if c.Page != "" && !path.IsAbs("/"+c.Page) || strings.ContainsAny(c.Page, " |") {
		t.Errorf("%s: %q is not one page", r.ID, c.Page)
	}
}

// A permission cannot be broken, so no case checks it.
func TestPermissionsAreUnchecked(t *testing.T) {
	t.Parallel()
	for _, r := range load(t).All() {
		for _, c := range r.Clauses {
			if c.Level == requirements.May && r.Unchecked == "" {
				t.Errorf("%s is a permission and says no reason to be unchecked", r.ID)
			}
		}
	}
}

func TestUnbuilt(t *testing.T) {
	t.Parallel()
	c, err := load(t).With(
		rule("acme-berths-counted", func(r *requirements.Requirement) { r.Unchecked = requirements.NotBuiltYet }),
		rule("acme-berths-painted", func(r *requirements.Requirement) { r.Unchecked = "a permission" }),
		rule("acme-berths-stress", func(r *requirements.Requirement) { r.Unchecked = "opt-in stress, " + requirements.NotBuiltYet }),
		rule("acme-berths-listed", nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	var got []requirements.ID
	for _, r := range c.All() {
		if r.Area == "acme" && r.Unbuilt() {
			got = append(got, r.ID)
		}
	}
	want := []requirements.ID{"acme-berths-counted", "acme-berths-stress"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unbuilt (-want +got):\n%s", diff)
	}
}

func TestFindAndReadingOrder(t *testing.T) {
	t.Parallel()
	c := load(t)
	r, ok := c.Find("pagination-invalid-cursor-code")
	if !ok || r.Area != "pagination" {
		t.Errorf("got %+v, %t", r, ok)
	}
	if _, ok := c.Find("pagination-no-such-rule"); ok {
		t.Error("found a rule that is not there")
	}
	all := c.All()
	if all[0].Area != "lifecycle" || all[len(all)-1].Area != "ext-degradation" {
		t.Errorf("reading order goes from %s to %s", all[0].Area, all[len(all)-1].Area)
	}
}

// A caller that changes a requirement changes only its own copy.
func TestCatalogueNeverChanges(t *testing.T) {
	t.Parallel()
	c := load(t)
	r, _ := c.Find("cancellation-race-safe")
	r.Clauses[0].Text = "changed"
	c.All()[0].Clauses[0].Text = "changed"
	if r, _ := c.Find("cancellation-race-safe"); r.Clauses[0].Text == "changed" {
		t.Error("Find hands out the catalogue's own clauses")
	}
	if c.All()[0].Clauses[0].Text == "changed" {
		t.Error("All hands out the catalogue's own clauses")
	}
	if _, err := c.With(rule("acme-berths-listed", nil)); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Find("acme-berths-listed"); ok {
		t.Error("With changed the catalogue it was called on")
	}
}
