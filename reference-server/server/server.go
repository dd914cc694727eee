// Package server is the reference server: a small harbour office that keeps
// every requirement at every revision, unless a fault says otherwise.
package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/auth"
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/dataref"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/wellknown"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/front"
	"github.com/mcp-conform/mcp-conform/reference-server/tasks"
)

// Options are the options of a Server. The zero Options make the server that the kit
// is tested with.
type Options struct {
	// Fault is the requirement to break; nil breaks none.
	Fault *fault.Fault
	// Log takes messages for the operator; nil drops them.
	Log io.Writer
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// KeyLifetime is how long an idempotency key is kept without a ttl in the call;
	// zero is a day.
	KeyLifetime time.Duration
	// Extensions names the extensions of the server; nil switches on all of them.
	Extensions []string
	// PageSize is the number of items on a page of a short list; zero stands for PageSize.
	// Longer lists have longer pages.
	PageSize int
	// Grace is how long requests may continue after standard input has ended; zero is
	// half a second.
	Grace time.Duration
	// Patience is how long a client may take to answer a tool's question; zero is a
	// minute.
	Patience time.Duration
	// Hosts are names of the HTTP server besides the names of the loopback interface.
	Hosts []string
	// State is the path of a file that keeps the tasks for the next process; empty for none.
	State string
	// Auth makes the server an OAuth resource server over HTTP, with an authorization
	// server of its own. A fault may switch Auth on too.
	Auth bool

	shelf *core.Shelf
}

// Sharing lets all servers with these options share the lists that they answer with, unless
// a fault may give each of them another list. Servers that offer the usual lists take
// those from the shelf.
func (o Options) Sharing(usual *core.Shelf) Options {
	switch f := o.Fault; {
	case f != nil && f.Domain != nil:
	case f != nil && (f.Ext != nil || f.StatePerConnection || f.Skips(fault.CheckShape)):
		o.shelf = &core.Shelf{}
	default:
		o.shelf = usual
	}
	return o
}

// PageSize is the number of items on a page, unless the options name another one. Each list
// has three pages at least then.
const PageSize = 5

// A Server serves any number of clients, over stdio and HTTP. All clients share one
// harbour.
type Server struct {
	core  *core.Core
	fault *fault.Fault
	grace time.Duration
	hosts []string
	auth  *auth.Authority // nil: the server demands no tokens
	data  http.Handler    // of references; nil without the extension
}

// New makes a server. New is cheap: schemas are compiled when they are first needed.
func New(o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Grace == 0 {
		o.Grace = 500 * time.Millisecond
	}
	if o.PageSize == 0 {
		o.PageSize = PageSize
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	office := newOffice(o.Now, o.Fault)
	offered, err := extensions(o, office)
	if err != nil {
		return nil, err
	}
	var book *tasks.Book
	if o.State != "" {
		untold := func(err error) { _, _ = fmt.Fprintln(o.Log, err) }
		if book, err = tasks.OpenBook(o.State, untold); err != nil {
			return nil, err
		}
	}
	running := tasks.New(tasks.Options{Tools: taskTools(), Now: o.Now, PageSize: o.PageSize, Fault: o.Fault, Book: book})
	registry := mcpserver.NewMCPServer(identity().Name, identity().Version,
		mcpserver.WithTitle(identity().Title),
		mcpserver.WithDescription(identity().Description),
		mcpserver.WithIcons(identity().Icons...),
		mcpserver.WithInstructions("Ask for free berths first, then book one for a vessel. Tides are in metres above chart datum."),
		mcpserver.WithToolCapabilities(true),
		mcpserver.WithResourceCapabilities(true, true),
		mcpserver.WithPromptCapabilities(true),
		mcpserver.WithLogging(),
		mcpserver.WithCompletions(),
		mcpserver.WithPromptCompletionProvider(promptCompleter{&office.stations}),
		mcpserver.WithResourceCompletionProvider(resourceCompleter{}),
		mcpserver.WithRecovery(),
		mcpserver.WithResourceRecovery(),
		mcpserver.WithHooks(core.Hooks()),
	)
	s := &Server{fault: o.Fault, grace: o.Grace, hosts: o.Hosts}
	if slices.ContainsFunc(offered, func(e core.Extension) bool { return e.Name == "data-references" }) {
		s.data = office.references
	}
	if o.Auth || o.Fault != nil && o.Fault.Auth != nil {
		if s.auth, err = auth.New(pathMCP, o.Fault, o.Now); err != nil {
			return nil, err
		}
	}
	own := newOffer(office, o.Fault, registry)
	s.core = core.New(core.Config{
		MCP:        own.registry,
		Tool:       own.tool,
		Identity:   identity(),
		Extensions: append(offered, running.Extension()),
		Fault:      o.Fault,
		Since:      since(askingTools(), modernTools(), (&errands{}).tools(), adviceTools(), jobTools(nil)),
		PageSize:   o.PageSize,
		Shelf:      o.shelf,
		Log:        o.Log,
		Patience:   o.Patience,
		Now:        o.Now,
	})
	own.core = s.core
	running.Serve(s.core)
	office.serve(s.core)
	return s, nil
}

// ServeStdio serves one client until its input ends, term is closed or receives a
// value, or ctx ends, and returns the exit code of the process.
func (s *Server) ServeStdio(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
	return front.Stdio{Core: s.core, Fault: s.fault, Grace: s.grace}.Serve(ctx, term, in, out, errw)
}

// The paths that Handler and Legacy serve.
const (
	pathMCP     = "/mcp"
	pathSSE     = "/sse"
	pathMessage = "/message"
)

// Handler serves clients over Streamable HTTP at /mcp, and the well-known document.
func (s *Server) Handler() http.Handler {
	endpoint := s.guarded(front.NewHTTP(s.core, s.fault, pathMCP, s.hosts))
	page := &wellknown.Page{Core: s.core, Login: s.auth != nil}
	published := slices.ContainsFunc(s.core.Extensions, func(e core.Extension) bool { return e.Name == wellknown.Name })
	if s.data == nil && !published {
		return endpoint
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.data != nil && strings.HasPrefix(r.URL.Path, dataref.Path): // a signed address is all that it takes
			s.data.ServeHTTP(w, r)
			return
		case published && page.Serves(r.URL.Path):
			page.ServeHTTP(w, r)
			return
		}
		endpoint.ServeHTTP(w, r)
	})
}

// guarded demands tokens for a handler in auth mode.
func (s *Server) guarded(handler http.Handler) http.Handler {
	if s.auth == nil {
		return handler
	}
	return s.auth.Guard(handler)
}

// Legacy serves clients over the HTTP+SSE of 2024-11-05: streams at /sse, posts at
// /message.
func (s *Server) Legacy() http.Handler {
	return front.NewSSE(s.core, s.fault, pathSSE, pathMessage, s.hosts)
}

// Both serves both transports, like a newer server that keeps its older clients.
// HTTP+SSE is older than tokens, so Both does not serve it in auth mode.
func (s *Server) Both() http.Handler {
	current, legacy := s.Handler(), s.Legacy()
	if s.auth != nil {
		return current
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == pathSSE || r.URL.Path == pathMessage {
			legacy.ServeHTTP(w, r)
			return
		}
		current.ServeHTTP(w, r)
	})
}

// Authority issues the tokens of a server in auth mode; nil in other modes.
func (s *Server) Authority() *auth.Authority { return s.auth }

func identity() mcp.Implementation {
	return mcp.Implementation{
		Name:        "harbour-office",
		Version:     "1.0.0",
		Title:       "Harbour office",
		Description: "Plans berths, tides and fees of a small harbour.",
		Icons:       []mcp.Icon{{Src: "data:image/png;base64," + pixel(), MIMEType: "image/png", Sizes: []string{"1x1"}}},
	}
}
