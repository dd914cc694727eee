package roles

// The roles of identities and of the server's surroundings.
func identitySpecs() []Spec {
	return []Spec{
		principalsSpec(),
		{Name: Denied, Text: "a call that is refused to the weakest principal, and allowed to the first where there are two", Fields: ownTool(
			observe(),
			object("resource", "a resource that is refused", required(scalar("uri", KindResource, "its URI"))),
			object("completion", "a completion that hides something", append(completionRef(),
				scalar("value", KindText, "what is typed so far"),
				scalar("hidden", KindTexts, "suggestions that must not be given"))...),
			call("gated", "a call that is both denied and gated", observe()),
		)},
		{Name: Scopes, Text: "names of scopes, and whether they are granted", Fields: []Field{
			scalar("grantable", KindTexts, "scopes that are granted"),
			scalar("deniable", KindTexts, "scopes that are refused"),
			scalar("temporary", KindTexts, "scopes that are granted temporarily"),
			{Name: "hierarchy", Kind: KindPart, Text: "two scopes of which one includes the other", Fields: []Field{
				required(scalar("broad", KindText, "the one that includes the other")),
				required(scalar("narrow", KindText, "the one that is included")),
			}},
		}},
		{Name: Upstream, Text: "a service that the server is set up to call, played by the kit", Fields: []Field{
			scalar("listen", KindText, "the address at which the kit plays it"),
			upstreamUse("api", "what makes the server call an API of its operator"),
			upstreamUse("third-party", "what makes the server call a third party for its user"),
			upstreamUse("proxy", "what makes the server pass an authorization on"),
		}},
	}
}

func upstreamUse(name, text string) Field {
	return Field{Name: name, Kind: KindObject, OneOf: []string{"tool", "path"}, Text: text, Fields: append(ownCall(false),
		scalar("path", KindText, "or the path that is requested"))}
}

func principalsSpec() Spec {
	identity := func(name, text string) Field {
		return object(name, text,
			scalar("headers", KindHeaders, "headers of its requests"),
			scalar("env", KindVariables, "its environment, on stdio"),
			scalar("token", KindToken, "its bearer token"))
	}
	return Spec{Name: Principals, Text: "sets of valid credentials", Fields: []Field{
		identity("first", "the identity the kit works as"),
		identity("second", "another identity, not allowed more than the first"),
		identity("limited", "the first identity with fewer scopes"),
		identity("foreign", "a token that was issued for another audience"),
		object("expired", "the first identity when its time was over", scalar("token", KindToken, "a bearer token that has expired")),
		object("client", "a client of the server's own authorization endpoints, at 2025-03-26",
			scalar("id", KindText, "its client_id"),
			scalar("redirect", KindText, "the redirect URI that is registered for it"),
			scalar("register", KindFlag, "true: the kit may register clients of its own")),
		given(scalar("token-command", KindArgv, "prints a token for ${scope} and ${resource}"), "scope", "resource"),
	}}
}
