package roles

// The roles of tools that change something.
func effectSpecs() []Spec {
	return []Spec{
		{Name: StateChange, Text: "a tool with one effect per call, which can be seen and repeated", Fields: ownTool(
			observe(),
			given(call("undo", "takes the effect back"), "result"),
			otherArguments(),
			scalar("invalid-arguments", KindArguments, "arguments that are refused before it acts"),
			scalar("failing-arguments", KindArguments, "arguments with which it acts, and answers with a tool error all the same"),
			call("idempotent", "a call of a tool that declares itself idempotent", observe()),
		)},
		{Name: SessionState, Text: "two calls of which the second sees what the first did", Fields: []Field{
			required(call("first", "puts something into the state")),
			given(required(call("second", "answers with it")), "result"),
			scalar("expect", KindAny, "what the second answers after the first"),
			scalar("expect-fresh", KindAny, "what it answers without the first"),
			object("by-token", "two calls of which the second sees what the first did by the token of the session-state extension alone",
				required(call("first", "puts something into the state")),
				required(call("second", "answers with it")),
				scalar("expect", KindAny, "what the second answers with the token of the first"),
				scalar("expect-fresh", KindAny, "what it answers without a token"),
			),
		}},
		{Name: RateLimit, Text: "a tool with a quota", Fields: ownTool(
			scalar("repeat", KindNumber, "calls in a row after which it refuses"),
			object("completion", "a completion with a quota", append(completionRef(),
				required(scalar("repeat", KindNumber, "requests in a row after which it refuses")))...),
			object("tasks", "task requests with a quota",
				required(scalar("repeat", KindNumber, "requests in a row after which it refuses"))),
		)},
		{Name: Trigger, Text: "what makes the server change a list, a resource, or end", Fields: []Field{
			action("tools", "changes the list of tools each time"),
			action("prompts", "changes the list of prompts each time"),
			action("resources", "changes the list of resources each time"),
			action("resource", "changes the resource of this URI each time", required(scalar("uri", KindResource, "the resource"))),
			action("shutdown", "ends the server in an orderly way"),
		}},
	}
}

func completionRef() []Field {
	return []Field{
		required(scalar("ref", KindArguments, "the prompt or template, as in completion/complete")),
		required(scalar("argument", KindText, "the name of its argument")),
	}
}
