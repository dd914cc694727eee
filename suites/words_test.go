package suites_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/internal/words"
)

// Users read plain words: in all strings of several words in Go files, and in
// the pages of the repository.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"../cmd", "../reports", "../badge", "../suites"} {
		err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || ours(name) {
				return err
			}
			for _, s := range stringsOf(t, name) {
				for _, phrase := range words.Banned(s.text) {
					t.Errorf("%s: %q in %q", s.at, phrase, s.text)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Texts composed at run time are plain too, and so are the faults, whose
// packages also hold words of the reference server.
func TestPlainDeclarations(t *testing.T) {
	t.Parallel()
	check := func(what, text string) {
		for _, phrase := range words.Banned(text) {
			t.Errorf("%s: %q in %q", what, phrase, text)
		}
	}
	for _, s := range suites.All() {
		check(s.Name, s.Title)
		for _, c := range s.Cases {
			check(c.ID, c.Title)
			check(c.ID, c.Fix)
		}
	}
	for _, f := range faults.All() {
		check("fault "+f.Name, f.Title)
	}
	fenced := regexp.MustCompile("(?s:```.*?```)|(?m:^    .*$)|`[^`\n]*`")
	for _, name := range []string{"../README.md", "../CONTRIBUTING.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(fenced.ReplaceAllString(string(page), "CODE"), "\n\n") {
			check(name, paragraph)
		}
	}
}

// ours tells files that say nothing to users: what only tests use, and the
// phrases themselves.
func ours(name string) bool {
	for _, part := range []string{"/testdata/", "/internal/words/", "/internal/samples/", "/internal/fakeserver/", "/internal/testchild/"} {
		if strings.Contains(filepath.ToSlash(name), part) {
			return true
		}
	}
	return false
}

// A saying is a string of a Go file.
type saying struct {
	at   token.Position
	text string
}

// stringsOf lists the strings of a file that are sentences: no import, no tag,
// no JSON. Strings that are added up are one.
func stringsOf(t *testing.T, name string) []saying {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []saying
	add := func(e ast.Expr) {
		if text := joined(e); strings.Contains(text, " ") && !strings.ContainsAny(text[:1], `{["`) {
			found = append(found, saying{files.Position(e.Pos()), text})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			_, field := n.(*ast.Field)
			return field && n.(*ast.Field).Tag == nil
		case *ast.BinaryExpr:
			if n.Op == token.ADD && joined(n) != "" {
				add(n)
				return false
			}
		case *ast.BasicLit:
			add(n)
		}
		return true
	})
	return found
}

// joined is the text of a string, or of several that are added up; what is not
// a string stands there as dots.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, right := joined(e.X), joined(e.Y)
			if left == "" && right == "" {
				return ""
			}
			return dots(left) + dots(right)
		}
	case *ast.ParenExpr:
		return joined(e.X)
	}
	return ""
}

func dots(s string) string {
	if s == "" {
		return "…"
	}
	return s
}
