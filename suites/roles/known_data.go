package roles

// The roles of resources, prompts and completion.
func dataSpecs() []Spec {
	named := func(name, text string) Field {
		return object(name, text, required(scalar("name", KindPrompt, "its name")), scalar("arguments", KindArguments, "its arguments"))
	}
	return []Spec{
		{Name: Resource, Text: "a resource that can be read", Fields: []Field{
			required(scalar("uri", KindResource, "its URI")),
			object("binary", "one that is not text", required(scalar("uri", KindResource, "its URI"))),
		}},
		{Name: Prompt, Text: "a prompt that can be fetched", Fields: []Field{
			required(scalar("name", KindPrompt, "its name")),
			{Name: "arguments", Kind: KindArguments, Of: "name", Text: "its arguments"},
			named("image", "a prompt that yields an image"),
			named("audio", "a prompt that yields audio"),
			named("resource", "a prompt that yields a resource"),
		}},
		{Name: Completion, Text: "an argument of a prompt or template that can be completed", Fields: append(completionRef(),
			scalar("value", KindText, "what is typed so far"),
			Field{Name: "ranked", Kind: KindPart, Text: "suggestions whose order is known", Fields: []Field{
				scalar("value", KindText, "what is typed so far"),
				required(scalar("values", KindTexts, "the suggestions in their order")),
			}},
		)},
	}
}
