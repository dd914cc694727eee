package elicitation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func secretCases() []suite.Case {
	return []suite.Case{{
		ID:     "elicitation/no-secrets",
		Title:  "a form asks for no password, key, token or card number",
		Checks: []requirements.ID{"elicitation-form-no-secrets", "elicitation-secrets-by-url"},
		Fix:    "ask by URL mode for what has to stay secret, so that it does not pass through the client and its model",
		Sees:   "a form",
		Watch:  questions.On(questions.Elicitation, noSecrets),
	}}
}

// noSecrets judges the name and the title of a field. Descriptions and messages may speak of
// a secret that is not asked for.
func noSecrets(q questions.Question) probe.Opinion {
	if byURL(q) || probe.ObjectOf(q.Params["requestedSchema"]) == nil {
		return probe.Nothing()
	}
	for _, f := range fieldsOf(q) {
		title, _ := f.schema["title"].(string)
		for _, name := range []string{f.name, title} {
			if f.schema["type"] == "string" && secret(name) {
				return probe.Breaks("%s asks for %s by form, want no secret asked for in this way", f.Shown(f.at), probe.Show(name))
			}
		}
	}
	return probe.Kept()
}

// secret reports whether a name plainly means a secret: it consists of such words, and of a
// few that only say whose it is. A "password hint" or a "token count" is none.
func secret(name string) bool {
	name = words(name)
	for _, of := range []string{
		"your ", "the ", "my ", "user ", "account ", "login ", "current ", "new ", "old ", "enter ", "please ", "confirm ", "repeat ",
		"github ", "git hub ",
	} {
		name = strings.TrimPrefix(name, of)
	}
	return slices.Contains([]string{
		"password", "passwd", "passphrase", "api key", "apikey", "api secret", "api token", "secret key", "client secret", "private key",
		"access token", "auth token", "authentication token", "bearer token", "refresh token", "personal access token",
		"credit card", "credit card number", "card number", "cvv", "cvc", "card security code",
	}, name) || serviceKey(name)
}

// serviceKey reports whether a name means the key of a service, such as "GitHub personal
// access token". The words before may not say that something about a key is asked for.
func serviceKey(name string) bool {
	for _, key := range []string{" api key", " api secret", " api token", " personal access token"} {
		if of, is := strings.CutSuffix(name, key); is {
			service := strings.Fields(of)
			return len(service) <= 3 && !slices.ContainsFunc(service, func(word string) bool {
				return slices.Contains([]string{
					"about", "alias", "for", "has", "hint", "id", "kind", "label", "name", "no", "of", "public", "revoke", "rotate", "to", "type",
					"use", "which", "with", "without",
				}, word)
			})
		}
	}
	return false
}

// words writes a name such as apiKey, api_key or "API key" as its words.
func words(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
