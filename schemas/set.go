package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Set holds the definitions of one document, by name. It is safe for concurrent use.
// Values are trees as encoding/json decodes them into any; numbers are best kept as
// json.Number.
type Set struct {
	document    any
	definitions map[string]func() *jsonschema.Schema
	methods     methods
}

// methods is the part of a document that maps methods to definitions.
type methods struct {
	Results       map[string]string `json:"results"`
	Params        map[string]string `json:"params"`
	Notifications map[string]string `json:"notifications"`
	Requests      map[string]string `json:"requests"`
	ErrorData     map[string]string `json:"errorData"`
}

// Names returns the names of all definitions, sorted.
func (s *Set) Names() []string {
	return slices.Sorted(maps.Keys(s.definitions))
}

// Has says whether the document defines name.
func (s *Set) Has(name string) bool {
	_, found := s.definitions[name]
	return found
}

// ResultOf names the definition of the result member that answers method, in either
// direction. A task-augmented call is first answered by CreateTaskResult instead, which
// the caller knows from its request.
func (s *Set) ResultOf(method string) (string, bool) {
	name, found := s.methods.Results[method]
	return name, found
}

// ParamsOf names the definition of the params member of a request or
// notification. Absent params are judged as an empty object.
func (s *Set) ParamsOf(method string) (string, bool) {
	name, found := s.methods.Params[method]
	return name, found
}

// NotificationOf names the definition of a whole notification message.
func (s *Set) NotificationOf(method string) (string, bool) {
	name, found := s.methods.Notifications[method]
	return name, found
}

// RequestOf names the definition of a whole request message that a server sends.
func (s *Set) RequestOf(method string) (string, bool) {
	name, found := s.methods.Requests[method]
	return name, found
}

// ErrorDataOf names the definition of the data member of an error.
func (s *Set) ErrorDataOf(code int) (string, bool) {
	name, found := s.methods.ErrorData[strconv.Itoa(code)]
	return name, found
}

// Validate returns the faults of value under the definition called name, in the order of
// the value; none means that it fits. Formats are not judged.
func (s *Set) Validate(name string, value any) []Fault {
	return toFaults(s.judge(name, value), func(l leaf) bool { return l.kind != encodingLeaf })
}

// Encodings returns the texts in value that should be base64 by a definition and are
// not. Validate never counts them.
func (s *Set) Encodings(name string, value any) []Fault {
	return toFaults(s.judge(name, value), func(l leaf) bool { return l.kind == encodingLeaf })
}

func (s *Set) judge(name string, value any) []leaf {
	definition, found := s.definitions[name]
	if !found {
		return []leaf{{want: "a definition called " + name, got: "none in this document", kind: otherLeaf}}
	}
	calculable, _ := bounded(value)
	return leavesOf(definition().Validate(calculable), value, s.document)
}

// compileSet compiles each definition on first use: no server needs all of them. A test
// compiles all.
func compileSet(file string) (*Set, error) {
	raw, err := documents.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", file, err)
	}
	var outline struct {
		ID      string                     `json:"$id"`
		Defs    map[string]json.RawMessage `json:"$defs"`
		Methods methods                    `json:"x-mcp-methods"`
	}
	if err := json.Unmarshal(raw, &outline); err != nil {
		return nil, fmt.Errorf("parse %s: %w", file, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refuseAll{})
	compiler.AssertContent()
	if err := compiler.AddResource(outline.ID, document); err != nil {
		return nil, fmt.Errorf("add %s: %w", file, err)
	}
	set := &Set{document: document, definitions: map[string]func() *jsonschema.Schema{}, methods: outline.Methods}
	var compiling sync.Mutex
	for name := range outline.Defs {
		set.definitions[name] = sync.OnceValue(func() *jsonschema.Schema {
			compiling.Lock()
			defer compiling.Unlock()
			return compiler.MustCompile(outline.ID + "#/$defs/" + name)
		})
	}
	return set, nil
}

// refuseAll is the loader of every compiler here: the loader of the library would read
// any file that a published schema names.
type refuseAll struct{}

func (refuseAll) Load(string) (any, error) {
	return nil, errors.New("references outside the document are not followed")
}
