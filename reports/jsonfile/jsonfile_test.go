package jsonfile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t *testing.T, r reports.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jsonfile.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			golden.Compare(t, s.Name+".json", written(t, s.Report), *update)
		})
	}
}

func TestHuge(t *testing.T) {
	got := written(t, samples.Huge())
	short := fmt.Sprintf("%d bytes, sha256 %x\n\n%s\n", len(got), sha256.Sum256(got), got[:1500])
	golden.Compare(t, "huge.txt", []byte(short), *update)
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(reports.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestGoldenFilesFitTheSchema(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < len(samples.All()) {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	schema := compiled(t)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if err := schema.Validate(tree); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, s := range append(samples.All(), samples.Sample{Name: "huge", Report: samples.Huge()}, samples.Sample{Name: "large", Report: samples.Large()}) {
		t.Run(s.Name, func(t *testing.T) {
			data := written(t, s.Report)
			got, err := jsonfile.Read(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data, written(t, got)) {
				t.Error("the report changed when it was read and written again")
			}
			// Broken UTF-8 has no place in JSON and was replaced; for large samples the
			// bytes are enough.
			if s.Name == "hostile" || s.Name == "huge" || s.Name == "large" {
				return
			}
			if diff := cmp.Diff(s.Report, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestReadSkipsUnknownKeys(t *testing.T) {
	data := bytes.ReplaceAll(written(t, samples.EveryStatus()), []byte(`"case":`), []byte(`"later": {"a": 1}, "case":`))
	if _, err := jsonfile.Read(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(written(t, samples.EveryStatus()))
	for _, row := range []struct{ name, in, want string }{
		{"later format", strings.Replace(good, `"format": 1`, `"format": 2`, 1), "unknown report format 2, this version reads format 1"},
		{"fractional format", strings.Replace(good, `"format": 1`, `"format": 1.5`, 1), "unknown report format 1.5"},
		{"format as text", strings.Replace(good, `"format": 1`, `"format": "1"`, 1), `the key "format" with a number is missing`},
		{"a fleet", `{"format": 1, "servers": []}`, "this is the index of a fleet; the reports of its servers are servers/NAME/report.json"},
		{"no report", `{"a":1}`, `the key "format" with a number is missing`},
		{"a list", `[]`, "the file is not a JSON object"},
		{"nothing", "", "not a JSON report"},
		{"cut off", good[:len(good)/2], "not a JSON report"},
		{"syntax", "{\n  \"format\": 1,\n  oops}", "line 3, column 3"},
		{"two values", good + good, "not a JSON report"},
		{"status", strings.Replace(good, `"status": "warn"`, `"status": "meh"`, 1), "at /findings/2/status: value must be one of 'pass', 'fail', 'warn', 'skip', 'error'"},
		{"transport", strings.Replace(good, `"transport": "stdio"`, `"transport": "smoke"`, 1), "/transport: value must be one of 'stdio', 'http'"},
		{"skip without reason", strings.Replace(good, `"reason": {`, `"because": {`, 1), "missing property 'reason'"},
		{"negative count", strings.Replace(good, `"pass": 1`, `"pass": -1`, 1), "/counts/pass"},
		{"time", strings.Replace(good, `2027-03-01T09:30:00Z`, `yesterday`, 1), "yesterday"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := jsonfile.Read(strings.NewReader(row.in))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q in it", err, row.want)
			}
		})
	}
	if _, err := jsonfile.Read(strings.NewReader(`{"format":7}`)); !errors.Is(err, jsonfile.ErrFormat) {
		t.Errorf("got %v, want ErrFormat", err)
	}
}

func TestWriteKeepsTheReport(t *testing.T) {
	r := reports.Report{Format: reports.Format, Findings: []reports.Finding{{Case: "a/b"}}}
	written(t, r)
	if r.Findings[0].Requirements != nil || r.Target.Transports != nil {
		t.Error("writing changed the report")
	}
}

func TestNothingActsOnTheTerminal(t *testing.T) {
	for _, r := range string(written(t, samples.Hostile())) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U stands in the file", r)
		}
	}
}

// The schema and the constants hold the same list.
func TestSchemaKnowsEveryValue(t *testing.T) {
	var schema struct {
		Properties struct {
			Format struct {
				Const int `json:"const"`
			} `json:"format"`
			Verdict struct {
				Properties struct {
					Status struct {
						Enum []reports.VerdictStatus `json:"enum"`
					} `json:"status"`
				} `json:"properties"`
			} `json:"verdict"`
		} `json:"properties"`
		Defs struct {
			Finding struct {
				Properties struct {
					Status struct {
						Enum []reports.Status `json:"enum"`
					} `json:"status"`
				} `json:"properties"`
			} `json:"finding"`
			Reason struct {
				Properties struct {
					Kind struct {
						Enum []reports.ReasonKind `json:"enum"`
					} `json:"kind"`
				} `json:"properties"`
			} `json:"reason"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(reports.Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	if got := schema.Properties.Format.Const; got != reports.Format {
		t.Errorf("format is %d, want %d", got, reports.Format)
	}
	if diff := cmp.Diff(reports.VerdictStatuses(), schema.Properties.Verdict.Properties.Status.Enum); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(reports.Statuses(), schema.Defs.Finding.Properties.Status.Enum); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(reports.ReasonKinds(), schema.Defs.Reason.Properties.Kind.Enum); diff != "" {
		t.Error(diff)
	}
}

// A report names the schema by the schema's own id.
func TestSchemaIsNamed(t *testing.T) {
	t.Parallel()
	var schema, report map[string]any
	if err := json.Unmarshal([]byte(reports.Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written(t, samples.Pass()), &report); err != nil {
		t.Fatal(err)
	}
	if report["$schema"] != schema["$id"] {
		t.Errorf("$schema is %v, want %v", report["$schema"], schema["$id"])
	}
}
