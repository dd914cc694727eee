package roles

// The roles of the extension proposals.
func extensionSpecs() []Spec {
	return []Spec{
		{Name: Gated, Text: "a tool that asks for confirmation before it acts", Fields: ownTool(
			otherArguments(),
			observe(),
			call("second", "another call that asks"),
			scalar("window", KindDuration, "how long a confirmation is valid"),
			call("by-cost", "a call that asks because of its cost", observe()),
		)},
		{Name: Transaction, Text: "steps that the server can take back", Fields: []Field{
			{Name: "steps", Kind: KindSteps, Required: true, Least: 2, Fields: []Field{observe()}, Text: "the steps, at least two"},
			call("failing-step", "a step that fails", observe()),
			call("failing-compensation", "a step that cannot be taken back", observe()),
			call("bait", "a call that a correct server never makes", observe()),
		}},
		{Name: Events, Text: "what raises an event that can be subscribed to", Fields: []Field{
			required(scalar("types", KindTexts, "types of events")),
			scalar("filter", KindArguments, "which of the first type are wanted"),
			required(action("matching", "raises an event that passes the filter")),
			action("other", "raises one that does not"),
			call("second-type", "raises an event of another type", required(scalar("type", KindText, "that type"))),
			action("force-end", "makes the server end the subscription"),
		}},
		{Name: Intent, Text: "a call and an intent that make the server suggest another tool", Fields: ownTool(
			required(scalar("intent", KindTemplate, "what the caller says it wants")),
			observe(),
		)},
		{Name: StreamTool, Text: "a tool that sends its result in at least two pieces", Fields: ownTool(
			Field{Name: "join", Kind: KindText, Values: []string{"concat", "array", "none"}, Text: "how the pieces make up the result"},
		)},
		{Name: DataReference, Text: "tools that hand data out and take it in by reference", Fields: []Field{
			export("export", "returns a reference"),
			export("export-short", "returns one that expires within wait.max"),
			given(call("import", "takes ${reference}"), "reference"),
		}},
		{Name: BinaryTool, Text: "a tool that takes base64 data", Fields: ownTool(
			required(scalar("argument", KindText, "the argument for the data")),
			scalar("mime", KindText, "the MIME type of the sample"),
			scalar("sample", KindFile, "a file that the tool takes"),
			Field{Name: "unlisted", Kind: KindPart, Text: "a type the tool does not list", Fields: []Field{
				required(scalar("mime", KindText, "that type")),
				scalar("sample", KindFile, "a file of that type"),
			}},
		)},
	}
}

func export(name, text string) Field {
	return Field{Name: name, Kind: KindObject, OneOf: []string{"tool", "params"}, Text: text, Fields: append(ownCall(false),
		scalar("params", KindArguments, "or the params of export_result_ref"))}
}
