package schemas_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/schemas"
)

// revisions is the reading order of the examples: an example lives in the directory of
// the first revision it holds at, in the file of its definition, and holds up to its
// until.
func revisions() []string {
	return []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}
}

// An example is a value and the one fault in it; a valid one has none.
type example struct {
	Value any     `json:"value"`
	Fault *string `json:"fault"`
	Until string  `json:"until"`

	file, definition string
}

func readExamples(t *testing.T, dir string) []example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []example
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]example{}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&named); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			e := named[name]
			e.file, e.definition = file+": "+name, strings.TrimSuffix(filepath.Base(file), ".json")
			if valid := strings.HasPrefix(name, "valid-"); valid != (e.Fault == nil) {
				t.Errorf("%s: the name and the presence of a fault disagree", e.file)
			}
			examples = append(examples, e)
		}
	}
	return examples
}

func TestExamplesOfCore(t *testing.T) {
	t.Parallel()
	library := schemas.Load()
	examples := map[string][]example{}
	for _, revision := range revisions() {
		examples[revision] = readExamples(t, filepath.Join("testdata", revision))
	}
	for at, revision := range revisions() {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			set, err := library.Core(revision)
			if err != nil {
				t.Fatal(err)
			}
			var held []example
			for _, since := range revisions()[:at+1] {
				for _, e := range examples[since] {
					if e.Until == "" || e.Until >= revision {
						held = append(held, e)
					}
				}
			}
			checkExamples(t, set, held)
		})
	}
}

func TestExamplesOfExtensions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dashdash", "data-references", "idempotency", "manifest", "multimodal", "permissions", "progress", "provenance", "push", "session-state", "streaming", "structured-errors", "transactions", "well-known"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := schemas.Load().Extension(name)
			if err != nil {
				t.Fatal(err)
			}
			checkExamples(t, set, readExamples(t, filepath.Join("testdata", name)))
		})
	}
}

// checkExamples judges every example, and wants two valid ones and an invalid one of
// every definition.
func checkExamples(t *testing.T, set *schemas.Set, examples []example) {
	t.Helper()
	valid, invalid := map[string]int{}, map[string]int{}
	for _, e := range examples {
		if !set.Has(e.definition) {
			t.Errorf("%s: no such definition", e.file)
			continue
		}
		faults := set.Validate(e.definition, e.Value)
		if e.Fault == nil {
			valid[e.definition]++
			if len(faults) > 0 {
				t.Errorf("%s: %+v, want no fault", e.file, faults)
			}
			continue
		}
		invalid[e.definition]++
		if len(faults) != 1 || faults[0].Pointer != *e.Fault {
			t.Errorf("%s: %+v, want one fault at %q", e.file, faults, *e.Fault)
		}
	}
	for _, name := range set.Names() {
		if valid[name] < 2 || invalid[name] < 1 {
			t.Errorf("%s has %d valid and %d invalid examples, want 2 and 1", name, valid[name], invalid[name])
		}
	}
}

func TestMethodsNameDefinitions(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		set, err := schemas.Load().Core(revision)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join("core", revision+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Methods map[string]map[string]string `json:"x-mcp-methods"`
		}
		if err := json.Unmarshal(raw, &document); err != nil {
			t.Fatal(err)
		}
		for role, names := range document.Methods {
			for method, name := range names {
				if !set.Has(name) {
					t.Errorf("%s: %s of %s is %s, which is not defined", revision, role, method, name)
				}
			}
		}
	}
}

func TestMethodsByRevision(t *testing.T) {
	t.Parallel()
	type answer struct {
		Name  string
		Found bool
	}
	tests := []struct {
		revision string
		ask      func(*schemas.Set) (string, bool)
		want     answer
	}{
		{"2024-11-05", func(s *schemas.Set) (string, bool) { return s.ResultOf("tools/call") }, answer{"CallToolResult", true}},
		{"2026-07-28", func(s *schemas.Set) (string, bool) { return s.ResultOf("tools/call") }, answer{"CallToolOutcome", true}},
		{"2026-07-28", func(s *schemas.Set) (string, bool) { return s.ResultOf("ping") }, answer{}},
		{"2025-11-25", func(s *schemas.Set) (string, bool) { return s.ResultOf("server/discover") }, answer{}},
		{"2025-03-26", func(s *schemas.Set) (string, bool) { return s.RequestOf("elicitation/create") }, answer{}},
		{"2025-06-18", func(s *schemas.Set) (string, bool) { return s.RequestOf("elicitation/create") }, answer{"ElicitRequest", true}},
		{"2025-11-25", func(s *schemas.Set) (string, bool) { return s.NotificationOf("notifications/tasks/status") }, answer{"TaskStatusNotification", true}},
		{"2025-06-18", func(s *schemas.Set) (string, bool) { return s.NotificationOf("notifications/tasks/status") }, answer{}},
		{"2026-07-28", func(s *schemas.Set) (string, bool) { return s.ParamsOf("subscriptions/listen") }, answer{"SubscriptionsListenParams", true}},
		{"2026-07-28", func(s *schemas.Set) (string, bool) { return s.ErrorDataOf(-32022) }, answer{"UnsupportedProtocolVersionData", true}},
		{"2025-11-25", func(s *schemas.Set) (string, bool) { return s.ErrorDataOf(-32022) }, answer{}},
	}
	for _, test := range tests {
		set, err := schemas.Load().Core(test.revision)
		if err != nil {
			t.Fatal(err)
		}
		name, found := test.ask(set)
		if diff := cmp.Diff(test.want, answer{name, found}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.revision, diff)
		}
	}
}

func TestLoadKnowsItsNames(t *testing.T) {
	t.Parallel()
	library := schemas.Load()
	if _, err := library.Core("2023-01-01"); err == nil {
		t.Error("an unknown revision has schemas")
	}
	if _, err := library.Extension("tides"); err == nil {
		t.Error("an unknown extension has schemas")
	}
	first, err := library.Core("2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	again, err := library.Core("2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	if first != again {
		t.Error("a document is compiled twice")
	}
	if !slices.IsSorted(first.Names()) {
		t.Error("names are not sorted")
	}
}
