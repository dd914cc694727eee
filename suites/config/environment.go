package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Expand fills in the environment variables of a text outside any file, such as
// a flag, and returns their values, which are secret.
func Expand(text string, env Environment) (expanded string, values []string, err error) {
	parts, err := roles.Scan(text)
	if err != nil {
		return "", nil, err
	}
	var out strings.Builder
	for _, part := range parts {
		piece := part.Text
		if part.Name != "" {
			if piece, err = lookUp(part, env); err != nil {
				return "", nil, err
			}
			if !Usual(part.Name) {
				values = append(values, piece)
			}
		}
		out.WriteString(piece)
	}
	return out.String(), values, nil
}

// Usual reports whether an environment variable belongs to every session of every user:
// its value is no secret, and a report without the folder of the user is hard to read.
func Usual(name string) bool {
	return slices.Contains([]string{
		"HOME", "PWD", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TMPDIR", "TMP", "TEMP", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA",
	}, name)
}

func lookUp(part roles.Part, env Environment) (string, error) {
	if !isVariable(part.Text) {
		return "", fmt.Errorf("%s is not allowed here; only environment variables are, in capitals", part.Text)
	}
	value, ok := env(part.Name)
	if !ok {
		return "", fmt.Errorf("the environment variable %s is not set", part.Name)
	}
	return value, nil
}

// isVariable distinguishes ${NAME} from the placeholders that the kit fills in later.
func isVariable(placeholder string) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(placeholder, "${"), "}")
	for i, c := range name {
		if (c < 'A' || c > 'Z') && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// expand fills in a text without later placeholders.
func (r *reader) expand(n *node, written string) (string, error) {
	parts, err := roles.Scan(written)
	if err != nil {
		return "", r.failNode(n, "%s", err)
	}
	var out strings.Builder
	for _, part := range parts {
		piece := part.Text
		if part.Name != "" {
			if piece, err = r.variable(n, part); err != nil {
				return "", err
			}
		}
		out.WriteString(piece)
	}
	return out.String(), nil
}

// expandPublic expands a flag or a number. Its value is no secret: hiding every "true"
// would make a report unreadable.
func (r *reader) expandPublic(n *node) (string, error) {
	kept := r.expanded
	defer func() { r.expanded = kept }()
	return r.expand(n, n.text)
}

// expandTemplate fills in a text that roles.Expand expands again: given are the
// placeholders that it may hold. Values of the environment are never read as
// placeholders.
func (r *reader) expandTemplate(n *node, written string, given []string) (string, error) {
	parts, err := roles.Scan(written)
	if err != nil {
		return "", r.failNode(n, "%s", err)
	}
	var out, literal strings.Builder
	given = slices.Concat(given, []string{"nonce"})
	for _, part := range parts {
		switch {
		case part.Name == "":
			literal.WriteString(part.Text)
		case isVariable(part.Text):
			value, err := r.variable(n, part)
			if err != nil {
				return "", err
			}
			literal.WriteString(value)
		case (part.Arg == "" || part.Name == "result") && slices.Contains(given, part.Name):
			if strings.HasSuffix(literal.String(), "$") {
				return "", r.failPart(n, part, "%s cannot follow a $", part.Text)
			}
			out.WriteString(roles.Literal(literal.String()) + part.Text)
			literal.Reset()
		default:
			return "", r.failPart(n, part, "%s is not allowed here; allowed are ${%s}", part.Text, strings.Join(given, "}, ${"))
		}
	}
	return out.String() + roles.Literal(literal.String()), nil
}

func (r *reader) variable(n *node, part roles.Part) (string, error) {
	value, err := lookUp(part, r.env)
	if err != nil {
		return "", r.failPart(n, part, "%s", err)
	}
	if !Usual(part.Name) {
		r.expanded = append(r.expanded, value)
	}
	return value, nil
}

// failPart points at the placeholder itself within the text.
func (r *reader) failPart(n *node, part roles.Part, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	column := n.column
	for line := n.line; line >= 1 && line <= len(r.lines) && line <= n.line+strings.Count(n.text, "\n"); line++ {
		letters := []rune(r.lines[line-1])
		from := min(max(column-1, 0), len(letters))
		if before, _, found := strings.Cut(string(letters[from:]), part.Text); found {
			return r.fail(line, from+len([]rune(before))+1, message)
		}
		column = 1
	}
	return r.fail(n.line, n.column, message)
}
