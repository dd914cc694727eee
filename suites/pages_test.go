package suites_test

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// No page compares revisions: a difference is a row of a table in package
// protocol, or a case of its own with Revisions. Only lookups in tables by
// revision, and Revisions on a case, are allowed.
func TestPagesAskNoRevision(t *testing.T) {
	t.Parallel()
	for _, found := range asked(t, nil, "./core/...", "./ext/...") {
		t.Error(found + " asks for a revision: make it a table of suites/protocol, or two cases with Revisions")
	}
}

// The test finds every comparison, and nothing else.
func TestAskedRevisions(t *testing.T) {
	t.Parallel()
	const text = `package ping

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const since = requirements.R20250618

func bad(r requirements.Revision, s string) bool {
	switch r {
	case since:
		return true
	}
	switch s {
	case "2025-06-18":
		return true
	}
	older := r.Before
	return r.Modern() || r.Before(since) || r == since || s != string(since) || "2026-07-28" <= s || older(since)
}

func good(r requirements.Revision, at time.Time, s string) bool {
	revisions := protocol.Since(requirements.R20250618)
	return protocol.RequestHeaders().At(r) && at.Before(at) && s == "2026-01-01" && len(revisions) == 1
}
`
	path, err := filepath.Abs("core/ping/asked.go")
	if err != nil {
		t.Fatal(err)
	}
	found := asked(t, map[string][]byte{path: []byte(text)}, "./core/ping")
	if len(found) != 8 {
		t.Errorf("%d questions are found, want 8:\n%s", len(found), strings.Join(found, "\n"))
	}
}

// asked lists the comparisons of revisions in packages, with an overlay over
// their files.
func asked(t *testing.T, overlay map[string][]byte, patterns ...string) []string {
	t.Helper()
	return sought(t, overlay, func(page *packages.Package, n ast.Node) bool {
		return slices.ContainsFunc(looksAt(n), func(e ast.Expr) bool { return isRevision(page.TypesInfo.Types[e]) })
	}, patterns...)
}

// sought lists the places in packages that fit, with an overlay over their files.
func sought(t *testing.T, overlay map[string][]byte, fits func(*packages.Package, ast.Node) bool, patterns ...string) []string {
	t.Helper()
	pages, err := packages.Load(&packages.Config{
		Context: t.Context(), Overlay: overlay,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, patterns...)
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d packages: %v", len(pages), err)
	}
	var found []string
	for _, page := range pages {
		if len(page.Errors) > 0 || len(page.Syntax) == 0 {
			t.Fatalf("%s: %v", page.PkgPath, page.Errors)
		}
		for _, file := range page.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if n != nil && fits(page, n) {
					found = append(found, page.Fset.Position(n.Pos()).String())
				}
				return true
			})
		}
	}
	return found
}

// looksAt are the operands of a comparison, a switch, Modern or Before.
func looksAt(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if n.Sel.Name == "Modern" || n.Sel.Name == "Before" {
			return []ast.Expr{n.X}
		}
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ}, n.Op) {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.SwitchStmt:
		all := []ast.Expr{n.Tag}
		for _, clause := range n.Body.List {
			all = append(all, clause.(*ast.CaseClause).List...)
		}
		if n.Tag != nil {
			return all
		}
	}
	return nil
}

// isRevision reports whether a value has that type, or is a string with the
// date of a revision.
func isRevision(of types.TypeAndValue) bool {
	if named, ok := of.Type.(*types.Named); ok && named.Obj().Name() == "Revision" && named.Obj().Pkg().Name() == "requirements" {
		return true
	}
	return of.Value != nil && of.Value.Kind() == constant.String && requirements.Revision(constant.StringVal(of.Value)).Known()
}
