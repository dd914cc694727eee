package markdown_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/npm"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/markdown"
)

// Two published programs render every sample: the result has only the tags that we
// write, whatever the server wrote.
func TestRendered(t *testing.T) {
	t.Parallel()
	node := npm.NewNode(t, "marked@16.4.1", "markdown-it@14.1.0")
	dir := t.TempDir()
	findings := map[string]int{}
	var paths []string
	for _, s := range samples.All() {
		path := filepath.Join(dir, s.Name+".md")
		if err := os.WriteFile(path, []byte(written(t, s.Report, markdown.Options{})), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		for _, status := range []reports.Status{reports.Fail, reports.Error, reports.Warn} {
			findings[path] += len(s.Report.Blocks(status))
		}
	}
	var rendered []struct {
		Renderer, File   string
		Tags, Attributes []string
		Findings         int
		Closed           bool
	}
	if err := json.Unmarshal(node.Run(t, filepath.Join("testdata", "render.mjs"), paths...), &rendered); err != nil {
		t.Fatal(err)
	}
	if len(rendered) != 2*len(paths) {
		t.Fatalf("%d pages, want each of %d from two programs", len(rendered), len(paths))
	}
	ours := []string{"h2", "h3", "p", "code", "pre", "strong", "blockquote", "br", "ul", "li", "a", "details", "summary", "sub",
		"table", "thead", "tbody", "tr", "th", "td"}
	harmless := regexp.MustCompile(`^(align="(left|right)"|style="text-align:right"|class="language-text"|` +
		`href="https://modelcontextprotocol\.io/[^"]*")$`)
	for _, page := range rendered {
		name := page.Renderer + ", " + filepath.Base(page.File)
		for _, tag := range page.Tags {
			if !slices.Contains(ours, tag) {
				t.Errorf("%s: a tag of somebody else: %s", name, tag)
			}
		}
		for _, attribute := range page.Attributes {
			if !harmless.MatchString(attribute) {
				t.Errorf("%s: an attribute of somebody else: %s", name, attribute)
			}
		}
		if page.Findings != findings[page.File] || !page.Closed {
			t.Errorf("%s: %d findings, want %d; details closed: %t", name, page.Findings, findings[page.File], page.Closed)
		}
	}
}
