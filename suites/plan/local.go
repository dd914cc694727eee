package plan

import (
	"context"
	"io"
	"net"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Local is a server that runs inside this program.
type Local struct {
	// Serve stands in for a process: standard input and output, a channel that
	// closes when the kit asks the process to end, and a context that ends when
	// the kit kills it.
	Serve func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int
	// Handler serves Streamable HTTP at Path, and HTTP+SSE at SSE if that is set.
	// The kit judges HTTP+SSE only on request.
	Handler http.Handler
	Path    string
	SSE     string

	rig Rig
}

// A Rig is how the kit's own tests reach a server inside the program.
type Rig struct {
	// Within lets clients connect to the handler without a network, as if at port 8080 of
	// loopback: in a bubble of testing/synctest waiting then takes no time.
	Within bool
	// Everywhere makes the handler listen on all addresses of the machine, instead
	// of loopback or this program alone.
	Everywhere bool
	// Conn wraps each connection to the handler; nil: nothing does.
	Conn func(net.Conn) net.Conn
	// Anew is another server of the same kind, without what clients of this one left in it;
	// nil: there is none.
	Anew func() *Local
	// Readings and Opinions are shared by the runs that judge similar servers; nil: the run
	// has its own.
	Readings *frame.Readings
	Opinions *watching.Opinions
	// Login returns the credentials for the handler at a URL, in place of the
	// configuration's for the same roles; nil where the handler lets everybody in.
	// Mint returns further tokens.
	Login func(url string) ([]roles.Filled, error)
	Mint  func(ctx context.Context, url, scope, resource string) (string, error)
}

// Rigged is the server with another rig.
func Rigged(l Local, r Rig) *Local {
	l.rig = r
	return &l
}

// Rig is the rig of the plan's server.
func (p Plan) Rig() Rig { return RigOf(p.Local) }

// RigOf is the rig of a server; the zero Rig without a server.
func RigOf(l *Local) Rig {
	if l == nil {
		return Rig{}
	}
	return l.rig
}
