package requirements

import (
	"fmt"
	"strings"
)

// problems lists everything malformed in a row. The kit's own rows and others
// obey the same rules.
func (r Requirement) problems() []string {
	var all []string
	say := func(problem string, holds bool) {
		if holds {
			all = append(all, problem)
		}
	}
	say("the id is not kebab-case", !kebab(string(r.ID)))
	say("area is missing", r.Area == "")
	say("there is no clause", len(r.Clauses) == 0)
	var last Clause
	for i, c := range r.Clauses {
		for _, problem := range c.problems(r.Extension != "") {
			say(fmt.Sprintf("clause %d: %s", i+1, problem), true)
		}
		// An open range has no end, so no clause can follow it.
		say(fmt.Sprintf("clause %d: begins before clause %d has ended", i+1, i), i > 0 && (last.Until == "" || !last.Until.Before(c.Since)))
		last = c
	}
	return all
}

func (c Clause) problems(extension bool) []string {
	var all []string
	say := func(problem string, holds bool) {
		if holds {
			all = append(all, problem)
		}
	}
	failed := func(prefix string, err error) {
		if err != nil {
			all = append(all, prefix+err.Error())
		}
	}
	_, err := ParseRevision(string(c.Since))
	failed("since: ", err)
	if c.Until != "" {
		_, err = ParseRevision(string(c.Until))
		failed("until: ", err)
		say("until lies before since", err == nil && c.Until.Before(c.Since))
	}
	_, err = ParseLevel(string(c.Level))
	failed("", err)
	_, err = ParseBasis(string(c.Basis))
	failed("", err)
	say(fmt.Sprintf("basis %s belongs to a MUST", c.Basis), c.Basis == JSONRPCMust && c.Level != Must)
	say(fmt.Sprintf("basis %s needs no backing", c.Basis), c.Backed && !c.Basis.Weak())
	for _, t := range c.Transports {
		_, err = ParseTransport(string(t))
		failed("", err)
	}
	for t, page := range c.Over {
		_, err = ParseTransport(string(t))
		failed("over: ", err)
		say("over: a page is missing", page == "")
	}
	say("text is missing", strings.TrimSpace(c.Text) == "")
	say("neither a page of the specification nor a source of its own is named", !extension && c.Page == "" && c.Source == "")
	say("source is missing", extension && c.Source == "")
	return all
}

// kebab reports whether s is two or more words of small letters and digits,
// joined by single hyphens.
func kebab(s string) bool {
	words := strings.Split(s, "-")
	for _, word := range words {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return len(words) > 1
}
