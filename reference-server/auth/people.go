package auth

import (
	"strings"
	"time"
)

// The names of the accounts, as the rights of the harbour use them.
const (
	Master = "key-of-the-harbour-master"
	pilot  = "key-of-the-harbour-pilot"
	guest  = "key-of-the-harbour-guest"
)

// People returns a token for each account, by the kit's names of the accounts.
func (i *issuer) People(base string) (map[string]string, error) {
	here := base + i.path
	all := strings.Join(allScopes(), " ")
	tokens := map[string]string{}
	for name, token := range map[string]Token{
		"first":   {Subject: Master, Scope: all, Audience: here, Life: life},
		"second":  {Subject: pilot, Scope: all, Audience: here, Life: life},
		"limited": {Subject: guest, Scope: baseScope, Audience: here, Life: life},
		"foreign": {Subject: Master, Scope: all, Audience: "https://other.example/mcp", Life: life},
		"expired": {Subject: Master, Scope: all, Audience: here, Life: -time.Hour},
	} {
		text, err := i.Issue(base, token)
		if err != nil {
			return nil, err
		}
		tokens[name] = text
	}
	return tokens, nil
}

// Mint issues a token of the harbour master with the scopes of the caller's choice.
func (i *issuer) Mint(base, scope, resource string) (string, error) {
	return i.Issue(base, Token{Subject: Master, Scope: scope, Audience: resource, Life: life})
}
