package content_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestProof(t *testing.T) { proof.Area(t, "ext-content") }

func TestMain(m *testing.M) { proof.Main(m) }

// A rule without a case of its own names cases that there are.
func TestHeldByCore(t *testing.T) {
	t.Parallel()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range pages.All() {
		for _, c := range s.Cases {
			known[c.ID] = true
		}
	}
	for _, r := range catalogue.All() {
		_, held, ok := strings.Cut(r.Unchecked, "a core suite sees it already: ")
		if r.Area != "ext-content" || r.Unchecked == "" {
			continue
		}
		named := regexp.MustCompile(`[a-z]+/[a-z0-9-]+`).FindAllString(held, -1)
		if !ok || len(named) == 0 {
			t.Errorf("%s names no case: %s", r.ID, r.Unchecked)
		}
		for _, id := range named {
			if !known[id] {
				t.Errorf("%s names %s, which is no case", r.ID, id)
			}
		}
	}
}
