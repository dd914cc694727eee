package schemas

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A Schema is the compiled form of a schema that a server published. It is safe for
// concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	document any

	mu       sync.Mutex // patterns note their doubts for one validation at a time
	patterns *patterns
}

// A published schema gets an address of its own, so that its relative
// references do not resolve to our documents.
const publishedAt = "https://mcp-conform.example/published/schema.json"

// Compile prepares a schema that comes from a server: a tree as encoding/json decodes
// it, read as 2020-12 unless it names another dialect. It follows no reference out of
// the document and bounds its own work. The error is one of *Invalid, *TooComplex,
// *UnknownDialect and *Unresolved; only an *Invalid is a fault of the server.
func Compile(schema any) (compiled *Schema, err error) {
	seen, err := measure(schema)
	if err != nil {
		return nil, err
	}
	// The library checks much, but trusts some properties that a hostile document can
	// break. A schema that makes it panic is not judged.
	defer func() {
		if broken := recover(); broken != nil {
			compiled, err = nil, &TooComplex{What: fmt.Sprintf("the compiler gave up: %v", broken)}
		}
	}()
	if _, changed := bounded(schema); changed {
		return nil, &TooComplex{What: "a number with hundreds of digits"}
	}
	engine := &patterns{known: map[string]*pattern{}}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refuseAll{})
	compiler.UseRegexpEngine(engine.compile)
	for _, name := range assertedFormats() {
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err := compiler.AddResource(publishedAt, schema); err != nil {
		return nil, fmt.Errorf("add published schema: %w", err)
	}
	root, err := compiler.Compile(publishedAt)
	if err != nil {
		return nil, seen.explain(err, schema)
	}
	if err := checkExpansion(root); err != nil {
		return nil, err
	}
	return &Schema{compiled: root, document: schema, patterns: engine}, nil
}

// assertedFormats names the formats that the library judges up to draft-07, although
// they are only advice there too.
func assertedFormats() []string {
	return []string{
		"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email",
		"date", "time", "date-time", "uri", "iri", "uri-reference", "uri-template", "iri-reference", "semver",
	}
}

// Validate returns the faults of value. When undecided is true the validation did not
// finish, because of an unreadable pattern, a slow pattern, or too much work; then
// nobody can claim a fit or a fault, and no faults are returned.
func (s *Schema) Validate(value any) (faults []Fault, undecided bool) {
	calculable, changed := bounded(value)
	if changed || tooMuchWork(s.compiled, calculable) {
		return nil, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if broken := recover(); broken != nil {
			faults, undecided = nil, true // as in Compile: a value that makes the library panic is not judged
		}
	}()
	leaves, doubtful := s.try(value, true)
	if doubtful && len(leaves) > 0 {
		// A fault counts if it stays for both answers of the doubtful patterns.
		otherwise, _ := s.try(value, false)
		leaves = intersect(leaves, otherwise)
	}
	if len(leaves) == 0 {
		return nil, doubtful
	}
	return toFaults(leaves, func(leaf) bool { return true }), false
}

// try validates once; every undecided pattern answers with matches. Doubtful tells
// whether there was an undecided pattern.
func (s *Schema) try(value any, matches bool) (leaves []leaf, doubtful bool) {
	s.patterns.begin(matches)
	err := s.compiled.Validate(value)
	var failure *jsonschema.ValidationError
	if errors.As(err, &failure) && cyclic(failure) {
		return nil, true
	}
	return leavesOf(err, value, s.document), s.patterns.doubtful
}

// cyclic tells whether a dynamic reference came back to its start, which only a
// validation can find out.
func cyclic(e *jsonschema.ValidationError) bool {
	if _, found := e.ErrorKind.(*kind.RefCycle); found {
		return true
	}
	return slices.ContainsFunc(e.Causes, cyclic)
}

// intersect keeps the leaves of a that b has too.
func intersect(a, b []leaf) []leaf {
	key := func(l leaf) string { return pointer(l.at) + "\x00" + l.want }
	inB := map[string]bool{}
	for _, l := range b {
		inB[key(l)] = true
	}
	return slices.DeleteFunc(a, func(l leaf) bool { return !inB[key(l)] })
}

// explain turns an error of the library about a schema into one of our errors.
func (m *measured) explain(err error, schema any) error {
	var invalid *jsonschema.SchemaValidationError
	var load *jsonschema.LoadURLError
	var named *jsonschema.InvalidMetaSchemaURLError
	var own *jsonschema.UnsupportedDraftError
	switch {
	case errors.As(err, &invalid):
		_, fragment, _ := strings.Cut(invalid.URL, "#")
		base := fragmentTokens(fragment)
		part, _ := lookup(schema, base)
		leaves := leavesOf(invalid.Err, part, nil)
		for i := range leaves {
			leaves[i].at = append(base[:len(base):len(base)], leaves[i].at...)
		}
		return &Invalid{Faults: toFaults(leaves, func(leaf) bool { return true })}
	case errors.As(err, &load) && m.dialects[strings.TrimSuffix(load.URL, "#")]:
		return &UnknownDialect{Dialect: load.URL}
	case errors.As(err, &named), errors.As(err, &own):
		return &UnknownDialect{Dialect: m.dialect(schema)}
	case errors.As(err, &load):
		return &Unresolved{Reference: strings.TrimPrefix(load.URL, directoryOf(publishedAt))}
	}
	return m.explainReference(err)
}

// dialect is the dialect that the root of the schema names, for messages.
func (m *measured) dialect(schema any) string {
	named, _ := lookup(schema, []string{"$schema"})
	text, _ := named.(string)
	return clip(text)
}

// explainReference explains faults that the metaschema cannot see: a reference to a
// place outside of the document, two subschemas of one name.
func (m *measured) explainReference(err error) error {
	text := strings.ReplaceAll(err.Error(), publishedAt, "")
	fault := Fault{Want: "a schema with sound names and references", Got: clip(text)}
	longest := 0
	for _, r := range m.references {
		if target := strings.TrimPrefix(r.text, "#"); len(target) > longest && strings.Contains(text, target) {
			longest = len(target)
			fault = Fault{Pointer: pointer(r.at), Want: "a reference that leads somewhere", Got: excerpt(r.text)}
		}
	}
	return &Invalid{Faults: []Fault{fault}}
}

func directoryOf(address string) string {
	return address[:strings.LastIndexByte(address, '/')+1]
}
