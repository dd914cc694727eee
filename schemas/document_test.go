package schemas_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-conform/mcp-conform/schemas"
)

func ownDocuments(t *testing.T) map[string]map[string]any {
	t.Helper()
	files, err := filepath.Glob("*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 7 {
		t.Fatalf("%d documents, want the five revisions and the extensions", len(files))
	}
	documents := map[string]map[string]any{}
	for _, file := range files {
		if filepath.Dir(file) == "report" { // of files that the kit writes, not of messages
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := json.Unmarshal(raw, &document); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		documents[filepath.ToSlash(file)] = document
	}
	return documents
}

func TestDocumentsFitTheirDialect(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	dialect, err := compiler.Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	for file, document := range ownDocuments(t) {
		if err := dialect.Validate(document); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if got, want := document["$schema"], "https://json-schema.org/draft/2020-12/schema"; got != want {
			t.Errorf("%s: $schema is %v, want %s", file, got, want)
		}
		if got, want := document["$id"], "https://mcp-conform.example/schemas/"+file; got != want {
			t.Errorf("%s: $id is %v, want %s", file, got, want)
		}
	}
}

// A definition is compiled on first use, and panics if it cannot be compiled.
func TestDefinitionsCompile(t *testing.T) {
	t.Parallel()
	for file := range ownDocuments(t) {
		kind, name, _ := strings.Cut(strings.TrimSuffix(file, ".json"), "/")
		open := schemas.Load().Core
		if kind == "extensions" {
			open = schemas.Load().Extension
		}
		set, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, definition := range set.Names() {
			set.Validate(definition, nil)
		}
	}
}

// The dialect takes a misspelt keyword for an extension. And a keyword that closes an
// object has no place here: undefined members are lawful.
func TestDocumentsUseKnownKeywords(t *testing.T) {
	t.Parallel()
	for file, document := range ownDocuments(t) {
		definitions, _ := document["$defs"].(map[string]any)
		for name, definition := range definitions {
			checkKeywords(t, file+"#/$defs/"+name, definition)
		}
	}
}

func checkKeywords(t *testing.T, at string, node any) {
	t.Helper()
	schema, isObject := node.(map[string]any)
	if !isObject {
		if _, isBool := node.(bool); !isBool {
			t.Errorf("%s: %v is no schema", at, node)
		}
		return
	}
	plain := []string{
		"$ref", "$comment", "type", "const", "enum", "required", "dependentRequired", "minimum", "maximum",
		"minLength", "minItems", "maxItems", "pattern", "format", "contentEncoding",
	}
	for keyword, value := range schema {
		here := at + "/" + keyword
		switch keyword {
		case "properties":
			members, _ := value.(map[string]any)
			for name, member := range members {
				checkKeywords(t, here+"/"+name, member)
			}
		case "allOf", "anyOf":
			parts, _ := value.([]any)
			for i, part := range parts {
				checkKeywords(t, fmt.Sprint(here, "/", i), part)
			}
		case "items", "if", "then", "else":
			checkKeywords(t, here, value)
		case "additionalProperties":
			if value == false {
				t.Errorf("%s closes an object", here)
			}
			checkKeywords(t, here, value)
		default:
			if !slices.Contains(plain, keyword) {
				t.Errorf("%s: unknown keyword", here)
			}
		}
	}
}

// A definition without a reference or a method is dead.
func TestDefinitionsAreOfUse(t *testing.T) {
	t.Parallel()
	// The caller chooses these: the envelope, and definitions that the table of a method
	// cannot name.
	chosen := []string{"JSONRPC", "CreateTaskResult", "EmptyResult", "Strict", "RequestMembers", "AnswerMembers", "Manifest", "Older",
		"Token", "StateChanged", "Session", "LifecycleEvent", "MimeTypes", "MaxInputSize", "Record", "Placed", "Required"}
	for file, document := range ownDocuments(t) {
		raw, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		definitions, _ := document["$defs"].(map[string]any)
		for name := range definitions {
			used := strings.Contains(string(raw), `"#/$defs/`+name+`"`) || strings.Contains(string(raw), `:"`+name+`"`)
			if !used && !slices.ContainsFunc(chosen, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				t.Errorf("%s: nothing uses %s", file, name)
			}
		}
	}
}
