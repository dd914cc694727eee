package verdict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// target describes the target, with the dialects and forms that cases learned.
func (s Sum) target() reports.Target {
	t := reports.Target{Given: s.Given}
	for _, one := range s.Transports {
		t.Transports = append(t.Transports, string(one.Name))
		t.Revisions = append(t.Revisions, one.Revisions...)
		for _, era := range one.Eras {
			if !slices.Contains(t.Eras, era) {
				t.Eras = append(t.Eras, era)
			}
		}
	}
	slices.Sort(t.Revisions)
	t.Revisions = slices.Compact(t.Revisions)
	for _, col := range s.Columns {
		if t.Name == "" {
			t.Name, t.Version = probe.TextOf(col.Survey.ServerInfo["name"]), probe.TextOf(col.Survey.ServerInfo["version"])
		}
		for _, of := range s.Suites {
			claim, ok := col.Survey.Claims[of.Extension.Name]
			known := slices.ContainsFunc(t.Extensions, func(e reports.Extension) bool { return e.Name == of.Extension.Name })
			if ok && !known {
				t.Extensions = append(t.Extensions, reports.Extension{
					Name: of.Extension.Name, Claim: string(claim.Strength), Where: claim.Where,
				})
			}
		}
	}
	for _, col := range s.Columns {
		learned(&t, col.Memory.Known())
	}
	return t
}

func learned(t *reports.Target, known map[string]string) {
	for i := range t.Extensions {
		e := &t.Extensions[i]
		e.Dialect = cmp.Or(e.Dialect, known["dialect:"+e.Name])
		for key, form := range known {
			if strings.HasPrefix(key, "form:"+e.Name+"/") && form != "" && !slices.Contains(e.Forms, form) {
				e.Forms = append(e.Forms, form)
			}
		}
		slices.Sort(e.Forms)
	}
}
