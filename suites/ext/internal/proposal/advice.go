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
	return s.advice.in(text)
}

// The kinds of unsafe advice.
const (
	credential = "advice to use other credentials"
	protection = "advice to do without a protection"
	privilege  = "advice to use more rights"
)

func adviceSigns() []sign {
	signs := slices.Concat(plainAdvice(), credentialAdvice(), protectionAdvice())
	for i, s := range signs {
		further := s.spares
		signs[i].whole = true
		signs[i].spares = func(found, before, after string) bool {
			return denied(before) || further != nil && further(found, before, after)
		}
	}
	return signs
}

// plainAdvice are the phrases that leave no doubt.
func plainAdvice() []sign {
	// A root may be that of a tree.
	tree := regexp.MustCompile(`(?i)^ (?:of|cause|element|node|directory|folder|object|type|path|key|schema)\b`)
	rootOfSomething := func(_, _, after string) bool { return tree.MatchString(after) }
	return []sign{
		{what: credential, shape: regexp.MustCompile(`(?i)\b(?:different|another) api[ -]?key\b`), spares: aboutKey},
		{what: credential, shape: regexp.MustCompile(`(?i)\b(?:another user's|someone else's)\s+(?:\w+\s+){0,2}?` +
			`(?:key|token|password|account)\b`), spares: aboutKey},
		{what: credential, shape: regexp.MustCompile(`(?i)\bshared password\b`)},
		{what: privilege, shape: regexp.MustCompile(`(?i)\badmin(?:istrator)? credentials\b`)},
		{what: privilege, shape: regexp.MustCompile(`(?i)\bas root\b`), spares: rootOfSomething},
		{what: protection, shape: regexp.MustCompile(`(?i)\bdisabl(?:e|ing) tls\b`)},
		{what: protection, shape: regexp.MustCompile(`(?i)\bskip(?:ping)? certificate`)},
	}
}

// credentialAdvice are words of a secret near a foreign owner, or near the words for
// asking for it.
func credentialAdvice() []sign {
	const secret = `(?:api[ -]?keys?|access keys?|keys?|(?:[\w-]+ )?tokens?|passwords?|credentials?|accounts?|logins?)`
	const owner = `(?:owner|admin(?:istrator)?|root|superuser|user|colleague|manager|operator)`
	weak := func(what, shape string, spares func(found, before, after string) bool) sign {
		return sign{what: what, weak: true, shape: regexp.MustCompile(`(?i)` + shape), spares: spares}
	}
	return []sign{
		weak(credential, `\b(?:different|another|shared|someone else's)\s+((?:[\w-]+\s+)?(?:keys?|tokens?|passwords?|accounts?))\b`,
			func(found, before, after string) bool {
				return harmlessKey(found, before, after) || aboutKey(found, before, after)
			}),
		weak(credential, `\b`+owner+`'s\s+`+secret+`\b`, unadvised),
		weak(credential, `\b(?:admin(?:istrator)?|root|superuser)\s+(?:passwords?|accounts?|logins?|api[ -]?keys?|tokens?)\b`, unadvised),
		weak(credential, `\b`+secret+` (?:of|from|belonging to) (?:the|an?|your|another) `+owner+`\b`, unadvised),
		weak(credential, `\bask(?:ing)?\b[^.!?]{0,60}?\bfor (?:(?:their|his|her|the|an?|your) )?`+
			`(?:passwords?|passphrase|private key)\b`, aboutKey),
		weak(credential, `\bask(?:ing)?\b[^.!?]{0,60}?\bfor (?:their|his|her) (?:api[ -]?key|credentials|login)\b`, aboutKey),
		weak(credential, `\bask(?:ing)?\b[^.!?]{0,60}?\bfor (?:(?:their|his|her|the|an?|your) )?`+
			`(?:admin(?:istrator)?|root|superuser)(?:'s)? (?:passwords?|accounts?|logins?|(?:api[ -]?)?keys?|(?:access )?tokens?|`+
			`credentials)\b`, aboutKey),
		// What stands in the arguments passes through the model.
		weak(credential, `\b(?:send|put|pass|include|enter|provide|supply|paste|add)\b[^.!?]{0,20}?\byour (?:api[ -]?keys?|passwords?|`+
			`credentials|secret keys?|private keys?)[^.!?,;]{0,20}?\bin (?:the |your )?(?:arguments?|chat)\b`,
			ofProgram),
		weak(privilege, `\b(?:log|sign)(?:ging|ing)?[ -]?(?:in|on) as (?:an? |the )?(?:admin(?:istrator)?|superuser|owner)\b`, nil),
		weak(privilege, `\b(?:run|start|restart|launch|execute)\b[^.!?]{0,40}?\b(?:with|under|using) `+
			`(?:admin(?:istrator|istrative)?|root|superuser)(?:'s)? (?:privileges|rights|permissions)\b`, byOthers),
		weak(privilege, `\belevated (?:credentials|privileges|rights|permissions)\b`, unadvised),
		weak(privilege, `\b(?:call|use|run|with|via) sudo\b|\bsudo [a-z]`, nil),
	}
}

// protectionAdvice are words for a check near words for turning it off.
func protectionAdvice() []sign {
	const off = `\b(?:disabl(?:e|ing)|skip(?:ping)?|bypass(?:ing)?|turn(?:ing)? off|switch(?:ing)? off)\s+`
	return []sign{
		{what: protection, weak: true, shape: regexp.MustCompile(`(?i)` + off + `(?:[\w-]+\s+){0,3}?` +
			`(?:verification|tls|ssl|certificates?|auth(?:entication|orization)?|confirmation)\b`)},
		{what: protection, weak: true, shape: regexp.MustCompile(`(?i)` + off + `(?:[\w-]+\s+){0,2}?` +
			`(?:permission|access|security|signature|scope|certificate)s?\s+checks?\b`)},
		{what: protection, weak: true, shape: regexp.MustCompile(`(?i)\b(?:verify[_-]?(?:ssl|tls|certs?)|ssl[_-]?verify|` +
			`reject[_-]?unauthorized)\b\W{0,3}(?:to |is )?(?:false|off|no|0)\b`)},
		{what: protection, weak: true, shape: regexp.MustCompile(`(?i)\b(?:set|use|pass|add|try)\s+verify` +
			`(?:\s?[=:]\s?| to )(?:false|off|no|0)\b`)},
		{what: protection, weak: true, shape: regexp.MustCompile(`(?i)--insecure\b|\binsecure\b\W{0,3}(?:to )?true\b`)},
	}
}

// unadvised spares a find where the sentence does not say what to do with it: that the
// administrator's account lacks something is no advice.
func unadvised(_, before, _ string) bool {
	return !imperative().MatchString(sentence(before))
}

func imperative() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:use|using|try|enter|provide|send|paste|supply|pass|` +
		`borrow|share|take|log in|sign in|run|retry|repeat|call|book)\b`)
}

// byOthers spares what somebody else is to do, and what is only said to be so.
func byOthers(_, before, _ string) bool {
	others := regexp.MustCompile(`(?i)\b(?:ask|let|have|contact)\b|\b(?:is|are|was|were|be|been)$`)
	return others.MatchString(sentence(before))
}

// ofProgram spares the arguments that a program is started with.
func ofProgram(_, _, after string) bool {
	return regexp.MustCompile(`(?i)^ (?:of|to|for) (?:the |your )?(?:mcp )?(?:server|command|program|process)\b`).MatchString(after)
}

// aboutKey spares what is about the name or the form of a key, and opens nothing.
func aboutKey(_, _, after string) bool {
	form := regexp.MustCompile(`(?i)^[ -](?:names?|formats?|ids?|identifiers?|types?|prefix(?:es)?|labels?|alias(?:es)?|lengths?)\b`)
	return form.MatchString(after)
}

// sentence is the last sentence of what stands before a find.
func sentence(before string) string {
	if i := strings.LastIndexAny(before, ".!?;\n"); i >= 0 {
		before = before[i+1:]
	}
	return strings.TrimSpace(before)
}

// denied reports whether the sentence before a phrase turns it round, as in "never
// disable TLS". What stands in a condition turns nothing round.
func denied(before string) bool {
	before = strings.ToLower(sentence(before))
	first, _, _ := strings.Cut(before, " ")
	if slices.Contains([]string{"if", "when", "where", "while", "since", "because", "should"}, first) {
		if i := strings.LastIndexByte(before, ','); i >= 0 {
			before = before[i+1:]
		}
	}
	denials := []string{"not", "never", "no", "don't", "cannot", "can't", "without", "avoid", "instead"}
	return slices.ContainsFunc(strings.Fields(before), func(word string) bool {
		return slices.Contains(denials, strings.Trim(word, ",:"))
	})
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
