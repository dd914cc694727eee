package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// The parser takes far more memory for brackets than the file, and anchors let
// a small file stand for a large tree; these limits stop both.
const (
	maxDepth = 64
	maxNodes = 50_000
	maxMarks = 64 << 10 // brackets, commas, colons and the like, and lines
)

const tooLarge = "too deep or too large for a configuration"

type kind string

const (
	null    kind = "nothing"
	boolean kind = "true or false"
	number  kind = "a number"
	text    kind = "a string"
	list    kind = "a list"
	object  kind = "a map"
)

// node is a YAML value with anchors, aliases, merge keys and tags resolved.
type node struct {
	kind         kind
	text         string // a scalar as written, a string as meant
	value        any    // bool, int64, uint64 or float64
	items        []*node
	members      []member
	line, column int
}

type member struct {
	key          string
	value        *node
	line, column int
}

// source is the text of a file, kept for excerpts.
type source struct {
	file  string
	data  []byte
	lines []string
}

func newSource(file string, data []byte) source {
	content := strings.TrimPrefix(string(data), "\uFEFF")
	content = strings.ReplaceAll(content, "\r\n", "\n")
	s := source{file: file, data: []byte(content), lines: strings.Split(content, "\n")}
	if strings.HasPrefix(content, "%YAML 1.") {
		s.data[0] = '#' // the parser knows one version only, and the others do not matter here
	}
	return s
}

func (s source) fail(line, column int, message string) error { return s.mistake(line, column, message) }

func (s source) mistake(line, column int, message string) *Error {
	return &Error{File: s.file, Line: line, Column: column, Message: harmless(message), Excerpt: s.excerpt(line, column)}
}

func (s source) failAt(n *yaml.Node, message string) error { return s.fail(n.Line, n.Column, message) }

// tree parses the file. An empty file is null.
func (s source) tree() (*node, error) {
	if err := s.checkParsable(); err != nil {
		return nil, err
	}
	tooDeep := false
	bound := loaderlimits.DepthFunc(func(depth int, _ *yaml.DepthContext) error {
		if tooDeep = depth > maxDepth; tooDeep {
			return errors.New(tooLarge)
		}
		return nil
	})
	loader, err := yaml.NewLoader(bytes.NewReader(s.data), yaml.WithPlugin(loaderlimits.New(bound)))
	if err != nil {
		return nil, s.fail(0, 0, "invalid YAML: "+err.Error())
	}
	var body *yaml.Node
	for {
		var doc yaml.Node
		switch err := loader.Load(&doc); {
		case errors.Is(err, io.EOF):
			if body == nil {
				return &node{kind: null, line: 1, column: 1}, nil
			}
			b := &builder{source: s, built: map[*yaml.Node]*node{}}
			return b.build(body, 0)
		case err != nil:
			return nil, s.invalid(err, tooDeep)
		case len(doc.Content) == 0 || isEmpty(doc.Content[0]):
		case body != nil:
			return nil, s.failAt(&doc, "a second YAML document; a configuration is one document")
		default:
			body = doc.Content[0]
		}
	}
}

// checkParsable finds mistakes that the parser would report without a place, and text
// that would cost the parser too much.
func (s source) checkParsable() error {
	marks := 0
	for number, line := range s.lines {
		marks++
		for i, r := range line {
			switch {
			case r == utf8.RuneError && strings.HasPrefix(line[i:], "\xef\xbf\xbd"):
			case r == utf8.RuneError:
				return s.fail(number+1, utf8.RuneCountInString(line[:i])+1, "this is not UTF-8")
			case unicode.IsControl(r) && r != '\t' && r != '\r' && r != '\u0085':
				return s.fail(number+1, utf8.RuneCountInString(line[:i])+1, fmt.Sprintf("the control character %U is not allowed in YAML", r))
			case strings.ContainsRune("[]{},:-?&*!", r):
				marks++
			}
		}
		if marks > maxMarks {
			return s.fail(number+1, 1, tooLarge)
		}
	}
	return nil
}

// invalid turns an error of the parser into a mistake at its place.
func (s source) invalid(err error, tooDeep bool) error {
	var found *yaml.LoadError
	if !errors.As(err, &found) {
		return s.fail(0, 0, "invalid YAML: "+err.Error())
	}
	at, message := found.Mark, found.Message
	switch {
	case tooDeep:
		return s.fail(at.Line, at.Column, tooLarge)
	case strings.HasPrefix(found.ContextMsg, "while scanning a quoted scalar") && strings.Contains(message, "end of stream"):
		// The end of the file would not help to find the quote.
		at, message = found.ContextMark, "this quote is not closed"
	case strings.Contains(message, "cannot start any token") && s.indentedByTab(at.Line):
		message = "a tab indents this line; YAML wants spaces"
	case strings.Contains(message, "did not find expected key"):
		message = "a key is expected here; is it indented like those around it?"
	case found.ContextMsg != "":
		message += " " + found.ContextMsg
	}
	if last := len(s.lines); at.Line > last && last > 0 { // the file ends too early, and has no such line
		at.Line, at.Column = last, utf8.RuneCountInString(s.lines[last-1])+1
	}
	return s.fail(at.Line, at.Column, "invalid YAML: "+message)
}

func (s source) indentedByTab(line int) bool {
	return line >= 1 && line <= len(s.lines) && strings.HasPrefix(strings.TrimLeft(s.lines[line-1], " "), "\t")
}

// isEmpty reports whether a value is missing altogether.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == "" && n.ShortTag() == "!!null"
}

type builder struct {
	source
	built map[*yaml.Node]*node // the values of anchors
	nodes int
}

func (b *builder) build(n *yaml.Node, depth int) (*node, error) {
	if b.nodes++; depth > maxDepth || b.nodes > maxNodes {
		return nil, b.failAt(n, tooLarge)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return nil, b.failAt(n, "tags such as "+n.ShortTag()+" are not supported")
	}
	built := &node{line: n.Line, column: n.Column}
	var err error
	switch n.Kind {
	case yaml.MappingNode:
		err = b.object(built, n, depth)
	case yaml.SequenceNode:
		err = b.list(built, n, depth)
	case yaml.AliasNode:
		return b.alias(n)
	case yaml.ScalarNode:
		err = b.scalar(built, n)
	default:
		err = b.failAt(n, "this is not supported here")
	}
	if n.Anchor != "" && err == nil {
		b.built[n] = built
	}
	return built, err
}

func (b *builder) list(built *node, n *yaml.Node, depth int) error {
	built.kind = list
	for _, value := range n.Content {
		item, err := b.build(value, depth+1)
		if err != nil {
			return err
		}
		built.items = append(built.items, item)
	}
	return nil
}

func (b *builder) object(built *node, n *yaml.Node, depth int) error {
	built.kind = object
	lines := map[string]int{}
	var merged []member
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := n.Content[i]
		inner, err := b.build(n.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if at.ShortTag() == "!!merge" {
			more, err := b.merge(at, inner)
			if err != nil {
				return err
			}
			merged = append(merged, more...)
			continue
		}
		if at.Kind != yaml.ScalarNode || at.Style&yaml.TaggedStyle != 0 {
			return b.failAt(at, "a key must be a plain or quoted string")
		}
		if line, twice := lines[at.Value]; twice {
			return b.failAt(at, fmt.Sprintf("the key %q stands here twice, first in line %d", at.Value, line))
		}
		lines[at.Value] = at.Line
		built.members = append(built.members, member{key: at.Value, value: inner, line: at.Line, column: at.Column})
	}
	for _, m := range merged {
		if _, own := lines[m.key]; !own {
			lines[m.key] = m.line
			built.members = append(built.members, m)
		}
	}
	return nil
}

// merge returns the members that a merge key adds; the first of a name comes first.
func (b *builder) merge(at *yaml.Node, inner *node) ([]member, error) {
	switch inner.kind {
	case object:
		return inner.members, nil
	case list:
		var all []member
		for _, item := range inner.items {
			if item.kind != object {
				return nil, b.failAt(at, "<< takes a map, or a list of maps")
			}
			all = append(all, item.members...)
		}
		return all, nil
	default:
		return nil, b.failAt(at, "<< takes a map, or a list of maps")
	}
}

// alias returns the node of its anchor, which is known only when its value is
// complete: so no value can hold itself.
func (b *builder) alias(n *yaml.Node) (*node, error) {
	built, ok := b.built[n.Alias]
	if !ok {
		return nil, b.failAt(n, "*"+n.Value+" refers to an anchor that is not complete before it")
	}
	if b.nodes += built.size(); b.nodes > maxNodes {
		return nil, b.failAt(n, tooLarge)
	}
	return built, nil
}

func (b *builder) scalar(built *node, n *yaml.Node) error {
	built.text = n.Value
	switch n.ShortTag() {
	case "!!null":
		built.kind = null
	case "!!bool":
		built.kind = boolean
	case "!!int":
		built.kind = number
	case "!!float":
		built.kind = number
		switch digits := strings.Trim(n.Value, "+-0123456789_") == ""; {
		case strings.ContainsAny(n.Value, "nN"): // .inf and .nan
			return b.failAt(n, n.Value+" is not a JSON number")
		case digits && len(n.Value) > len("08"):
			return b.failAt(n, n.Value+" does not fit in 64 bits; quote it to make it a string")
		}
	default: // including a date
		built.kind = text
		return nil
	}
	if err := n.Decode(&built.value); err != nil {
		return b.failAt(n, "this is not supported here")
	}
	switch v := built.value.(type) {
	case int:
		built.value = whole(int64(v))
	case int64:
		built.value = whole(v)
	case float64:
		if math.IsInf(v, 0) {
			return b.failAt(n, n.Value+" does not fit in 64 bits; quote it to make it a string")
		}
	}
	return nil
}

// whole gives a whole number the type that its sign decides.
func whole(v int64) any {
	if v < 0 {
		return v
	}
	return uint64(v)
}

func (n *node) size() int {
	total := 1
	for _, item := range n.items {
		total += item.size()
	}
	for _, m := range n.members {
		total += m.value.size()
	}
	return total
}
