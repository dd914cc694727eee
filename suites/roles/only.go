package roles

// Only is the set without the calls of tools that are not there. What somebody
// is denied may be hidden from them, so it stays.
func (s Set) Only(there func(tool string) bool) Set {
	var kept []Filled
	for _, f := range s.All() {
		if f.Name != Denied {
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

// missing tells of an object that calls a tool which is not there.
func (f Fields) missing(there func(tool string) bool) bool {
	tool := f.Text("tool")
	return tool != "" && !there(tool)
}
