package probe

// Place writes a JSON pointer into a message the way problems show it, as in
// $.result.tools[0].name.
func Place(pointer string) string { return path(pointer) }
