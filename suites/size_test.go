package suites_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
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

// methods lists the names of the methods below a folder, by package and type.
func methods(t *testing.T, root string) map[string]map[string]bool {
	t.Helper()
	found := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
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
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
