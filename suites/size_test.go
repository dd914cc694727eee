package suites_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostMethods limits the methods of a type. A type with more of them has several jobs.
const mostMethods = 20

// TestTypesStaySmall counts the methods of each type in all files but tests. A method
// that stands in files for several systems counts once.
func TestTypesStaySmall(t *testing.T) {
	t.Parallel()
	found := methods(t, "..")
	if len(found["suites/internal/engine.Run"]) == 0 {
		t.Fatal("no methods were found")
	}
	for name, all := range found {
		if len(all) > mostMethods {
			t.Errorf("%s has %d methods, want at most %d", name, len(all), mostMethods)
		}
	}
}

// The linter knows the width, too, but takes minutes; rows of tables in tests may be wider.
const (
	mostLines = 400
	mostWidth = 140
)

func TestFilesStaySmall(t *testing.T) {
	t.Parallel()
	files := 0
	sources(t, "..", func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files++
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > mostWidth && !isTest(path) {
				t.Errorf("%s:%d has %d characters, want at most %d", path, n, width, mostWidth)
			}
		}
		if n > mostLines {
			t.Errorf("%s has %d lines, want at most %d", path, n, mostLines)
		}
	})
	if files < 100 {
		t.Errorf("%d files were found", files)
	}
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

// sources visits the Go files below a folder.
func sources(t *testing.T, root string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, ".go"):
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// methods lists the names of the methods below a folder, by package and type.
func methods(t *testing.T, root string) map[string]map[string]bool {
	t.Helper()
	found := map[string]map[string]bool{}
	sources(t, root, func(path string) {
		if isTest(path) {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			of := filepath.ToSlash(folder) + "." + receiver(f.Recv.List[0].Type)
			if found[of] == nil {
				found[of] = map[string]bool{}
			}
			found[of][f.Name.Name] = true
		}
	})
	return found
}

// receiver is the name of the type of a receiver, without a star or type parameters.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
