package requirements_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// rule is a valid rule of a third party, changed by the function.
func rule(id requirements.ID, change func(*requirements.Requirement)) requirements.Requirement {
	r := requirements.Requirement{
		ID: id, Area: "acme",
		Clauses: []requirements.Clause{{
			Since: requirements.R20250326, Until: requirements.R20250618,
			Level: requirements.Must, Basis: requirements.Prose,
			Page: "https://berths.example/rules#count", Text: "Every berth is counted.",
		}},
	}
	if change != nil {
		change(&r)
	}
	return r
}

func TestWithRefusesMalformedRows(t *testing.T) {
	t.Parallel()
	type req = requirements.Requirement
	rows := []struct {
		name string
		id   requirements.ID
		bend func(*req)
		want string // empty: accepted
	}{
		{"sound", "acme-berths", nil, ""},
		{"sound, second clause", "acme-berths", func(r *req) {
			c := r.Clauses[0]
			c.Since, c.Until = requirements.R20251125, ""
			r.Clauses = append(r.Clauses, c)
		}, ""},
		{"id taken", "ping-prompt", nil, "the id is taken"},
		{"id without area", "berths", nil, "not kebab-case"},
		{"id in capitals", "acme-Berths", nil, "not kebab-case"},
		{"id with a gap", "acme--berths", nil, "not kebab-case"},
		{"no area", "acme-berths", func(r *req) { r.Area = "" }, "area is missing"},
		{"no clause", "acme-berths", func(r *req) { r.Clauses = nil }, "no clause"},
		{"unknown since", "acme-berths", func(r *req) { r.Clauses[0].Since = "2025-01-01" }, `since: unknown revision "2025-01-01"`},
		{"no since", "acme-berths", func(r *req) { r.Clauses[0].Since = "" }, "since: unknown revision"},
		{"unknown until", "acme-berths", func(r *req) { r.Clauses[0].Until = "draft" }, "until: unknown revision"},
		{"ends before it begins", "acme-berths", func(r *req) { r.Clauses[0].Until = requirements.R20241105 }, "until lies before since"},
		{"prohibition", "acme-berths", func(r *req) { r.Clauses[0].Level = "MUST NOT" }, `unknown level "MUST NOT"`},
		{"unknown basis", "acme-berths", func(r *req) { r.Clauses[0].Basis = "hearsay" }, `unknown basis "hearsay"`},
		{"unknown transport", "acme-berths", func(r *req) { r.Clauses[0].Transports = []requirements.Transport{"pigeon"} }, `unknown transport "pigeon"`},
		{"page of an unknown transport", "acme-berths", func(r *req) {
			r.Clauses[0].Over = map[requirements.Transport]string{"pigeon": "coops"}
		}, `over: unknown transport "pigeon"`},
		{"no page of a transport", "acme-berths", func(r *req) {
			r.Clauses[0].Over = map[requirements.Transport]string{requirements.HTTP: ""}
		}, "over: a page is missing"},
		{"backing what stands alone", "acme-berths", func(r *req) {
			r.Clauses[0].Basis, r.Clauses[0].Backed = requirements.Keyword, true
		}, "needs no backing"},
		{"a MUST of JSON-RPC that is none", "acme-berths", func(r *req) {
			r.Clauses[0].Basis, r.Clauses[0].Level = requirements.JSONRPCMust, requirements.Should
		}, "basis jsonrpc-must belongs to a MUST"},
		{"no text", "acme-berths", func(r *req) { r.Clauses[0].Text = " " }, "text is missing"},
		{"no page", "acme-berths", func(r *req) { r.Clauses[0].Page = "" }, "neither a page"},
		{"no source", "acme-berths", func(r *req) { r.Extension = "berths" }, "source is missing"},
		{"overlap", "acme-berths", func(r *req) { r.Clauses = append(r.Clauses, r.Clauses[0]) }, "clause 2: begins before clause 1 has ended"},
		{"behind an open end", "acme-berths", func(r *req) {
			r.Clauses[0].Until = ""
			c := r.Clauses[0]
			c.Since = requirements.R20260728
			r.Clauses = append(r.Clauses, c)
		}, "clause 2: begins before clause 1 has ended"},
	}
	c := load(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			joined, err := c.With(rule(row.id, row.bend))
			if row.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := joined.Find(row.id); !ok {
					t.Errorf("%s is not in the joined catalogue", row.id)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), string(row.id)) {
				t.Errorf("got error %v, want one that names %s and says %q", err, row.id, row.want)
			}
		})
	}
}

func TestWithNamesEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := load(t).With(rule("acme-first", nil), rule("acme-first", nil), rule("second", nil))
	if err == nil || !strings.Contains(err.Error(), `"acme-first": the id is taken`) || !strings.Contains(err.Error(), `"second"`) {
		t.Errorf("got %v", err)
	}
}
