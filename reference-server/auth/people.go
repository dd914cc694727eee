package auth

import (
	"strings"
	"time"
)

// Who has an account, by the name that the rights of the harbour know them by.
const (
	Master = "key-of-the-harbour-master"
	pilot  = "key-of-the-harbour-pilot"
	guest  = "key-of-the-harbour-guest"
)

// People are tokens for those who have an account, by the names that the kit gives
// them.
func (a *Authority) People(base string) (map[string]string, error) {
	here := base + a.path
	all := strings.Join(allScopes(), " ")
	tokens := map[string]string{}
	for name, token := range map[string]Token{
		"first":   {Subject: Master, Scope: all, Audience: here, Life: life},
		"second":  {Subject: pilot, Scope: all, Audience: here, Life: life},
		"limited": {Subject: guest, Scope: baseScope, Audience: here, Life: life},
		"foreign": {Subject: Master, Scope: all, Audience: "https://other.example/mcp", Life: life},
		"expired": {Subject: Master, Scope: all, Audience: here, Life: -time.Hour},
	} {
		text, err := a.Issue(base, token)
		if err != nil {
			return nil, err
		}
		tokens[name] = text
	}
	return tokens, nil
}

// Mint is a token of the harbour master with scopes of the caller's choice.
func (a *Authority) Mint(base, scope, resource string) (string, error) {
	return a.Issue(base, Token{Subject: Master, Scope: scope, Audience: resource, Life: life})
}
