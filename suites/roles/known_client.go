package roles

// The roles of tools that ask their client for something, and of tasks.
func clientSpecs() []Spec {
	return []Spec{
		{Name: ClientRequest, Text: "tools that ask the client, each for one feature", Fields: []Field{
			call("elicitation", "asks with a form", scalar("content", KindArguments, "what the user fills in; otherwise made from the form")),
			call("url", "asks to visit a URL",
				given(of("tool", action("complete", "does at ${url} what the person would do")), "url")),
			call("sampling", "asks for a message of the model", scalar("text", KindText, "what the model says; otherwise made up")),
			call("sampling-tools", "asks for one with tools"),
			call("roots", "asks for the roots",
				given(Field{Name: "file", Kind: KindPart, OneOf: []string{"argument", "arguments"}, Text: "a tool that opens ${path}", Fields: ownTool(
					scalar("argument", KindText, "its argument for the path, when arguments does not hold ${path}"),
				)}, "path")),
			scalar("gives-up-after", KindDuration, "how long the server waits for an answer"),
		}},
		{Name: InputRequired, Text: "a tool that wants input before it completes", Fields: ownTool(
			scalar("answers", KindArguments, "the answers by key; otherwise made from what is asked"),
			otherArguments(),
			object("prompt", "a prompt that wants input",
				required(scalar("name", KindPrompt, "its name")), scalar("arguments", KindArguments, "its arguments")),
			object("resource", "a resource that wants input", required(scalar("uri", KindResource, "its URI"))),
			scalar("lifetime", KindDuration, "how long a state is valid"),
			call("once", "an operation that happens once", observe()),
		)},
		{Name: TaskTool, Text: "a tool that runs as a task", Fields: ownTool(
			call("slow", "a task that runs for some time"),
			call("failing", "a task whose result is marked as an error"),
			call("protocol-error", "a task that ends with a JSON-RPC error"),
			call("required", "a tool that refuses a call without a task"),
			call("input", "a task that asks for input"),
			call("two-inputs", "a task that asks two things at once"),
			call("input-first", "a tool that asks before it becomes a task"),
			call("progress", "a task that reports progress"),
			Field{Name: "observe", Kind: KindObserve, Of: "slow", Text: "how the effect of slow is seen"},
		)},
	}
}
