package proposal

import (
	"regexp"
	"slices"
	"strings"
)

// UnsafeAdvice is what a text advises that no model should follow: to use what is
// not one's own, or to do without a protection. Fixed phrases leave no doubt; other
// words may be meant well.
func (s *Scanner) UnsafeAdvice(text string) []Hit {
	// Typographic apostrophes are apostrophes.
	text = strings.ReplaceAll(text, "’", "'")
	return scan(text, s.advice())
}

func adviceSigns() []sign {
	const credential = "advice to use other credentials"
	const protection = "advice to do without a protection"
	const privilege = "advice to use more rights"
	// A root may be that of a tree.
	tree := regexp.MustCompile(`(?i)^ (?:of|cause|element|node|directory|folder|object|type|path|key|schema)\b`)
	rootOfSomething := func(_, _, after string) bool { return tree.MatchString(after) }
	signs := []sign{
		{what: credential, shape: regexp.MustCompile(`(?i)\b(?:different|another) api[ -]?key\b`)},
		{what: credential, shape: regexp.MustCompile(`(?i)\b(?:another user's|someone else's)\s+(?:\w+\s+){0,2}?` +
			`(?:key|token|password|account)\b`)},
		{what: credential, shape: regexp.MustCompile(`(?i)\bshared password\b`)},
		{what: privilege, shape: regexp.MustCompile(`(?i)\badmin(?:istrator)? credentials\b`)},
		{what: privilege, shape: regexp.MustCompile(`(?i)\bas root\b`), spares: rootOfSomething},
		{what: protection, shape: regexp.MustCompile(`(?i)\bdisabl(?:e|ing) tls\b`)},
		{what: protection, shape: regexp.MustCompile(`(?i)\bskip(?:ping)? certificate`)},
		{
			what: credential, weak: true, spares: harmlessKey,
			shape: regexp.MustCompile(`(?i)\b(?:different|another|shared|someone else's)\s+` +
				`((?:[\w-]+\s+)?(?:keys?|tokens?|passwords?|accounts?))\b`),
		},
		{
			what: protection, weak: true,
			shape: regexp.MustCompile(`(?i)\b(?:disabl(?:e|ing)|skip(?:ping)?|bypass(?:ing)?)\s+(?:[\w-]+\s+){0,3}?` +
				`(?:verification|tls|certificates?|auth(?:entication|orization)?|confirmation)\b`),
		},
	}
	for i, s := range signs {
		further := s.spares
		signs[i].spares = func(found, before, after string) bool {
			return denied(before) || further != nil && further(found, before, after)
		}
	}
	return signs
}

// denied reports whether the words before a phrase turn it round, as in "never
// disable TLS".
func denied(before string) bool {
	if i := strings.LastIndexAny(before, ".!?;\n"); i >= 0 {
		before = before[i:]
	}
	words := strings.Fields(strings.ToLower(before))
	words = words[max(0, len(words)-5):]
	denials := []string{"not", "never", "no", "don't", "cannot", "can't", "without", "avoid", "instead"}
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(denials, strings.Trim(word, ",:")) })
}

// Some keys and tokens open nothing: those of idempotency, pages, checkpoints and
// state, and those of tables.
func harmlessKey(found, _, _ string) bool {
	first, _, _ := strings.Cut(strings.ToLower(found), " ")
	return slices.Contains([]string{
		"idempotency", "page", "paging", "pagination", "cursor", "continuation", "next", "checkpoint", "resume", "state", "session-state",
		"session_state", "confirmation", "primary", "foreign", "sort", "partition", "object", "property",
	}, first)
}
