// Package inprocess offers the reference server to the kit as a target inside this
// program: its configuration, the server with or without a fault, and every fault as a
// subject of selftest.
package inprocess

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/auth"
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

// Path is the path of Streamable HTTP, SSE the path of the event streams of HTTP+SSE.
const (
	Path = "/mcp"
	SSE  = "/sse"
)

// Config is the configuration of the reference server, without a way to reach it.
func Config(env config.Environment) (config.Config, error) {
	known := config.Known{Roles: roles.Known()}
	for _, r := range requirements.Revisions() {
		known.Revisions = append(known.Revisions, string(r))
	}
	cfg, err := config.Parse("mcp-conform.yaml of the reference server", referenceserver.Config, env, known)
	if err != nil {
		return cfg, err
	}
	own := cfg.Target
	cfg.Target = config.Default().Target
	cfg.Target.Durable, cfg.Target.Own = own.Durable, own.Own
	cfg.File, cfg.Dir = "", "."
	return cfg, nil
}

// Server is the reference server, with a fault or without: over HTTP one server for
// all connections, made for the first one; over stdio a new server for each
// connection, like a process.
func Server(f *fault.Fault) *plan.Local { return local(server.Options{Fault: f}, &core.Shelf{}) }

// Guarded is the reference server in its auth mode: it demands tokens, over HTTP only,
// and provides some.
func Guarded(f *fault.Fault) *plan.Local {
	return local(server.Options{Fault: f, Auth: true}, &core.Shelf{})
}

// Locked is Guarded without the tokens.
func Locked() *plan.Local {
	l := Guarded(nil)
	rig := plan.RigOf(l)
	rig.Login, rig.Mint = nil, nil
	return plan.Rigged(*l, rig)
}

// Offering is the reference server with the named extensions only.
func Offering(extensions ...string) *plan.Local {
	return local(server.Options{Extensions: append([]string{}, extensions...)}, &core.Shelf{})
}

// local is a server whose processes share lists; the usual ones are on the shelf.
func local(o server.Options, usual *core.Shelf) *plan.Local {
	o = o.Sharing(usual)
	shared := sync.OnceValues(func() (made, error) {
		s, err := server.New(o)
		if err != nil {
			return made{}, err
		}
		return made{s.Both(), s.Authority()}, nil
	})
	var odd fault.HTTP
	if o.Fault != nil {
		odd = o.Fault.HTTP
	}
	rig := plan.Rig{Within: true, Everywhere: odd.Everywhere, Conn: odd.Conn, Anew: func() *plan.Local { return local(o, usual) }}
	l := plan.Local{
		Path: Path, SSE: SSE,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m, err := shared()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			m.handler.ServeHTTP(w, r)
		}),
		Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			own, err := server.New(o)
			if err != nil {
				_, _ = fmt.Fprintln(errw, err)
				return 1
			}
			return own.ServeStdio(ctx, term, in, out, errw)
		},
	}
	if o.Auth || o.Fault != nil && o.Fault.Auth != nil {
		l.Serve = nil // tokens are demanded over HTTP only
		rig.Login = func(url string) ([]roles.Filled, error) {
			m, err := shared()
			if err != nil {
				return nil, err
			}
			return Login(m.authority, url)
		}
		rig.Mint = func(_ context.Context, url, scope, resource string) (string, error) {
			m, err := shared()
			if err != nil {
				return "", err
			}
			return m.authority.Mint(strings.TrimSuffix(url, Path), scope, resource)
		}
	}
	return plan.Rigged(l, rig)
}

// made is a server over HTTP.
type made struct {
	handler   http.Handler
	authority *auth.Authority
}

// Login is the configuration of the identities that an authority knows, for a server
// at a URL.
func Login(a *auth.Authority, url string) ([]roles.Filled, error) {
	tokens, err := a.People(strings.TrimSuffix(url, Path))
	if err != nil {
		return nil, err
	}
	fields := roles.Fields{
		"token-command": []string{"in this program"}, // Mint replaces the command
		"client":        roles.Fields{"register": true},
	}
	for name, token := range tokens {
		fields[name] = roles.Fields{"token": token}
	}
	return []roles.Filled{{Name: roles.Principals, Source: roles.Config, Fields: fields}}, nil
}

// Subjects lists every fault as a subject, in the order of the areas.
func Subjects() []selftest.Subject {
	var all []selftest.Subject
	usual := &core.Shelf{}
	sound := map[string]*plan.Local{}
	for _, area := range faults.Areas() {
		for _, f := range area.All() {
			s := subject(f, usual)
			s.Area = area.Name
			lacks := strings.Join(f.Without, ",")
			if sound[lacks] == nil {
				sound[lacks] = local(server.Options{Fault: &fault.Fault{Without: f.Without}}, usual)
			}
			if f.Auth == nil {
				s.Sound = sound[lacks]
			}
			all = append(all, s)
		}
	}
	return all
}

// Subject is the server with a fault, together with the cases that must notice the
// fault.
func Subject(f fault.Fault) selftest.Subject { return subject(f, &core.Shelf{}) }

func subject(f fault.Fault, usual *core.Shelf) selftest.Subject {
	return selftest.Subject{
		Name: f.Name, Breaks: f.Breaks, Kills: f.Kills, May: f.May, Silent: f.Silent, In: f.In, Since: f.Since, Hangs: f.Hangs,
		Local: local(server.Options{Fault: &f}, usual),
	}
}
