package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

func readRoles(r *reader, n *node, path string, c *Config) error {
	for _, m := range n.members {
		if m.key == string(roles.Principals) {
			return r.fail(m.line, m.column, "principals belong at the top level, not below roles")
		}
	}
	known := keys{}
	for _, spec := range r.known.Roles {
		if spec.Name != roles.Principals {
			known[string(spec.Name)] = func(r *reader, n *node, path string) error { return readRole(r, n, path, spec, c) }
		}
	}
	return r.object(n, path, known)
}

func readRole(r *reader, n *node, path string, spec roles.Spec, c *Config) error {
	if isNone(n) {
		r.none = append(r.none, None{path, n.line})
		return nil
	}
	if spec.Name == roles.Failure && n.kind == object {
		n = flattened(n)
	}
	fields, err := readFields(r, n, path, roles.Field{Kind: roles.KindObject, Fields: spec.Fields}, nil)
	if err != nil {
		return err
	}
	filled := roles.Filled{Name: spec.Name, Source: roles.Config, Fields: fields}
	c.Roles = roles.NewSet(r.known.Roles, filled).Over(c.Roles)
	return nil
}

// flattened turns failure: {tool: {tool: NAME, arguments: {}}}, written like
// the role's other calls, into the form of all other roles with a tool.
func flattened(n *node) *node {
	flat := *n
	flat.members = nil
	for _, m := range n.members {
		if m.key == "tool" && m.value.kind == object {
			flat.members = append(flat.members, m.value.members...)
		} else {
			flat.members = append(flat.members, m)
		}
	}
	return &flat
}

// readFields reads an object of a role. Given are the placeholders that the kit
// fills in below it.
func readFields(r *reader, n *node, path string, outer roles.Field, given []string) (roles.Fields, error) {
	values := roles.Fields{}
	known := keys{}
	var arguments *node
	for _, field := range outer.Members() {
		known[field.Name] = func(r *reader, n *node, path string) error {
			if isNone(n) && mayBeNone(field) {
				r.none = append(r.none, None{path, n.line})
				return nil
			}
			if field.Name == "arguments" {
				arguments = n
			}
			value, err := readField(r, n, path, field, append(given[:len(given):len(given)], field.Given...))
			if err == nil {
				values[field.Name] = value
			}
			return err
		}
	}
	if err := r.object(n, path, known); err != nil {
		return nil, err
	}
	r.give(path, values, arguments)
	return values, missing(r, n, path, outer, values)
}

// missing finds required members that an object lacks. A role may lack its own
// call altogether, since another source may fill it, but not half of it.
func missing(r *reader, n *node, path string, outer roles.Field, values roles.Fields) error {
	isRole := outer.Name == ""
	begun := slices.ContainsFunc(outer.Members(), func(f roles.Field) bool { return f.Required && values[f.Name] != nil })
	for _, field := range outer.Members() {
		_, there := values[field.Name]
		switch {
		case there && field.Of != "" && values[field.Of] == nil && (!isRole || field.Name == "arguments"):
			return r.failNode(n, "%s: %s needs %s beside it", path, field.Name, field.Of)
		case !there && field.Required && (!isRole || begun):
			return r.failNode(n, "%s: %s is missing", path, field.Name)
		}
	}
	choices := outer.Choices()
	if len(choices) == 0 {
		return nil
	}
	chosen := 0
	for _, choice := range choices {
		if _, there := values[choice]; there {
			chosen++
		}
	}
	if chosen != 1 {
		return r.failNode(n, "%s: want exactly one of %s", path, strings.Join(choices, " and "))
	}
	return nil
}

func readField(r *reader, n *node, path string, field roles.Field, given []string) (any, error) {
	switch field.Kind {
	case roles.KindTool, roles.KindPrompt, roles.KindResource:
		value, err := readText(r, n, path)
		r.mentions = append(r.mentions, Mention{Kind: field.Kind, Name: value, Key: path, line: n.line, column: n.column})
		return value, err
	case roles.KindText:
		if len(field.Values) > 0 {
			return oneOf(field.Values...)(r, n, path)
		}
		return readText(r, n, path)
	case roles.KindTemplate:
		if n.kind != text {
			return nil, r.want(n, path, "a string")
		}
		return r.expandTemplate(n, n.text, given)
	case roles.KindFile:
		return readPath(r, n, path)
	case roles.KindPointer:
		return readPointer(r, n, path)
	case roles.KindTexts:
		return readTexts(r, n, path)
	case roles.KindArgv:
		argv, err := readCommand(r, n, path, func(n *node, word string) (string, error) { return r.expandTemplate(n, word, given) })
		if err != nil {
			return nil, err
		}
		return argv, r.program(n, path, argv)
	case roles.KindFlag:
		return readFlag(r, n, path)
	case roles.KindNumber:
		return readCount(r, n, path)
	case roles.KindDuration:
		return readDuration(r, n, path)
	case roles.KindMap:
		return readWordMap(r, n, path)
	case roles.KindHeaders:
		return readHeaders(r, n, path)
	case roles.KindVariables:
		return readVariables(r, n, path)
	case roles.KindToken:
		return readToken(r, n, path)
	case roles.KindArguments:
		if n.kind != object {
			return nil, r.want(n, path, "a map")
		}
		return readJSON(r, n, given)
	case roles.KindAny:
		return readJSON(r, n, given)
	case roles.KindSteps:
		return readSteps(r, n, path, field, given)
	case roles.KindFlagCall:
		if n.kind != object {
			return readFlag(r, n, path)
		}
		return readFields(r, n, path, field, given)
	case roles.KindCall, roles.KindAction, roles.KindObserve, roles.KindObject, roles.KindPart:
		if n.kind != object {
			return nil, r.want(n, path, "a map such as "+field.Shape())
		}
		return readFields(r, n, path, field, given)
	default:
		return nil, r.failNode(n, "%s: the role declares a field of unknown kind %q", path, field.Kind)
	}
}

func readSteps(r *reader, n *node, path string, field roles.Field, given []string) ([]roles.Fields, error) {
	if n.kind != list {
		return nil, r.want(n, path, "a list of calls")
	}
	if len(n.items) < field.Least {
		return nil, r.failNode(n, "%s: want at least %d, got %d", path, field.Least, len(n.items))
	}
	var steps []roles.Fields
	for i, item := range n.items {
		step, err := readFields(r, item, fmt.Sprintf("%s[%d]", path, i), field, given)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func readPointer(r *reader, n *node, path string) (string, error) {
	value, err := readText(r, n, path)
	if err == nil && value != "" && !strings.HasPrefix(value, "/") {
		err = r.failNode(n, "%s: want a JSON pointer such as /structuredContent/total, got %q", path, n.text)
	}
	return value, err
}

// readJSON reads a value for the wire.
func readJSON(r *reader, n *node, given []string) (any, error) {
	switch n.kind {
	case text:
		return r.expandTemplate(n, n.text, given)
	case list:
		values := make([]any, len(n.items))
		for i, item := range n.items {
			value, err := readJSON(r, item, given)
			if err != nil {
				return nil, err
			}
			values[i] = value
		}
		return values, nil
	case object:
		values := make(map[string]any, len(n.members))
		for _, m := range n.members {
			value, err := readJSON(r, m.value, given)
			if err != nil {
				return nil, err
			}
			values[m.key] = value
		}
		return values, nil
	default:
		return n.value, nil // null has no text
	}
}
