package suites_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// No page asks which revision it is in: what differs is a row of a table in
// package protocol, or a case of its own with Revisions. Tables that are looked
// into by revision, and Revisions on a case, are what is left.
func TestPagesAskNoRevision(t *testing.T) {
	t.Parallel()
	for _, pkg := range pages(t, "suites/core/...", "suites/ext/...") {
		for _, found := range pkg.asked() {
			t.Error(found + ": make it a table of suites/protocol, or two cases with Revisions")
		}
	}
}

// What the test looks for is found, and nothing else is.
func TestAskedRevisions(t *testing.T) {
	t.Parallel()
	const text = `package page

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
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "page.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := page{files: files, parsed: []*ast.File{file}}
	p.check(t, exports(t, "suites/protocol"))
	found := strings.Join(p.asked(), "\n")
	if got := strings.Count(found, "\n") + 1; got != 8 || strings.Contains(found, "good") {
		t.Errorf("%d questions are found, want 8:\n%s", got, found)
	}
}

// A page is a package of cases, with the types of its expressions.
type page struct {
	files  *token.FileSet
	parsed []*ast.File
	types  types.Info
}

// asked lists where a revision is compared with another.
func (p page) asked() []string {
	var found []string
	add := func(at token.Pos, what string) { found = append(found, p.files.Position(at).String()+" "+what) }
	for _, file := range p.parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if name := n.Sel.Name; (name == "Modern" || name == "Before") && p.isRevision(n.X) {
					add(n.Pos(), "asks "+name+" of a revision")
				}
			case *ast.BinaryExpr:
				if compares(n.Op) && (p.isRevision(n.X) || p.isRevision(n.Y)) {
					add(n.Pos(), "compares a revision")
				}
			case *ast.SwitchStmt:
				if p.switches(n) {
					add(n.Pos(), "switches over a revision")
				}
			}
			return true
		})
	}
	return found
}

func compares(op token.Token) bool {
	return slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ}, op)
}

func (p page) switches(s *ast.SwitchStmt) bool {
	if s.Tag == nil {
		return false
	}
	if p.isRevision(s.Tag) {
		return true
	}
	for _, clause := range s.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			if p.isRevision(e) {
				return true
			}
		}
	}
	return false
}

// isRevision reports whether an expression is of that type, or a string with the
// date of one.
func (p page) isRevision(e ast.Expr) bool {
	of := p.types.Types[e]
	if named, ok := of.Type.(*types.Named); ok && named.Obj().Name() == "Revision" && named.Obj().Pkg().Name() == "requirements" {
		return true
	}
	return of.Value != nil && of.Value.Kind() == constant.String && requirements.Revision(constant.StringVal(of.Value)).Known()
}

func (p *page) check(t *testing.T, exported map[string]string) {
	t.Helper()
	p.types = types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	open := func(path string) (io.ReadCloser, error) {
		if exported[path] == "" {
			return nil, errors.New("nothing is exported by " + path)
		}
		return os.Open(exported[path])
	}
	conf := types.Config{Importer: importer.ForCompiler(p.files, "gc", open)}
	if _, err := conf.Check("page", p.files, p.parsed, &p.types); err != nil {
		t.Fatal(err)
	}
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}
	for _, p := range patterns {
		args = append(args, module+"/"+p)
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for from := json.NewDecoder(strings.NewReader(string(out))); from.More(); {
		var one listed
		if err := from.Decode(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// exports are the files with what packages, and those they import, export.
func exports(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	exported := map[string]string{}
	for _, one := range list(t, patterns...) {
		exported[one.ImportPath] = one.Export
	}
	return exported
}

func pages(t *testing.T, patterns ...string) []page {
	t.Helper()
	all := list(t, patterns...)
	exported := map[string]string{}
	for _, one := range all {
		exported[one.ImportPath] = one.Export
	}
	var found []page
	for _, one := range all {
		if one.DepOnly {
			continue
		}
		p := page{files: token.NewFileSet()}
		for _, name := range one.GoFiles {
			file, err := parser.ParseFile(p.files, filepath.Join(one.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			p.parsed = append(p.parsed, file)
		}
		p.check(t, exported)
		found = append(found, p)
	}
	return found
}
