package specs

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// absent turns a spec that does not exist in its column into a skipped one. The skipped
// spec shows the rule of the newest column that has the case.
func absent(rules *requirements.Catalogue, s Spec) (Spec, bool) {
	var exists []requirements.Column
	var shown *entry
	for _, transport := range []requirements.Transport{s.Column.Transport, requirements.Stdio, requirements.HTTP, requirements.SSE} {
		for _, revision := range slices.Backward(requirements.Revisions()) {
			other, ok := in(requirements.Column{Revision: revision, Transport: transport}, rules, s.Suite, s.Case)
			if !ok {
				continue
			}
			if len(exists) == 0 {
				shown = other
			}
			exists = append(exists, other.Column)
		}
		if len(exists) > 0 {
			break
		}
	}
	if len(exists) == 0 {
		return s, false
	}
	own := *s.entry
	own.rules, own.lead, own.at = shown.rules, shown.lead, shown.Column.Revision
	return Spec{entry: &own, Missing: missing(s.Column, exists)}, true
}

func missing(col requirements.Column, exists []requirements.Column) *reports.Reason {
	if exists[0].Transport != col.Transport {
		return &reports.Reason{Kind: reports.OtherTransport, Text: "judged over " + string(exists[0].Transport) + " only"}
	}
	var revisions []string
	for _, each := range slices.Backward(exists) {
		revisions = append(revisions, string(each.Revision))
	}
	return &reports.Reason{Kind: reports.OtherRevision, Text: "this case exists at " + strings.Join(revisions, ", ") + " only"}
}
