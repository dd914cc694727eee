package schemas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits of a published schema. Nothing can cancel the compiler: a nesting of 3000 keeps
// the library busy for more than a minute.
const (
	depthLimit     = 64
	nodeLimit      = 10_000
	byteLimit      = 256 << 10
	referenceLimit = 1_000
	dynamicLimit   = 8 // only a validation knows the targets of these
)

// measured holds the results of one walk over a published schema.
type measured struct {
	nodes, bytes int
	dialects     map[string]bool // values of $schema, without an empty fragment
	references   []reference
	dynamic      int
}

type reference struct {
	at   []string
	text string
}

func measure(schema any) (*measured, error) {
	m := &measured{dialects: map[string]bool{}}
	if err := m.walk(schema, nil); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *measured) walk(node any, at []string) error {
	m.nodes++
	m.bytes += 2
	switch v := node.(type) {
	case string:
		m.bytes += len(v)
	case json.Number:
		m.bytes += len(v)
	}
	switch {
	case len(at) > depthLimit:
		return &TooComplex{What: fmt.Sprintf("nested deeper than %d levels", depthLimit)}
	case m.nodes > nodeLimit:
		return &TooComplex{What: fmt.Sprintf("more than %d values", nodeLimit)}
	case m.bytes > byteLimit:
		return &TooComplex{What: fmt.Sprintf("larger than %d bytes", byteLimit)}
	}
	switch v := node.(type) {
	case map[string]any:
		return m.walkObject(v, at)
	case []any:
		for i, item := range v {
			if err := m.walk(item, below(at, strconv.Itoa(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *measured) walkObject(object map[string]any, at []string) error {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		m.bytes += len(name) + 4
		here := below(at, name)
		if text, ok := object[name].(string); ok {
			m.note(name, text, here)
		}
		switch {
		case len(m.references) > referenceLimit:
			return &TooComplex{What: fmt.Sprintf("more than %d references", referenceLimit)}
		case m.dynamic > dynamicLimit:
			return &TooComplex{What: fmt.Sprintf("more than %d dynamic references", dynamicLimit)}
		}
		if err := m.walk(object[name], here); err != nil {
			return err
		}
	}
	return nil
}

func (m *measured) note(name, text string, at []string) {
	switch name {
	case "$schema":
		m.dialects[strings.TrimSuffix(text, "#")] = true
	case "$dynamicRef", "$recursiveRef":
		m.dynamic++
		m.references = append(m.references, reference{at, text})
	case "$ref":
		m.references = append(m.references, reference{at, text})
	}
}
