package markdown

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

// tail lists the cases that were not judged, and the config key that would change it.
func tail(r reports.Report) string {
	gaps := r.Gaps()
	var b strings.Builder
	b.WriteString(next(r))
	if len(gaps) > 0 {
		b.WriteString("<details><summary>" + reports.GapTitle(gaps) + "</summary>\n\n")
		b.WriteString("| reason | what would change it | cases |\n|---|---|---|\n")
		written, left := map[reports.ReasonKind]int{}, 0
		for _, g := range gaps {
			if written[g.Kind]++; written[g.Kind] > gapsOfAKind {
				left++
				continue
			}
			b.WriteString(row(g))
		}
		b.WriteString("\n")
		if left > 0 {
			b.WriteString("and " + layout.Plural(left, "more reason") + ", in `report.json`\n\n")
		}
		b.WriteString("</details>\n\n")
	}
	if omitted := r.Inapplicable(); omitted != "" {
		b.WriteString("Not applicable: " + omitted + ".\n\n")
	}
	fmt.Fprintf(&b, "<sub>%s, seed %d</sub>\n", prose(strings.TrimSpace(r.Kit.Name+" "+r.Kit.Version), nameWidth), r.Run.Seed)
	return b.String()
}

// next names the config key that lets most cases be judged, for a run with nothing left
// to mend.
func next(r reports.Report) string {
	if r.Verdict.Status == reports.Partial && reports.Locked(r) > 0 {
		return "**Next:** give the token that the server wants, as " + code(reports.LoginKey, "") +
			" in `mcp-conform.yaml` or with `--header`; " + layout.Waiting(reports.Locked(r)) + ".\n\n"
	}
	if r.Verdict.Status == reports.Partial && r.Verdict.Slowed() {
		return "**Next:** set " + code(reports.RateKey, "") + " in `mcp-conform.yaml` to fewer requests a second, such as 5, and judge again.\n\n"
	}
	best := r.Enabling()
	if r.Verdict.Status != reports.Partial || best.Role == "" {
		return ""
	}
	return "**Next:** fill " + code(best.Role, "") + " in `mcp-conform.yaml`, it enables " + layout.Plural(len(best.Cases), "case") +
		", or write `none` there if the server has no such thing.\n\n"
}

func row(g reports.Gap) string {
	why := prose(g.Kind.Words(), nameWidth)
	if g.Text != "" {
		why += ": " + prose(g.Text, textWidth)
	}
	enabledBy := ""
	switch {
	case g.Role != "":
		enabledBy = code(g.Role, "")
	case g.BlockedBy != "":
		enabledBy = code(g.BlockedBy, "")
	}
	names := make([]string, 0, casesOfAGap)
	for _, c := range g.Cases[:min(len(g.Cases), casesOfAGap)] {
		names = append(names, code(layout.Clip(c, nameWidth), ""))
	}
	list := strings.Join(names, ", ")
	if left := len(g.Cases) - len(names); left > 0 {
		list += ", and " + layout.Number(left) + " more"
	}
	return "| " + why + " | " + enabledBy + " | " + list + " |\n"
}
