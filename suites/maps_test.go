package suites_test

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// No page writes a text while it goes through a map: the map has another order in each run,
// and so would have the notes and the problems.
func TestPagesWriteInOneOrder(t *testing.T) {
	t.Parallel()
	for _, found := range sought(t, nil, writesByMap, "./core/...", "./ext/...") {
		t.Error(found + " goes through a map and writes a text: go through slices.Sorted(maps.Keys(...))")
	}
	const text = `package ping

import "github.com/mcp-conform/mcp-conform/suites/probe"

func bad(c *probe.Client, all map[string]string) error {
	for name := range all {
		c.Note(name)
	}
	for name := range all {
		return probe.Shown().Violation("%s", name)
	}
	return nil
}

func good(all map[string]string, names []string) (n int, err error) {
	for range all {
		n++
	}
	for _, name := range names {
		return n, probe.Shown().Violation("%s", name)
	}
	for name := range all {
		if name == "" {
			return n, probe.Shown().Violation("a name is empty")
		}
	}
	return n, nil
}
`
	path, err := filepath.Abs("core/ping/mapped.go")
	if err != nil {
		t.Fatal(err)
	}
	if found := sought(t, map[string][]byte{path: []byte(text)}, writesByMap, "./core/ping"); len(found) != 2 {
		t.Errorf("%d are found, want 2:\n%s", len(found), strings.Join(found, "\n"))
	}
}

// writesByMap reports whether a node goes through a map, and writes a note or a problem that
// names what it goes through.
func writesByMap(page *packages.Package, n ast.Node) (writes bool) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok {
		return false
	}
	if _, ok := page.TypesInfo.TypeOf(loop.X).Underlying().(*types.Map); !ok {
		return false
	}
	through := map[types.Object]bool{}
	for _, e := range []ast.Expr{loop.Key, loop.Value} {
		if name, ok := e.(*ast.Ident); ok {
			through[page.TypesInfo.Defs[name]] = name.Name != "_"
		}
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if of, ok := call.Fun.(*ast.SelectorExpr); !ok || of.Sel.Name != "Note" && of.Sel.Name != "Violation" && of.Sel.Name != "Undecide" {
			return true
		}
		for _, argument := range call.Args {
			ast.Inspect(argument, func(n ast.Node) bool {
				name, ok := n.(*ast.Ident)
				writes = writes || ok && through[page.TypesInfo.Uses[name]]
				return true
			})
		}
		return true
	})
	return writes
}
