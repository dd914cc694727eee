package config

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Anchors make a small file stand for a large tree; these bounds end that.
const (
	maxDepth = 64
	maxNodes = 50_000
)

type kind string

const (
	null    kind = "nothing"
	boolean kind = "true or false"
	number  kind = "a number"
	text    kind = "a string"
	list    kind = "a list"
	object  kind = "a map"
)

// node is a YAML value without YAML's own devices: anchors, aliases, merge
// keys and tags are resolved.
type node struct {
	kind         kind
	text         string // a scalar as it was written, a text as it is meant
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
	return source{file: file, data: []byte(content), lines: strings.Split(content, "\n")}
}

func (s source) fail(line, column int, message string) error {
	return &Error{File: s.file, Line: line, Column: column, Message: harmless(message), Excerpt: s.excerpt(line, column)}
}

func (s source) failAt(at *token.Token, message string) error {
	if at == nil || at.Position == nil {
		return &Error{File: s.file, Message: harmless(message)}
	}
	return s.fail(at.Position.Line, max(at.Position.Column, 1), message)
}

// tree parses the file. An empty one is null.
func (s source) tree() (*node, error) {
	file, err := parser.ParseBytes(s.data, 0)
	if err != nil {
		var mistake yaml.Error
		if errors.As(err, &mistake) {
			return nil, s.failAt(mistake.GetToken(), "invalid YAML: "+mistake.GetMessage())
		}
		return nil, s.failAt(nil, "invalid YAML: "+err.Error())
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.DirectiveType {
			continue
		}
		if body != nil {
			return nil, s.failAt(doc.Start, "a second YAML document; a configuration is one document")
		}
		body = doc.Body
	}
	if body == nil {
		return &node{kind: null, line: 1, column: 1}, nil
	}
	b := &builder{source: s, anchors: map[string]*node{}}
	return b.build(body, 0)
}

type builder struct {
	source
	anchors map[string]*node
	nodes   int
}

func (b *builder) build(n ast.Node, depth int) (*node, error) {
	if b.nodes++; depth > maxDepth || b.nodes > maxNodes {
		return nil, b.failAt(n.GetToken(), "too deep or too large for a configuration")
	}
	built := &node{}
	if at := n.GetToken(); at != nil && at.Position != nil {
		built.line, built.column = at.Position.Line, at.Position.Column
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.object(built, n.Values, depth)
	case *ast.MappingValueNode:
		return b.object(built, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		return b.list(built, n, depth)
	case *ast.AnchorNode:
		return b.anchor(n, depth)
	case *ast.AliasNode:
		return b.alias(n)
	case *ast.TagNode:
		return nil, b.failAt(n.GetToken(), "tags such as "+n.GetToken().Value+" are not supported")
	default:
		return built, b.scalar(built, n)
	}
}

func (b *builder) list(built *node, n *ast.SequenceNode, depth int) (*node, error) {
	built.kind = list
	for _, value := range n.Values {
		item, err := b.build(value, depth+1)
		if err != nil {
			return nil, err
		}
		built.items = append(built.items, item)
	}
	return built, nil
}

func (b *builder) object(built *node, values []*ast.MappingValueNode, depth int) (*node, error) {
	built.kind = object
	var merged []member
	for i, value := range values {
		at := value.Key.GetToken()
		if i == 0 && at.Position.Line <= built.line {
			built.line, built.column = at.Position.Line, min(built.column, at.Position.Column)
		}
		inner, err := b.build(value.Value, depth+1)
		if err != nil {
			return nil, err
		}
		if value.Key.IsMergeKey() {
			more, err := b.merge(at, inner)
			if err != nil {
				return nil, err
			}
			merged = append(merged, more...)
			continue
		}
		key, err := b.key(value.Key)
		if err != nil {
			return nil, err
		}
		built.members = append(built.members, member{key: key, value: inner, line: at.Position.Line, column: at.Position.Column})
	}
	for _, m := range merged {
		if built.member(m.key) == nil {
			built.members = append(built.members, m)
		}
	}
	return built, nil
}

func (b *builder) key(key ast.MapKeyNode) (string, error) {
	switch key := key.(type) {
	case *ast.StringNode:
		return key.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return key.GetToken().Value, nil
	default:
		return "", b.failAt(key.GetToken(), "a key must be a plain or quoted string")
	}
}

// merge yields the members that a merge key brings, the first of a name first.
func (b *builder) merge(at *token.Token, inner *node) ([]member, error) {
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

func (b *builder) anchor(n *ast.AnchorNode, depth int) (*node, error) {
	built, err := b.build(n.Value, depth+1)
	if err != nil {
		return nil, err
	}
	b.anchors[n.Name.GetToken().Value] = built
	return built, nil
}

// An alias shares the node of its anchor. An anchor is known only when its
// value is complete, so no value can hold itself.
func (b *builder) alias(n *ast.AliasNode) (*node, error) {
	name := n.Value.GetToken().Value
	built, ok := b.anchors[name]
	if !ok {
		return nil, b.failAt(n.GetToken(), "*"+name+" refers to an anchor that is not defined before it")
	}
	if b.nodes += built.size(); b.nodes > maxNodes {
		return nil, b.failAt(n.GetToken(), "too deep or too large for a configuration")
	}
	return built, nil
}

func (b *builder) scalar(built *node, n ast.Node) error {
	at := n.GetToken()
	built.text = at.Value
	switch n := n.(type) {
	case *ast.NullNode:
		built.kind = null
	case *ast.BoolNode:
		built.kind, built.value = boolean, n.Value
	case *ast.IntegerNode:
		built.kind, built.value = number, n.Value
	case *ast.FloatNode:
		built.kind, built.value = number, n.Value
	case *ast.LiteralNode:
		built.kind, built.text = text, n.Value.Value
	case *ast.StringNode:
		built.kind, built.text = text, n.Value
		// The library takes 1e3 and very large integers for texts; JSON does not.
		if at.Type == token.StringType && isJSONNumber(n.Value) {
			value, err := strconv.ParseFloat(n.Value, 64)
			if err != nil || !strings.ContainsAny(n.Value, ".eE") {
				return b.failAt(at, n.Value+" does not fit in 64 bits; quote it to make it a string")
			}
			built.kind, built.value = number, value
		}
	case *ast.InfinityNode, *ast.NanNode:
		return b.failAt(at, at.Value+" is not a JSON number")
	default:
		return b.failAt(at, "this is not supported here")
	}
	return nil
}

func isJSONNumber(text string) bool {
	return strings.ContainsAny(text[:min(len(text), 1)], "-0123456789") && json.Valid([]byte(text))
}

func (n *node) member(key string) *node {
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
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
