package html

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// An evidence is the frames of a finding as they were in some columns.
type evidence struct {
	Frames  []frame
	Silent  bool
	Anchor  string   // target of links to the evidence; empty in the first column
	Of      []string // the columns, where there is more than one evidence
	Columns string   // their indexes
}

// evidence collects the frames of each column. Columns whose frames differ only in the
// ids of messages share one evidence.
func (b *builder) evidence(g reports.Group, id string) (first evidence, others []evidence) {
	var groups []reports.Group
	at := map[string]int{}
	for _, f := range append([]reports.Finding{g.Finding}, g.Others...) {
		frames := withoutIDs(f.Frames)
		i, known := at[frames]
		if !known {
			i = len(groups)
			at[frames] = i
			groups = append(groups, reports.Group{Finding: f})
		}
		groups[i].Places = append(groups[i].Places, f.Place())
	}
	for i, same := range groups {
		one := evidence{Frames: frames(same.Finding, originIn(b.r.Target.Given)), Silent: silent(same.Finding)}
		if len(groups) > 1 {
			one.Of, one.Columns = strings.Split(layout.Places(same.Places), ", "), b.indexes(same.Places)
		}
		switch {
		case i == 0:
			first = one
		case len(one.Frames) > 0:
			one.Anchor = id + "@" + key(same.Places[0].String())
			others = append(others, one)
		}
	}
	return first, others
}

var idMember = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"id":\s*(?:-?[0-9]+|"[^"]{0,64}")`)
})

// withoutIDs gives frames a key that ignores the ids of messages: an id depends on the
// number of messages sent before.
func withoutIDs(frames []reports.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.Dir + "\x00" + idMember().ReplaceAllString(f.Text, `"id"`) + "\x00")
	}
	return b.String()
}

// silent tells whether the server was asked and did not answer: silence is evidence too.
func silent(f reports.Finding) bool {
	if f.Status != reports.Fail && f.Status != reports.Warn || len(f.Frames) == 0 {
		return false
	}
	return !slices.ContainsFunc(f.Frames, func(fr reports.Frame) bool { return fr.Dir != "sent" })
}
