package main

import "os"

const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// colored decides whether the result is written in color: by the flag, else by the
// environment, else by whether the output is a terminal.
func colored(flag string, w world) bool {
	switch {
	case flag != colorAuto:
		return flag == colorAlways
	case w.set("NO_COLOR"):
		return false
	case w.set("FORCE_COLOR"), w.set("CLICOLOR_FORCE"):
		return !w.off("FORCE_COLOR") && !w.off("CLICOLOR_FORCE")
	}
	term, _ := w.env("TERM")
	_, isTerminal := terminal(w.out)
	return isTerminal && term != "dumb"
}

// set tells whether a variable has any value.
func (w world) set(name string) bool {
	value, _ := w.env(name)
	return value != ""
}

// off tells whether a variable means no.
func (w world) off(name string) bool {
	value, _ := w.env(name)
	return value == "0" || value == "false"
}

// width is the number of columns of a terminal, 0 for any other stream.
func width(out any) int {
	columns, _ := terminal(out)
	return columns
}

// terminal tells whether a stream is a terminal with a reader, and how wide it is.
func terminal(stream any) (columns int, is bool) {
	file, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	return columnsOf(file)
}
