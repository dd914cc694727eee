package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A type that many methods share a mutex of does several things: the next one gets a type
// of its own.
func TestTypesStaySmall(t *testing.T) {
	t.Parallel()
	const most = 20
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				of := f.Recv.List[0].Type
				if pointer, ok := of.(*ast.StarExpr); ok {
					of = pointer.X
				}
				if generic, ok := of.(*ast.IndexExpr); ok {
					of = generic.X
				}
				methods[of.(*ast.Ident).Name]++
			}
		}
	}
	if methods["Run"] == 0 {
		t.Fatal("no methods were found")
	}
	for name, n := range methods {
		if n > most {
			t.Errorf("%s has %d methods, want at most %d", name, n, most)
		}
	}
}
