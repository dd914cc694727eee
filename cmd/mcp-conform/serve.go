package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/internal/room"
	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/auth"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	http        string
	sse         string
	fault       string
	extensions  []string
	none        bool // no extension
	pageSize    int
	state       string
	auth        bool
	printConfig bool
}

func serveCommand(w world) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "run the reference server",
		Long: `Serve as the reference server, which keeps every requirement at every revision:
over standard input and output, over Streamable HTTP, or over the HTTP+SSE of
2024-11-05. With --fault it breaks exactly one requirement.`,
		Example: "mcp-conform serve --http 127.0.0.1:0\n" +
			"mcp-conform run -- mcp-conform serve --fault stdout-empty-line",
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.printConfig {
				_, err := w.out.Write(referenceserver.Config)
				return err
			}
			return f.serve(cmd.Context(), w)
		},
	}
	cmd.Flags().StringVar(&f.http, "http", "", "serve HTTP at this `address`, such as 127.0.0.1:8080; port 0 takes a free one")
	cmd.Flags().StringVar(&f.sse, "sse", "", "serve HTTP+SSE at this `address`; it may be that of --http")
	cmd.Flags().StringVar(&f.fault, "fault", "", "break the requirement of this fault; \"mcp-conform list faults\" has their `NAMES`")
	cmd.Flags().StringSliceVar(&f.extensions, "extensions", nil, "offer only these extension proposals, as `NAME,NAME` (default all)")
	cmd.Flags().BoolVar(&f.none, "no-extensions", false, "offer no extension proposal")
	cmd.MarkFlagsMutuallyExclusive("extensions", "no-extensions")
	cmd.Flags().IntVar(&f.pageSize, "page-size", server.PageSize,
		"put this `many` items on a page of a short list, and more on one of a longer list")
	cmd.Flags().StringVar(&f.state, "state", "",
		"keep tasks in `FILE`, so that they survive a restart; for one server at a time, and it only grows")
	cmd.Flags().BoolVar(&f.auth, "auth", false, "over HTTP let in only whoever shows a token, and write tokens for a configuration to stderr")
	cmd.Flags().BoolVar(&f.printConfig, "print-config", false, "print the configuration that the server is judged with")
	complete(cmd, "fault", faultNames)
	return cmd
}

// spare is how far the heap of the server may grow between two collections: little of
// the heap is in use, and a request leaves mostly garbage.
const spare = 64 << 20

func (f *serveFlags) serve(ctx context.Context, w world) error {
	defer room.Leave(spare)()
	broken, err := findFault(f.fault)
	if err != nil {
		return err
	}
	offered := f.extensions
	if f.none {
		offered = []string{}
	}
	if f.auth && f.sse != "" {
		return &misuse{"--auth is not for HTTP+SSE", "want --http ADDRESS alone beside it"}
	}
	if f.auth && f.http == "" {
		return &misuse{"--auth is for HTTP", "want --http ADDRESS beside it: over stdio credentials come from the environment"}
	}
	s, err := server.New(server.Options{
		Fault: broken, Extensions: offered, PageSize: max(f.pageSize, 1), Log: w.err, Auth: f.auth, State: f.state,
	})
	if err != nil {
		return &misuse{problem: err.Error()}
	}
	asked, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
	defer stop()
	term := asked.Done()
	switch {
	case f.http != "" && f.sse != "" && f.http != f.sse:
		return &misuse{"--http and --sse name different addresses", "give both the same one, or run the command twice"}
	case f.sse != "" && f.http != "":
		return serveHTTP(ctx, w, served{"--http", f.http, s.Both(), []string{inprocess.Path, inprocess.SSE}, s.Authority(), broken}, term)
	case f.sse != "":
		return serveHTTP(ctx, w, served{"--sse", f.sse, s.Legacy(), []string{inprocess.SSE}, s.Authority(), broken}, term)
	case f.http != "":
		return serveHTTP(ctx, w, served{"--http", f.http, s.Handler(), []string{inprocess.Path}, s.Authority(), broken}, term)
	}
	if code := s.ServeStdio(ctx, term, w.in, w.out, w.err); code != 0 {
		return exit(code)
	}
	return nil
}

// A served handler listens at an address from a flag, under some paths.
type served struct {
	flag, address string
	handler       http.Handler
	paths         []string
	authority     *auth.Authority // nil: everybody gets in
	broken        *fault.Fault    // nil: no fault
}

// serveHTTP serves until a signal asks it to end.
func serveHTTP(ctx context.Context, w world, what served, term <-chan struct{}) error {
	address, broken := what.address, what.broken
	if strings.HasPrefix(address, ":") && (broken == nil || !broken.HTTP.Everywhere) {
		address = "127.0.0.1" + address // not for the whole network unless that is said
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return &misuse{what.flag + ": " + err.Error(), "want an address such as 127.0.0.1:8080, or port 0 for a free one"}
	}
	if broken != nil && broken.HTTP.Conn != nil {
		listener = mangled{listener, broken.HTTP.Conn}
	}
	s := &http.Server{Handler: what.handler, ReadHeaderTimeout: 10 * time.Second}
	for _, path := range what.paths {
		w.say("serving http://%s%s", listener.Addr(), path)
	}
	if what.authority != nil {
		if err := tellTokens(w, what.authority, "http://"+listener.Addr().String()); err != nil {
			return err
		}
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-term:
	case <-ctx.Done():
	}
	// Clients may keep streams open for any time.
	grace, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := s.Shutdown(grace); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop serving HTTP: %w", err)
	}
	return s.Close()
}

// mangled is a listener with a fault in its connections.
type mangled struct {
	net.Listener
	conn func(net.Conn) net.Conn
}

func (m mangled) Accept() (net.Conn, error) {
	conn, err := m.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return m.conn(conn), nil
}

// tellTokens writes the accepted tokens in the form of a configuration. The tokens are
// made for this process and end with it.
func tellTokens(w world, a *auth.Authority, base string) error {
	tokens, err := a.People(base)
	if err != nil {
		return fmt.Errorf("make tokens: %w", err)
	}
	var b strings.Builder
	b.WriteString("principals:\n")
	for _, name := range slices.Sorted(maps.Keys(tokens)) {
		fmt.Fprintf(&b, "  %s: {token: %s}\n", name, tokens[name])
	}
	b.WriteString("  client: {register: true}\n")
	_, err = io.WriteString(w.err, b.String())
	return err
}

// findFault finds a fault by name; an empty name gives nil.
func findFault(name string) (*fault.Fault, error) {
	if name == "" {
		return nil, nil
	}
	f, ok := faults.Find(name)
	if !ok {
		return nil, &misuse{"unknown fault " + quoted(name), perhaps(name, faultNames(), `"mcp-conform list faults" lists them`)}
	}
	return &f, nil
}

func faultNames() []string {
	var names []string
	for _, f := range faults.All() {
		names = append(names, f.Name)
	}
	return names
}
