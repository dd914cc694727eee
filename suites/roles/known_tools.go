package roles

// The roles of tools that change nothing.
func toolSpecs() []Spec {
	return []Spec{
		{Name: ReadOnlyTool, Text: "a tool that answers without side effect, called twice", Fields: ownTool(
			call("header", "a tool with a string property that is mirrored into a header"),
			call("header-integer", "the same with an integer property"),
			call("header-nested", "the same with a property inside an object"),
		)},
		{Name: InvalidInput, Text: "a tool that accepts some arguments and refuses others before it acts", Fields: ownTool(
			scalar("invalid-arguments", KindArguments, "arguments that are refused; by default the kit makes some from the valid ones"),
			call("schema-2020", "a tool whose schema needs prefixItems, dependentRequired or unevaluatedProperties",
				scalar("invalid-arguments", KindArguments, "arguments that only such a keyword refuses")),
		)},
		failureSpec(),
		{Name: SlowTool, Text: "a tool that runs for some time", Fields: ownTool(
			scalar("duration", KindDuration, "how long it runs at least (5s)"),
			observe(),
			scalar("cancellable", KindFlag, "a cancel stops the work"),
			scalar("progress", KindFlag, "it reports progress"),
			scalar("resumable", KindFlag, "it offers checkpoint tokens"),
			call("polling", "closes its event stream before the response, for the client to resume it"),
		)},
		{Name: ProgressTool, Text: "a tool that reports progress at least three times when asked", Fields: ownTool()},
		{Name: LoggingTool, Text: "a tool that logs at several levels, error and debug among them", Fields: ownTool(
			scalar("levels", KindTexts, "the levels it logs at"),
		)},
		contentSpec(),
		{Name: SchemaTool, Text: "a tool that takes a JSON Schema as an argument and uses it", Fields: []Field{
			required(scalar("tool", KindTool, "the tool that is called")),
			given(Field{Name: "arguments", Kind: KindArguments, Of: "tool", Text: "its arguments, which contain ${schema}"}, "schema"),
			given(scalar("fetches", KindFlagCall, "the mode that follows network references: the tool itself, or another call"), "schema"),
		}},
	}
}

func failureSpec() Spec {
	mended := func(members ...Field) []Field {
		return append(members, action("before", "breaks it"), action("after", "repairs it"))
	}
	return Spec{Name: Failure, Text: "calls and requests that fail every time", Fields: []Field{
		{Name: "tool", Kind: KindTool, Text: "a tool whose result is marked as an error"},
		{Name: "arguments", Kind: KindArguments, Of: "tool", Text: "its arguments"},
		call("not-found", "a call that names what is not there"),
		call("transient", "a call that may succeed later"),
		object("request", "a request that fails inside the server", mended(
			required(scalar("method", KindText, "its method")), scalar("params", KindArguments, "its params"))...),
		object("prompt", "a prompt that fails inside the server", mended(
			required(scalar("name", KindPrompt, "its name")), scalar("arguments", KindArguments, "its arguments"))...),
		object("resource", "a resource that fails inside the server", mended(
			required(scalar("uri", KindResource, "its URI")))...),
		object("completion", "a completion that fails inside the server", mended(completionRef()...)...),
		object("logging", "a change of the log level that fails inside the server", mended(
			Field{Name: "level", Kind: KindText, Text: "the level that is set"},
			Field{Name: "tool", Kind: KindTool, Text: "a tool that logs"},
			Field{Name: "arguments", Kind: KindArguments, Of: "tool", Text: "its arguments"})...),
		call("tasks", "a task that fails inside the server", mended()...),
	}}
}

func contentSpec() Spec {
	return Spec{Name: Content, Text: "calls that yield one kind of content each, without side effect", Fields: []Field{
		call("text", "yields text"),
		call("image", "yields an image"),
		call("audio", "yields audio"),
		call("resource", "yields an embedded resource"),
		call("resource-link", "yields a link to a resource"),
		call("structured", "a tool with an outputSchema", otherArguments()),
		call("non-object", "a tool whose outputSchema is not an object"),
		call("empty-params", "a tool that takes no arguments at all"),
		call("annotated", "yields content with annotations"),
		call("provenance", "yields content that says where it comes from",
			Field{Name: "expect", Kind: KindPart, Text: "what it should say", Fields: []Field{
				scalar("source", KindText, "the source"),
				scalar("location", KindText, "the place in it"),
				scalar("version", KindText, "its version"),
			}}),
	}}
}
