package suites_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The error of a page's function is a verdict: the client ends a case that
// cannot continue, so no function has to pass that on. A function whose error
// is always nil relays nothing, and each "if err != nil { return err }" after a
// call of it is dead code. A verdict that c.Must gives counts too.
func TestPagesRelayNoErrors(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"core", "ext"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				for _, found := range relays(t, path, nil) {
					t.Errorf("%s returns an error that is always nil: leave it out, and the blocks that pass it on", found)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestRelays(t *testing.T) {
	t.Parallel()
	const text = `package page

func always(c *probe.Client) (int, error) { return 1, nil }

func passes(c *probe.Client) error {
	n, err := always(c)
	if err != nil {
		return err
	}
	return ends(c, n)
}

func ends(c *probe.Client, n int) error { c.NotSeen("nothing"); return nil }

func must(c *probe.Client) error { c.Must(c.Call("ping", nil).WantResult()); return nil }

func judges(c *probe.Client) error {
	err := passes(c)
	if err == nil {
		err = c.Call("ping", nil).WantResult()
	}
	return err
}
`
	got := relays(t, "core/page", text)
	for i, found := range got {
		_, got[i], _ = strings.Cut(found, ": ")
	}
	if want := []string{"always", "passes", "ends"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A judge is a function whose last result is an error.
type judge struct {
	at    string
	body  *ast.BlockStmt
	mute  bool // the error is nil on every path, as far as is known
	named string
}

// relays lists the functions of a package whose error is always nil. It
// compares names: two methods with one name count as one.
func relays(t *testing.T, dir string, text any) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if text != nil {
		files = []string{"page.go"}
	}
	var all []*judge
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && returnsError(f.Type) {
				all = append(all, &judge{fset.Position(f.Pos()).String(), f.Body, true, f.Name.Name})
			}
		}
	}
	for speaks := true; speaks; {
		speaks = false
		for _, f := range all {
			if f.mute && !silent(f.body, all) {
				f.mute, speaks = false, true
			}
		}
	}
	var found []string
	for _, f := range all {
		if f.mute {
			found = append(found, f.at+": "+f.named)
		}
	}
	return found
}

func returnsError(f *ast.FuncType) bool {
	if f.Results.NumFields() == 0 {
		return false
	}
	last, ok := f.Results.List[len(f.Results.List)-1].Type.(*ast.Ident)
	return ok && last.Name == "error"
}

// silent reports whether each return of a body has nil for an error, or the
// error of a silent function, and no call of Must ends the case with a verdict.
func silent(body *ast.BlockStmt, all []*judge) bool {
	given := map[string][]ast.Expr{} // the values assigned to variables
	var returned []ast.Expr
	must := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			must = must || n.Sel.Name == "Must"
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if name, ok := to.(*ast.Ident); ok {
					given[name.Name] = append(given[name.Name], n.Rhs[min(i, len(n.Rhs)-1)])
				}
			}
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				returned = append(returned, nil) // a named error
			} else {
				returned = append(returned, n.Results[len(n.Results)-1])
			}
		}
		return true
	})
	const deepest = 5 // the longest chain of variables that it follows
	var isNil func(e ast.Expr, depth int) bool
	isNil = func(e ast.Expr, depth int) bool {
		switch e := e.(type) {
		case *ast.Ident:
			from := given[e.Name]
			return e.Name == "nil" || len(from) > 0 && depth < deepest &&
				!slices.ContainsFunc(from, func(e ast.Expr) bool { return !isNil(e, depth+1) })
		case *ast.CallExpr:
			name := ""
			switch f := e.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			of := slices.DeleteFunc(slices.Clone(all), func(f *judge) bool { return f.named != name })
			return len(of) > 0 && !slices.ContainsFunc(of, func(f *judge) bool { return !f.mute })
		}
		return false
	}
	return !must && !slices.ContainsFunc(returned, func(e ast.Expr) bool { return !isNil(e, 0) })
}
