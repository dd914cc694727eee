package roles

import (
	"slices"
	"strings"
)

// Shape is a value of the field as YAML, on one line. What is left to fill in has capital
// letters. An object has its required members, and those that inner names by their paths,
// such as complete, or first.arguments.
func (f Field) Shape(inner ...string) string {
	switch f.Kind {
	case KindCall, KindAction, KindObserve, KindObject, KindPart:
		return f.mapOf(inner)
	case KindSteps:
		call := Field{Kind: KindCall, Fields: f.Fields}.Shape()
		return "[" + strings.Join(slices.Repeat([]string{call}, max(f.Least, 1)), ", ") + "]"
	case KindArguments:
		switch f.Name {
		case "arguments":
			return "{}"
		case "ref":
			return "{type: ref/prompt, name: NAME_OF_A_PROMPT}"
		}
		return "{NAME: VALUE}"
	case KindMap, KindHeaders, KindVariables:
		return "{NAME: VALUE}"
	case KindTexts, KindArgv:
		return "[VALUE]"
	case KindFlag, KindFlagCall:
		return "true"
	case KindNumber, KindDuration:
		return "NUMBER"
	case KindTool:
		return "NAME_OF_A_TOOL"
	case KindPrompt:
		return "NAME_OF_A_PROMPT"
	case KindResource:
		return "URI_OF_A_RESOURCE"
	case KindPointer:
		return "/VALUE"
	default:
		if len(f.Values) > 0 {
			return f.Values[0]
		}
		return "VALUE"
	}
}

// mapOf is a map of the members that have to be there, by the declaration or by name; one
// without any has the first that is declared.
func (f Field) mapOf(inner []string) string {
	members := f.Members()
	wanted := map[string][]string{} // names, and what is wanted below each
	for _, path := range inner {
		first, rest, deeper := strings.Cut(path, ".")
		below := wanted[first]
		if deeper {
			below = append(below, rest)
		}
		wanted[first] = below
	}
	named := func(name string) bool {
		_, there := wanted[name]
		return there
	}
	if choices := f.Choices(); len(choices) > 0 && !slices.ContainsFunc(choices, named) {
		wanted[choices[0]] = nil
	}
	for _, m := range members {
		if named(m.Name) && m.Of != "" && !named(m.Of) {
			wanted[m.Of] = nil
		}
	}
	var parts []string
	calls := slices.Contains([]Kind{KindCall, KindAction, KindObserve}, f.Kind)
	for _, m := range members {
		its := calls && m.Name == "arguments" && (members[0].Required || named("tool"))
		if named(m.Name) || m.Required || its {
			parts = append(parts, m.Name+": "+m.Shape(wanted[m.Name]...))
		}
	}
	if len(parts) == 0 && len(members) > 0 {
		parts = append(parts, members[0].Name+": "+members[0].Shape())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
