// Package inprocess offers the reference server to the kit as a target inside
// this program: its configuration, the server with a fault or without, and
// every fault as a subject of selftest. It is how the kit proves itself.
package inprocess

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

// Path is where the server serves Streamable HTTP, SSE where it streams the events
// of HTTP+SSE.
const (
	Path = "/mcp"
	SSE  = "/sse"
)

// Config is the configuration that the reference server comes with, without a
// way to reach it.
func Config(env config.Environment) (config.Config, error) {
	known := config.Known{Roles: suites.Roles(suites.All())}
	for _, r := range requirements.Revisions() {
		known.Revisions = append(known.Revisions, string(r))
	}
	cfg, err := config.Parse("mcp-conform.yaml of the reference server", referenceserver.Config, env, known)
	if err != nil {
		return cfg, err
	}
	own := cfg.Target
	cfg.Target = config.Default().Target
	cfg.Target.Durable = own.Durable
	cfg.File, cfg.Dir = "", "."
	return cfg, nil
}

// Server is the reference server with a fault, or none: over HTTP one server
// for all, made when it is first asked; over stdio a new one for each
// connection, as a process would be.
func Server(f *fault.Fault) *suites.Local { return local(server.Options{Fault: f}) }

// Offering is the reference server with some of its extensions only.
func Offering(extensions ...string) *suites.Local {
	return local(server.Options{Extensions: append([]string{}, extensions...)})
}

func local(o server.Options) *suites.Local {
	shared := sync.OnceValues(func() (http.Handler, error) {
		s, err := server.New(o)
		if err != nil {
			return nil, err
		}
		return s.Both(), nil
	})
	var odd fault.HTTP
	if o.Fault != nil {
		odd = o.Fault.HTTP
	}
	return &suites.Local{
		Path: Path, SSE: SSE, Everywhere: odd.Everywhere, Conn: odd.Conn,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h, err := shared()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			h.ServeHTTP(w, r)
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
}

// Subjects lists every fault as a subject, in the order of the areas.
func Subjects() []selftest.Subject {
	var all []selftest.Subject
	for _, area := range faults.Areas() {
		for _, f := range area.Faults() {
			s := Subject(f)
			s.Area = area.Name
			all = append(all, s)
		}
	}
	return all
}

// Subject is the server with a fault, and what has to be noticed about it.
func Subject(f fault.Fault) selftest.Subject {
	s := selftest.Subject{
		Name: f.Name, Breaks: f.Breaks, Kills: f.Kills, Also: f.Also, OffSchema: f.OffSchema, Hangs: f.Hangs, Local: Server(&f),
	}
	for _, col := range f.In {
		s.In = append(s.In, selftest.Column{Revision: col.Revision, Transport: col.Transport})
	}
	return s
}
