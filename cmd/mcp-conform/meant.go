package main

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// suggest proposes names for an unknown one: names of the same form go first.
func suggest(l *library, name string) string {
	cases := caseIDs(l.suites)
	if near := nearCases(name, suiteNames(l.suites), cases); len(near) > 0 {
		return "did you mean " + spelling.Or(near) + "?"
	}
	kinds := [][]string{suiteNames(l.suites), nil, nil, nil, cases}
	for _, r := range l.rules.All() {
		kinds[1] = append(kinds[1], string(r.ID))
	}
	for _, r := range l.roles {
		kinds[2] = append(kinds[2], string(r.Name))
	}
	for _, f := range l.faults {
		kinds[3] = append(kinds[3], f.Name)
	}
	if strings.Contains(name, "/") {
		slices.Reverse(kinds)
	}
	for _, known := range kinds {
		if hint := perhaps(name, known, ""); hint != "" {
			return hint
		}
	}
	return `"mcp-conform list cases" lists cases; requirements, faults and roles likewise`
}

// meantCase asks whether a case was meant by an id that none has; empty where no id is near.
func meantCase(id string, all []suite.Suite) string {
	if near := nearCases(id, suiteNames(all), caseIDs(all)); len(near) > 0 {
		return "did you mean " + spelling.Or(near) + "?"
	}
	return perhaps(id, caseIDs(all), "")
}

// nearCases lists cases of the suite before the slash, or of the suite with the nearest
// spelling. A case is near when its name begins much like the written one.
func nearCases(written string, suites, cases []string) []string {
	suite, slug, isCase := strings.Cut(written, "/")
	if !isCase || slug == "" {
		return nil
	}
	if !slices.Contains(suites, suite) {
		near := spelling.Near(suite, suites)
		if len(near) == 0 {
			return nil
		}
		suite = near[0]
	}
	var beginnings []string
	byBeginning := map[string][]string{}
	for _, id := range cases {
		if rest, ok := strings.CutPrefix(id, suite+"/"); ok {
			beginning := rest[:min(len(rest), len(slug))]
			if byBeginning[beginning] == nil {
				beginnings = append(beginnings, beginning)
			}
			byBeginning[beginning] = append(byBeginning[beginning], id)
		}
	}
	var near []string
	for _, beginning := range spelling.Near(slug, beginnings) {
		near = append(near, byBeginning[beginning]...)
	}
	const most = 3
	return near[:min(len(near), most)]
}
