package suites_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
)

// The reasons for which a function may wait without a clock.
const (
	ends     = "the connections and cases that it waits for have clocks, and end"
	place    = "takes or gives back a place that is there"
	given    = "hands something to a channel that has room for it"
	ofServer = "runs beside the run, as long as the server does; who waits for its outcome has a clock"
	guarded  = "runs within held, which leaves it"
)

// clockless are the functions that wait without a clock and may.
var clockless = map[string]string{
	"wire.held":                      "it is the clock of its caller: it waits for the cut, and then for a timer",
	"wire.Pool.guarded":              guarded,
	"wire.Pool.CloseIdleConnections": guarded,
	"wire.Pool.RoundTrip":            "over HTTP/1.1 it returns when the context of the request ends",
	"wire.exchange.do":               "the client does no more than call the pool",
	"wire.HTTPConn.work":             "an idle goroutine waits for its next exchange, and ends when the connection closes",
	"wire.HTTPConn.await":            "runs beside Close, which leaves it",
	"wire.queue.wait":                "its callers pass the channel that ends it: a context, a timer, or the closing of the connection",
	"wire.raw.do":                    "the socket is closed, so writing to it returns",
	"wire.StdioConn.Close":           "the process has ended, or its pipes are closed",
	"wire.StdioConn.write":           "ends with stdin or the connection",
	"wire.StdioConn.read":            "ends with the process or the connection",
	"probe.conversation.close":       "the connection has ended, and every end is a frame",
	"connect.answer":                 "a server of this program, whose connections are closed",
	"connect.gate.enter":             place,
	"discover.Found.ask":             place,
	"engine.newServer":               place,
	"engine.server.narrow":           place,
	"engine.server.leaveSeat":        place,
	"engine.job.acquire":             place,
	"engine.Run.closeBehind":         place,
	"engine.Begin":                   ends,
	"engine.Run.Start":               ends,
	"engine.Run.judgeAlone":          ends,
	"engine.Run.finish":              ends,
	"engine.Run.Report":              ends,
	"engine.Run.Close":               ends,
	"judge.judging.watched":          "one of the two is the watch, which has a clock; and " + given,
	"judge.judging.soFar":            given,
	"target.running.follow":          ofServer,
	"target.NewFamily":               "a thread of the kit waits for processes to start",
	"target.Family.Close":            "the thread has nothing more to start",
	"target.Family.startMember":      "the thread starts one process at a time",
}

// A server must not be able to hold the kit: what waits for something that a server does
// has a clock. A wait is a receive, a send, a select, a loop over a channel, or a call of
// Wait; its clock is a case of the same select that receives from a context's Done or from
// a timer, or a default. Two forms need none: a WaitGroup of the function itself, since
// the waits of its goroutines are checked where they are written, and the places above.
// Calls of net/http are waits, too: a server over HTTP/2 can hold them for ever.
func TestWaitsHaveClocks(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, w := range waits(t, nil, "./internal/wire", "./internal/connect", "./internal/discover", "./internal/engine",
		"./internal/judge", "./internal/target", "./internal/commands", "./probe") {
		used[w.in] = true
		if clockless[w.in] == "" {
			t.Errorf("%s: %s waits without a clock: %s", w.at, w.in, w.what)
		}
	}
	for place := range clockless {
		if !used[place] {
			t.Errorf("%s has no wait without a clock: remove it from the list", place)
		}
	}
}

// The test finds every wait without a clock, and nothing else.
func TestFindsWaits(t *testing.T) {
	t.Parallel()
	const text = `package wire

import (
	"context"
	"net/http"
	"os/exec"
	"sync"
	"time"
)

type holder struct{ workers sync.WaitGroup }

func bad(ctx context.Context, in chan int, h *holder, cmd *exec.Cmd, t *http.Transport, c *http.Client, r *http.Request, cond *sync.Cond) {
	<-in
	in <- 1
	for range in {
	}
	select {
	case <-in:
	case in <- 2:
	}
	h.workers.Wait()
	_ = cmd.Wait()
	cond.Wait()
	_, _ = t.RoundTrip(r)
	_, _ = c.Do(r)
	select {}
}

func good(ctx context.Context, in chan int, timer *time.Timer) {
	select {
	case <-in:
	case <-ctx.Done():
	}
	select {
	case in <- 1:
	case <-timer.C:
	}
	select {
	case <-in:
	default:
	}
	<-timer.C
	var own sync.WaitGroup
	own.Go(func() {})
	own.Wait()
}
`
	path, err := filepath.Abs("internal/wire/waits.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, w := range waits(t, map[string][]byte{path: []byte(text)}, "./internal/wire") {
		switch w.in {
		case "wire.bad":
			found = append(found, w.what)
		case "wire.good":
			t.Errorf("%s: %s has a clock", w.at, w.what)
		}
	}
	if len(found) != 10 {
		t.Errorf("%d waits are found, want 10: %q", len(found), found)
	}
}

// A wait is a place where a goroutine waits without a clock.
type wait struct{ at, in, what string }

// waits lists the waits of packages, with an overlay over their files.
func waits(t *testing.T, overlay map[string][]byte, patterns ...string) []wait {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Context: t.Context(), Overlay: overlay,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, patterns...)
	if err != nil || len(loaded) != len(patterns) {
		t.Fatalf("%d packages: %v", len(loaded), err)
	}
	var found []wait
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatalf("%s: %v", p.PkgPath, p.Errors)
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					w := waiter{of: f, info: p.TypesInfo, tell: func(at token.Pos, what string) {
						found = append(found, wait{p.Fset.Position(at).String(), p.Name + "." + placed(f), what})
					}}
					ast.Inspect(f.Body, w.look)
				}
			}
		}
	}
	return found
}

// placed is the name of a function, with the type of a method.
func placed(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return of.(*ast.Ident).Name + "." + f.Name.Name
}

// A waiter looks for the waits of one function.
type waiter struct {
	of   *ast.FuncDecl
	info *types.Info
	tell func(at token.Pos, what string)
}

func (w waiter) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectStmt:
		if !w.clocked(n) {
			w.tell(n.Pos(), "a select")
		}
		for _, c := range n.Body.List {
			for _, s := range c.(*ast.CommClause).Body {
				ast.Inspect(s, w.look)
			}
		}
		return false
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !w.clock(n.X) {
			w.tell(n.Pos(), "a receive")
		}
	case *ast.SendStmt:
		w.tell(n.Pos(), "a send")
	case *ast.RangeStmt:
		if _, ok := w.info.TypeOf(n.X).Underlying().(*types.Chan); ok {
			w.tell(n.Pos(), "a loop over a channel")
		}
	case *ast.CallExpr:
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && w.holds(s) {
			w.tell(n.Pos(), "a call of "+s.Sel.Name)
		}
	}
	return true
}

// clocked reports whether a select has a default, or a case that receives from a clock.
func (w waiter) clocked(s *ast.SelectStmt) bool {
	for _, c := range s.Body.List {
		var from ast.Expr
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case nil:
			return true
		case *ast.ExprStmt:
			from = comm.X
		case *ast.AssignStmt:
			from = comm.Rhs[0]
		}
		if receive, ok := from.(*ast.UnaryExpr); ok && w.clock(receive.X) {
			return true
		}
	}
	return false
}

// clock reports whether a channel is that of a timer or of a context.
func (w waiter) clock(channel ast.Expr) bool {
	if c, ok := w.info.TypeOf(channel).Underlying().(*types.Chan); ok && types.TypeString(c.Elem(), nil) == "time.Time" {
		return true
	}
	call, ok := channel.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Done" && types.TypeString(w.info.TypeOf(s.X), nil) == "context.Context"
}

// holds reports whether a call waits: for a group of goroutines that the function does not
// own, for a process, or for net/http.
func (w waiter) holds(s *ast.SelectorExpr) bool {
	method, ok := w.info.Uses[s.Sel].(*types.Func)
	if !ok {
		return false
	}
	switch method.FullName() {
	case "(*sync.WaitGroup).Wait":
		group, ok := s.X.(*ast.Ident)
		return !ok || !w.own(w.info.Uses[group])
	case "(*sync.Cond).Wait", "(*os.Process).Wait",
		"(*os/exec.Cmd).Wait", "(*os/exec.Cmd).Run", "(*os/exec.Cmd).Output", "(*os/exec.Cmd).CombinedOutput",
		"(*net/http.Transport).RoundTrip", "(*net/http.Transport).CloseIdleConnections", "(net/http.RoundTripper).RoundTrip",
		"(*net/http.Client).Do", "(*net/http.Client).CloseIdleConnections":
		return true
	}
	return false
}

// own reports whether the function declares a variable itself.
func (w waiter) own(of types.Object) bool {
	return of != nil && w.of.Body.Pos() <= of.Pos() && of.Pos() < w.of.Body.End()
}
