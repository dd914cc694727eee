package suites_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/suites"
)

// Each suite and each area of faults is proven by the tests of a page, once.
func TestPagesProveThemselves(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`proof\.Area\(t, "([^"]+)"\)`)
	proven := map[string]int{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "/proof_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range call.FindAllSubmatch(text, -1) {
			proven[string(found[1])]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites.All() {
		if proven[s.Name] != 1 {
			t.Errorf("the suite %s is proven %d times, want one proof_test.go beside it that does", s.Name, proven[s.Name])
		}
	}
	for _, area := range faults.Areas() {
		if proven[area.Name] == 0 {
			t.Errorf("the faults of %s are tried by no page", area.Name)
		}
	}
}
