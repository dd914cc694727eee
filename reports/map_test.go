package reports_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
)

// kept lists the texts that no run has learned: names, and the kit's own texts.
var kept = []string{
	"Findings.Case", "Findings.Fix", "Findings.Level", "Findings.Link", "Findings.Origin", "Findings.Reason.BlockedBy", "Findings.Reason.Kind", "Findings.Reason.Role", "Findings.Reason.Was",
	"Findings.Requirements", "Findings.Revision", "Findings.Rule", "Findings.SDK", "Findings.Status", "Findings.Suite", "Findings.Title", "Findings.Transport",
	"Findings.Frames.Dir", "Findings.Frames.Kind",
	"Kit.Name", "Kit.Version", "Rules.Area", "Rules.Basis", "Rules.Extension", "Rules.ID", "Rules.Level", "Rules.Link", "Rules.Revisions",
	"Rules.Source", "Rules.Text", "Run.Config", "Run.Shard", "Suites.Extension", "Suites.Grade", "Suites.Name", "Suites.Title",
	"Target.Eras", "Target.Extensions.Claim", "Target.Extensions.Name", "Target.Revisions", "Target.Transports",
	"Verdict.Columns.Basis.Unjudged.Grade", "Verdict.Columns.Basis.Unjudged.Name", "Verdict.Columns.Basis.Unjudged.Transport",
	"Verdict.Columns.Basis.WhyUngraded",
	"Verdict.Columns.Grade", "Verdict.Columns.Revision", "Verdict.Columns.Transport", "Verdict.Columns.WhyNotNext",
	"Verdict.Extensions.Claim", "Verdict.Extensions.Name", "Verdict.Extensions.Status", "Verdict.Extensions.Why", "Verdict.Status",
}

// Map changes every other text of a report; the author of a new field has to decide. The
// given report stays as it was.
func TestMap(t *testing.T) {
	t.Parallel()
	var r reports.Report
	fill(reflect.ValueOf(&r).Elem())
	mapped := r.Map(func(string) string { return "hidden" })
	var stay []string
	walk(reflect.ValueOf(mapped), "", func(path, text string) {
		if text != "hidden" {
			stay = append(stay, path)
		}
	})
	slices.Sort(stay)
	want := slices.Clone(kept)
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Compact(stay)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	walk(reflect.ValueOf(r), "", func(path, text string) {
		if text == "hidden" {
			t.Errorf("%s of the report that was given has changed", path)
		}
	})
}

// fill puts a text into every string, and an element into every slice.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("plain")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	default:
	}
}

func walk(v reflect.Value, path string, see func(path, text string)) {
	switch v.Kind() {
	case reflect.String:
		see(strings.TrimPrefix(path, "."), v.String())
	case reflect.Pointer:
		walk(v.Elem(), path, see)
	case reflect.Slice:
		walk(v.Index(0), path, see)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				walk(v.Field(i), path+"."+f.Name, see)
			}
		}
	default:
	}
}
