package schemas

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// Each pattern by which a message is judged has words, and no words stand for a pattern that
// is in no schema.
func TestPatternWords(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	var visit func(value any)
	visit = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if pattern, isText := v["pattern"].(string); isText {
				used[pattern] = true
			}
			for _, member := range v {
				visit(member)
			}
		case []any:
			for _, item := range v {
				visit(item)
			}
		}
	}
	err := fs.WalkDir(documents, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := fs.ReadFile(documents, path)
		if err != nil {
			return err
		}
		var schema any
		if err := json.Unmarshal(data, &schema); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		visit(schema)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pattern := range used {
		if patternWords()[pattern] == "" {
			t.Errorf("%s has no words", pattern)
		}
	}
	for pattern := range patternWords() {
		if !used[pattern] {
			t.Errorf("%s is in no schema", pattern)
		}
	}
}
