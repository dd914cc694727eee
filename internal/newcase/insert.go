package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
)

// enlist puts the case of a new file at the end of its suite, and says what it wrote. It
// leaves a suite of another form to the author.
func enlist(path string, n names) string {
	item := n.fn() + "Case()"
	return edited(path, "TODO: add "+item+" to the cases in "+path, func(file *ast.File, text string) string {
		var cases ast.Expr
		ast.Inspect(file, func(node ast.Node) bool {
			if kv, ok := node.(*ast.KeyValueExpr); ok && cases == nil {
				if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Cases" {
					cases = kv.Value
				}
			}
			return cases == nil
		})
		switch list := cases.(type) {
		case *ast.CompositeLit:
			return inserted(text, list.Rbrace, item)
		case *ast.CallExpr:
			return inserted(text, list.Rparen, "[]suite.Case{"+item+"}")
		}
		return ""
	})
}

// appendTo adds a call to the result of the function Faults.
func appendTo(path, call string) string {
	return edited(path, "TODO: add "+call+" to the faults in "+path, func(file *ast.File, text string) string {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != "Faults" {
				continue
			}
			last, ok := f.Body.List[len(f.Body.List)-1].(*ast.ReturnStmt)
			if !ok || len(last.Results) != 1 {
				return ""
			}
			faults := last.Results[0]
			if c, ok := faults.(*ast.CallExpr); ok && text[c.Fun.Pos()-1:c.Fun.End()-1] == "slices.Concat" {
				return inserted(text, c.Rparen, call)
			}
			from, to := faults.Pos()-1, faults.End()-1
			return text[:from] + "append(" + text[from:to] + ", " + call + "...)" + text[to:]
		}
		return ""
	})
}

// edited changes a Go file, and returns its path. If the change fails, edited returns
// the step to do by hand.
func edited(path, byHand string, change func(file *ast.File, text string) string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return byHand
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.SkipObjectResolution)
	if err != nil {
		return byHand
	}
	text := change(file, string(data))
	if text == "" || writeGo(path, text) != nil {
		return byHand
	}
	return path
}

// inserted puts an item in front of the bracket that closes a list; positions count from
// 1, since the file is the only one of its set.
func inserted(text string, bracket token.Pos, item string) string {
	rest := text[bracket-1:]
	list := strings.TrimRight(text[:bracket-1], " \t\n")
	switch {
	case strings.HasSuffix(list, "(") || strings.HasSuffix(list, "{"):
		return list + item + rest
	case strings.HasSuffix(list, ","):
		return list + "\n" + item + ",\n" + rest
	}
	return list + ", " + item + rest
}
