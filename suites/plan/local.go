package plan

import (
	"context"
	"io"
	"net"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Local is a server that runs inside this program.
type Local struct {
	// Serve stands in for a process: standard input and output, a channel that
	// closes when it is asked to end, and a context that ends when it is killed.
	Serve func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int
	// Handler serves Streamable HTTP at Path, and HTTP+SSE at SSE where that is
	// named; the latter is judged when it is asked for.
	Handler http.Handler
	Path    string
	SSE     string

	rig Rig
}

// A Rig is what the kit's own proof has to say of a server inside the program beside what
// it serves.
type Rig struct {
	// Within has clients connect to the handler without a network, as if it were at port
	// 8080 of loopback: in a bubble of testing/synctest, waits for it take no time then.
	Within bool
	// Everywhere has it listen on all addresses of the machine, instead of on loopback,
	// and not within this program alone.
	Everywhere bool
	// Conn stands between a connection and the handler; nil where nothing does.
	Conn func(net.Conn) net.Conn
	// Login gives what lets clients in that ask the handler at a URL, in place of what
	// the configuration says of the same roles; nil where everybody is let in. Mint
	// gives further tokens.
	Login func(url string) ([]roles.Filled, error)
	Mint  func(ctx context.Context, url, scope, resource string) (string, error)
}

// Rigged is the server with another rig.
func Rigged(l Local, r Rig) *Local {
	l.rig = r
	return &l
}

// RigOf is the rig of a server; where there is no server, the zero one.
func RigOf(l *Local) Rig {
	if l == nil {
		return Rig{}
	}
	return l.rig
}
