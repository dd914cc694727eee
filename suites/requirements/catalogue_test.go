package requirements_test

import (
	"path"
	"regexp"
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

func TestEveryRowIsThere(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"lifecycle": 33, "discover": 8, "meta": 23, "jsonrpc": 43, "errors": 10, "schema": 12,
		"icons": 6, "stdio": 11, "http": 80, "tools": 56, "resources": 52, "prompts": 24,
		"completion": 16, "logging": 17, "pagination": 7, "caching": 13, "progress": 11,
		"cancellation": 16, "ping": 7, "mrtr": 22, "tasks": 97, "sampling": 18,
		"elicitation": 35, "roots": 10, "authorization": 45, "security": 4,
		"ext-manifest": 33, "ext-intent": 8, "ext-cost-latency": 10, "ext-permissions": 24,
		"ext-idempotency": 21, "ext-transactions": 24, "ext-confirmation": 21,
		"ext-provenance": 11, "ext-progress": 10, "ext-streaming": 13,
		"ext-data-references": 16, "ext-multimodal": 9, "ext-structured-errors": 20,
		"ext-server-discovery": 8, "ext-session-state": 13, "ext-push": 18,
		"ext-dashdash-init": 18, "ext-dashdash-tools": 14, "ext-dashdash-ai-help": 18,
		"ext-dashdash-resources": 5, "ext-well-known": 11, "ext-content": 23,
		"ext-degradation": 12,
	}
	got := make(map[string]int)
	total := 0
	for _, r := range load(t).All() {
		got[r.Area]++
		total++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows by area (-want +got):\n%s", diff)
	}
	if total != 1036 {
		t.Errorf("got %d rows, want 1036", total)
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
	for _, r := range c.Unbuilt() {
		if r.Area == "acme" {
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

// What a caller does to a requirement it was given stays with the caller.
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
