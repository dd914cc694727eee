package action_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// actionlint has checked the workflows in the README.
func TestRecipes(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	recipes, err := filepath.Glob(filepath.Join(root(t), "docs", "ci", "*.yml"))
	if err != nil || len(recipes) == 0 {
		t.Fatalf("no recipes: %v", err)
	}
	for _, name := range recipes {
		recipe, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(readme), "```yaml\n"+string(recipe)+"```\n") {
			t.Errorf("README.md does not show %s as it is", filepath.Base(name))
		}
		if strings.Contains(string(recipe), "mcp-conform merge") && !strings.Contains(string(recipe), "--exit-code") {
			t.Errorf("%s merges reports, and cannot fail", filepath.Base(name))
		}
	}
}
