package guide

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A Document is a guide in Markdown: what stands between the lines --- at its beginning,
// and the rest.
type Document struct {
	Front map[string]any // the values of the front matter; numbers are json.Number
	Text  string         // the rest
	Body  Body
}

// Errors of Read that say where the front matter is missing.
var (
	errNoStart = errors.New("the first line is not ---")
	errNoEnd   = errors.New("no line --- ends the front matter")
)

// Read takes a guide apart. The body is there also where the front matter is not.
func Read(text string) (Document, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return Document{Text: text, Body: readBody(text)}, errNoStart
	}
	var matter strings.Builder
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\n") == "---" {
			body := strings.TrimPrefix(rest[matter.Len():], line)
			front, err := parse(matter.String())
			return Document{Front: front, Text: body, Body: readBody(body)}, err
		}
		matter.WriteString(line)
	}
	return Document{Text: text, Body: readBody(text)}, errNoEnd
}

// The most that is read of a front matter.
const (
	mostBytes = 64 << 10
	mostNodes = 4096
)

// parse reads YAML as the values of JSON: a text that is not quoted and looks like a date
// or a version stays a string.
func parse(text string) (map[string]any, error) {
	if len(text) > mostBytes {
		return nil, fmt.Errorf("the front matter has %d bytes, and no more than %d are read", len(text), mostBytes)
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, fmt.Errorf("the front matter cannot be read as YAML: %s", strings.TrimSpace(err.Error()))
	}
	room := mostNodes
	value, err := valueOf(&root, &room)
	if err != nil {
		return nil, err
	}
	front, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the front matter has no keys with values")
	}
	return front, nil
}

func valueOf(n *yaml.Node, room *int) (any, error) {
	if *room--; *room < 0 {
		return nil, errors.New("the front matter has too many values")
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 1 {
			return valueOf(n.Content[0], room)
		}
	case yaml.AliasNode:
		return valueOf(n.Alias, room)
	case yaml.MappingNode:
		o := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := valueOf(n.Content[i+1], room)
			if err != nil {
				return nil, err
			}
			o[n.Content[i].Value] = value
		}
		return o, nil
	case yaml.SequenceNode:
		all := make([]any, 0, len(n.Content))
		for _, one := range n.Content {
			value, err := valueOf(one, room)
			if err != nil {
				return nil, err
			}
			all = append(all, value)
		}
		return all, nil
	case yaml.ScalarNode:
		return scalar(n), nil
	case yaml.StreamNode: // the parser makes none
	}
	return nil, nil
}

func scalar(n *yaml.Node) any {
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		if n.Value == "true" || n.Value == "false" {
			return n.Value == "true"
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}
