package config_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

func generated(t *testing.T) []byte {
	t.Helper()
	schema, err := config.Schema(known())
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The program writes the file; editors read it.
func TestSchemaFile(t *testing.T) {
	t.Parallel()
	got := generated(t)
	if *update {
		if err := os.WriteFile("schema.json", got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("schema.json is out of date; go test -update writes it: %s", diff)
	}
}

// Schema and reader know the same keys, in every map with a fixed set.
func TestSchemaKnowsTheKeysOfTheReader(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	if err := json.Unmarshal(generated(t), &schema); err != nil {
		t.Fatal(err)
	}
	k := keyTest{t, schema["$defs"].(map[string]any)}
	if compared := k.compare(schema, "", func(inner string) string { return inner }); compared < 100 {
		t.Errorf("%d maps were compared, want all of them", compared)
	}
}

type keyTest struct {
	t    *testing.T
	defs map[string]any
}

// compare asks the reader for an impossible key: its error lists the known
// keys. Around builds a file with a value at this place.
func (k keyTest) compare(s map[string]any, path string, around func(inner string) string) (compared int) {
	t := k.t
	if ref, ok := s["$ref"].(string); ok {
		return k.compare(k.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), path, around)
	}
	variants, _ := s["anyOf"].([]any)
	for _, variant := range variants {
		compared += k.compare(variant.(map[string]any), path, around)
	}
	if items, ok := s["items"].(map[string]any); ok {
		compared += k.compare(items, path+"[]", func(inner string) string { return around("[" + inner + ", " + inner + "]") })
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		return compared
	}
	if s["additionalProperties"] != false {
		t.Errorf("%s: other keys are allowed", path)
	}
	_, err := config.Parse("c.yaml", []byte(around("{zzzzzz: 1}")), environment, known())
	if err == nil {
		t.Errorf("%s: any key is read", path)
		return compared
	}
	message, _, _ := strings.Cut(err.Error(), "\n")
	_, list, ok := strings.Cut(message, "; known are ")
	if !ok {
		t.Errorf("%s: got %v", path, err)
	}
	reads := strings.Split(list, ", ")
	slices.Sort(reads)
	if path == ".roles.failure.tool" {
		reads = []string{"arguments", "tool"} // it is read as if it were one map further up
	}
	if diff := cmp.Diff(reads, slices.Sorted(maps.Keys(properties))); diff != "" {
		t.Errorf("%s, -reader +schema: %s", path, diff)
	}
	for name, property := range properties {
		compared += k.compare(property.(map[string]any), path+"."+name, func(inner string) string { return around("{" + name + ": " + inner + "}") })
	}
	return compared + 1
}

// Files that the reader accepts fit the schema, and many that it refuses do not.
func TestSchemaOfFiles(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	for _, path := range []string{filepath.Join("testdata", "maximal.yaml"), filepath.Join("..", "..", "reference-server", "mcp-conform.yaml")} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance(t, data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "errors.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"unknown-", "misplaced-", "flag-a-", "command-a-"} {
		for _, file := range archive.Files {
			if strings.HasPrefix(file.Name, prefix) && strings.HasSuffix(file.Name, ".yaml") && file.Name != "unknown-anchor.yaml" {
				if schema.Validate(instance(t, file.Data)) == nil {
					t.Errorf("the schema allows %s", file.Name)
				}
			}
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(generated(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(config.SchemaURL, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(config.SchemaURL)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func instance(t *testing.T, file []byte) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(file, &value); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(undated(value))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// undated turns dates into the texts that the reader sees.
func undated(value any) any {
	switch v := value.(type) {
	case time.Time:
		return v.Format(time.DateOnly)
	case map[string]any:
		for name, member := range v {
			v[name] = undated(member)
		}
	case []any:
		for i, item := range v {
			v[i] = undated(item)
		}
	}
	return value
}
