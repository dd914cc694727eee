package config

import (
	"strconv"
	"strings"
)

// A Program is what a command of a role runs.
type Program struct {
	Name         string
	key          string // of the command, such as roles.trigger.tools.command
	line, column int
}

// Programs lists what the commands of the roles run, in the order of the file.
func (c Config) Programs() []Program { return c.programs }

// Absent is the mistake of a program that cannot be found.
func (c Config) Absent(p Program) *Error {
	return c.source.mistake(p.line, p.column, p.key+": no program "+strconv.Quote(p.Name)+" is on PATH; install it, or write its path")
}

// program keeps what a command of a role runs. Nobody has a program called none: who writes
// that means that there is no such command.
func (r *reader) program(n *node, path string, argv []string) error {
	if len(argv) == 1 && strings.EqualFold(argv[0], none) {
		return r.failNode(n, "%s: want a program, got %s%s", path, argv[0], instead(path))
	}
	at := n
	if n.kind == list {
		at = n.items[0]
	}
	r.programs = append(r.programs, Program{Name: argv[0], key: path, line: at.line, column: at.column})
	return nil
}

// InPlace says what to write in the place of a tool, a prompt or a resource called none.
func (m Mention) InPlace() string {
	if !strings.EqualFold(m.Name, none) {
		return ""
	}
	return instead(m.Key)
}

// instead says what to write where the server has nothing for the value around a key. There
// is nothing to write for an observer, since an effect is there though nobody sees it.
func instead(key string) string {
	i := strings.LastIndexByte(key, '.')
	around := key[:max(i, 0)]
	switch {
	case strings.HasSuffix(around, ".observe") || strings.HasSuffix(key, ".token-command"):
		return ""
	default:
		return "; where the server has nothing for it, write " + around + ": none"
	}
}
