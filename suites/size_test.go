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

// larger lists the types that have more methods, and how many they may have. A type that
// has become smaller gets its new figure here, or leaves the table.
var larger = map[string]struct {
	methods int
	why     string
}{
	"reference-server/auth.Authority":           {23, "all tokens and endpoints of an authorization server"},
	"reference-server/core.Turn":                {89, "everything that a handler may ask, and every event of a fault"},
	"reference-server/ext/transactions.manager": {26, "the methods of the proposal, and the store behind them"},
	"reference-server/front.HTTP":               {33, "Streamable HTTP: sessions, streams and their faults"},
	"reference-server/server.office":            {34, "the state of the harbour, and the tools on it"},
	"suites/probe.Client":                       {78, "the vocabulary of the cases"},
	"suites/probe.Reply":                        {48, "all expectations of a case on one answer"},
	"suites/probe.conversation":                 {71, "everything that the client and the engine share"},
}

// TestTypesStaySmall counts the methods of each type in all files but tests. A method
// that stands in files for several systems counts once.
func TestTypesStaySmall(t *testing.T) {
	t.Parallel()
	found := methods(t, "..")
	if len(found["suites/internal/engine.Run"]) == 0 {
		t.Fatal("no methods were found")
	}
	for name, all := range found {
		row, known := larger[name]
		switch n := len(all); {
		case known && n < row.methods && n > mostMethods:
			t.Errorf("%s has %d methods: lower its figure in the table from %d", name, n, row.methods)
		case known && n <= mostMethods:
			t.Errorf("%s has %d methods: take it out of the table", name, n)
		case n > max(mostMethods, row.methods):
			t.Errorf("%s has %d methods, want at most %d", name, n, max(mostMethods, row.methods))
		}
	}
	for name := range larger {
		if found[name] == nil {
			t.Errorf("there is no type %s with methods: take it out of the table", name)
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
