package authorization

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func tokens() []fault.Fault {
	const invalid = "authorization-401-invalid-token"
	return []fault.Fault{
		{Breaks: invalid, Each: []fault.Fault{{
			Name: "authorization-any-text", Title: "any text is taken for a token",
			Kills: []string{"authorization/unknown-token"}, In: newest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckToken},
		}, {
			Name: "authorization-403-for-token", Title: "a bad token is refused with status 403",
			Kills: []string{"authorization/unknown-token", "authorization/expired-token"}, In: middle(),
			Auth: refusedWith(true, http.StatusForbidden),
		}, {
			Name: "authorization-token-cut", Title: "a token without the end of its signature is taken",
			Kills: []string{"authorization/truncated-token"}, In: newest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckTokenCut},
		}, {
			Name: "authorization-token-within", Title: "a token is looked for within the text that is sent",
			Kills: []string{"authorization/prefixed-token"}, In: newest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckTokenStart},
		}, {
			Name: "authorization-token-longer", Title: "what stands behind a token is ignored",
			Kills: []string{"authorization/extended-token"}, In: newest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckTokenEnd},
		}, {
			Name: "authorization-signature-ignored", Title: "the signature of a token is not verified",
			Kills: []string{"authorization/altered-token", "authorization/token-of-another-key"}, In: newest(),
			Auth: authMode(), Skip: []fault.Check{fault.CheckSignature},
		}, {
			Name: "authorization-alg-none", Title: "a token with alg none is taken as it is",
			Kills: []string{"authorization/unsigned-token"}, In: handshake(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckAlgorithm},
		}, {
			Name: "authorization-any-issuer", Title: "a token of an unknown issuer is not verified",
			Kills: []string{"authorization/token-of-another-issuer"}, In: newest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckIssuer},
		}, {
			Name: "authorization-expiry-ignored", Title: "a token is taken when it has expired",
			Kills: []string{"authorization/expired-token"}, In: oldest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckExpiry},
		}}},
		{
			Name: "authorization-no-challenge-for-token", Title: "the 401 for a bad token has no challenge",
			Breaks: "authorization-401-challenge", In: newest(), Auth: challengeFor(true, noChallenge),
		}, {
			Name: "authorization-no-challenges", Title: "no 401 has a challenge", Breaks: "authorization-401-challenge",
			In: append(middle(), newest()...), Auth: challenge(http.StatusUnauthorized, noChallenge),
		}, {
			Name: "authorization-basic-challenges", Title: "each 401 asks for a password, and names the metadata",
			Breaks: "authorization-401-challenge", In: append(middle(), newest()...), Auth: challenge(http.StatusUnauthorized, password),
		}, {
			Name: "authorization-bare-challenge-for-token", Title: "the challenge for a bad token has no parameter",
			Breaks: "authorization-401-challenge", In: oldest(),
			Auth: challengeFor(true, func(string) string { return "Bearer" }), May: []string{"authorization/error-for-token"},
		},
		{Breaks: "authorization-401-error-code", Kills: []string{"authorization/error-for-token"}, Each: []fault.Fault{{
			Name: "authorization-no-error-for-token", Title: "the challenge for a bad token gives no error",
			Kills: []string{"authorization/error-for-token"}, In: newest(), Auth: challengeFor(true, without("error")),
		}, {
			Name: "authorization-other-error-for-token", Title: "the challenge for a bad token says invalid_request",
			Kills: []string{"authorization/error-for-token"}, In: middle(),
			Auth: challengeFor(true, with("error", "invalid_request")),
		}}},
		{
			Name: "authorization-empty-credentials", Title: "an Authorization header without a token lets its sender in",
			Breaks: "authorization-400-malformed", In: newest(), Auth: authMode(), Skip: []fault.Check{fault.CheckCredentials},
		}, {
			Name: "authorization-500-for-credentials", Title: "an Authorization header without a token makes the server fail",
			Breaks: "authorization-400-malformed", In: handshake(),
			Auth: status(http.StatusBadRequest, http.StatusInternalServerError),
		}, {
			Name: "authorization-audience-ignored", Title: "a token for another server is taken",
			Breaks: "authorization-audience-checked", Kills: []string{"authorization/audience-checked"}, In: newest(), Auth: authMode(),
			Skip: []fault.Check{fault.CheckAudience},
		}, {
			Name: "authorization-audience-begins", Title: "a token is taken whose audience begins with the URL of the server",
			Breaks: "authorization-audience-checked", Kills: []string{"authorization/audience-whole"},
			In: append(handshake(), newest()...), Auth: authMode(), Skip: []fault.Check{fault.CheckAudienceEnd},
		}, {
			Name: "authorization-audience-bytes", Title: "the audience of a token is compared byte by byte",
			Breaks: "authorization-uri-case", In: newest(), Auth: authMode(), Skip: []fault.Check{fault.CheckAudienceCase},
		},
	}
}
