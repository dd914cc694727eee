package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

func (r *reader) roles(n *node, path string, c *Config) error {
	for _, m := range n.members {
		if m.key == string(roles.Principals) {
			return r.fail(m.line, m.column, "principals belong at the top level, not below roles")
		}
	}
	known := keys{}
	for _, spec := range r.known.Roles {
		if spec.Name != roles.Principals {
			known[string(spec.Name)] = func(n *node, path string) error { return r.role(n, path, spec, c) }
		}
	}
	return r.object(n, path, known)
}

func (r *reader) role(n *node, path string, spec roles.Spec, c *Config) error {
	if spec.Name == roles.Failure && n.kind == object {
		n = flattened(n)
	}
	fields, err := r.fields(n, path, roles.Field{Kind: roles.KindObject, Fields: spec.Fields}, nil)
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

// fields reads an object of a role. Given are the placeholders that the kit
// fills in below it.
func (r *reader) fields(n *node, path string, outer roles.Field, given []string) (roles.Fields, error) {
	values := roles.Fields{}
	known := keys{}
	var arguments *node
	for _, field := range outer.Members() {
		known[field.Name] = func(n *node, path string) error {
			if field.Name == "arguments" {
				arguments = n
			}
			value, err := r.field(n, path, field, append(given[:len(given):len(given)], field.Given...))
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
	return values, r.missing(n, path, outer, values)
}

// missing finds required members that an object lacks. A role may lack its own
// call altogether, since another source may fill it, but not half of it.
func (r *reader) missing(n *node, path string, outer roles.Field, values roles.Fields) error {
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

func (r *reader) field(n *node, path string, field roles.Field, given []string) (any, error) {
	switch field.Kind {
	case roles.KindTool, roles.KindPrompt, roles.KindResource:
		value, err := r.plain(n, path)
		r.mentions = append(r.mentions, Mention{Kind: field.Kind, Name: value, Key: path, line: n.line, column: n.column})
		return value, err
	case roles.KindText:
		if len(field.Values) > 0 {
			return r.oneOf(field.Values...)(n, path)
		}
		return r.plain(n, path)
	case roles.KindTemplate:
		if n.kind != text {
			return nil, r.want(n, path, "a string")
		}
		return r.expandTemplate(n, n.text, given)
	case roles.KindFile:
		return r.path(n, path)
	case roles.KindPointer:
		return r.pointer(n, path)
	case roles.KindTexts:
		return r.texts(n, path)
	case roles.KindArgv:
		return r.command(n, path, func(n *node, word string) (string, error) { return r.expandTemplate(n, word, given) })
	case roles.KindFlag:
		return r.flag(n, path)
	case roles.KindNumber:
		return r.count(n, path)
	case roles.KindDuration:
		return r.duration(n, path)
	case roles.KindMap:
		return r.wordMap(n, path)
	case roles.KindHeaders:
		return r.headers(n, path)
	case roles.KindVariables:
		return r.variables(n, path)
	case roles.KindToken:
		return r.token(n, path)
	case roles.KindArguments:
		if n.kind != object {
			return nil, r.want(n, path, "a map")
		}
		return r.json(n, given)
	case roles.KindAny:
		return r.json(n, given)
	case roles.KindSteps:
		return r.steps(n, path, field, given)
	case roles.KindFlagCall:
		if n.kind != object {
			return r.flag(n, path)
		}
		return r.fields(n, path, field, given)
	case roles.KindCall, roles.KindAction, roles.KindObserve, roles.KindObject, roles.KindPart:
		return r.fields(n, path, field, given)
	default:
		return nil, r.failNode(n, "%s: the role declares a field of unknown kind %q", path, field.Kind)
	}
}

func (r *reader) steps(n *node, path string, field roles.Field, given []string) ([]roles.Fields, error) {
	if n.kind != list {
		return nil, r.want(n, path, "a list of calls")
	}
	if len(n.items) < field.Least {
		return nil, r.failNode(n, "%s: want at least %d, got %d", path, field.Least, len(n.items))
	}
	var steps []roles.Fields
	for i, item := range n.items {
		step, err := r.fields(item, fmt.Sprintf("%s[%d]", path, i), field, given)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func (r *reader) pointer(n *node, path string) (string, error) {
	value, err := r.plain(n, path)
	if err == nil && value != "" && !strings.HasPrefix(value, "/") {
		err = r.failNode(n, "%s: want a JSON pointer such as /structuredContent/total, got %q", path, n.text)
	}
	return value, err
}

// json reads a value for the wire.
func (r *reader) json(n *node, given []string) (any, error) {
	switch n.kind {
	case text:
		return r.expandTemplate(n, n.text, given)
	case list:
		values := make([]any, len(n.items))
		for i, item := range n.items {
			value, err := r.json(item, given)
			if err != nil {
				return nil, err
			}
			values[i] = value
		}
		return values, nil
	case object:
		values := make(map[string]any, len(n.members))
		for _, m := range n.members {
			value, err := r.json(m.value, given)
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
