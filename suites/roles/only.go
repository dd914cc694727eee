package roles

// Only is the set without calls of tools that the server does not list. It keeps calls
// of tools that the server may hide: from a principal that is denied them, and from a
// client that does not declare what they ask for.
func (s Set) Only(there func(tool string) bool) Set {
	var kept []Filled
	for _, f := range s.All() {
		if f.Name != Denied && f.Name != ClientRequest {
			f.Fields = f.only(there)
		}
		kept = append(kept, f)
	}
	return NewSet(s.specs, kept...)
}

func (f Fields) only(there func(tool string) bool) Fields {
	own := f.missing(there)
	kept := Fields{}
	for name, value := range f {
		switch value := value.(type) {
		case Fields:
			if !value.missing(there) {
				kept[name] = value.only(there)
			}
		case []Fields:
			gone := false
			for _, each := range value {
				gone = gone || each.missing(there)
			}
			if !gone {
				kept[name] = value
			}
		default:
			if !own || name != "tool" && name != "arguments" {
				kept[name] = value
			}
		}
	}
	return kept
}

// missing reports whether an object calls a tool that is not listed.
func (f Fields) missing(there func(tool string) bool) bool {
	tool := f.Text("tool")
	return tool != "" && !there(tool)
}
