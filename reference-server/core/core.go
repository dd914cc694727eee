// Package core turns one message of a client into its answer: it decides the
// era and the revision, checks what the protocol demands, lets mcp-go's
// registry do the work, and fits the result to the revision. It knows no
// transport.
package core

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Config is what a Core is made of.
type Config struct {
	// MCP returns the registry, which is made with the hooks that Hooks returns. Its first
	// call may fill the registry. Code that changes the registry later calls Change.
	MCP func() *mcpserver.MCPServer
	// Tool returns a tool of the registry, or nil. It need not fill the registry; nil looks
	// there.
	Tool       func(name string) *mcpserver.ServerTool
	Identity   mcp.Implementation
	Extensions []Extension
	Fault      *fault.Fault // nil for the server that keeps every rule
	// Since names the first revision that offers a tool. Every revision offers a tool
	// that is not named.
	Since    map[string]requirements.Revision
	PageSize int
	Shelf    *Shelf    // of servers with the same registry; nil for a shelf of its own
	Log      io.Writer // for the operator
	// Patience is how long a client may take to answer a request of the server; zero is
	// a minute.
	Patience time.Duration
	Now      func() time.Time // nil is the real clock
}

// A Core serves any number of conversations at the same time.
type Core struct {
	Config
	ids     atomic.Int64 // the ids that mcp-go gets in place of the clients' ids
	methods map[string]method
	hub     hub
	shelf   atomic.Pointer[Shelf]
	names   string // of the extensions
	counts  counts
	greeted sync.Map // for faults only: the HTTP connections that carried an initialize
	firsts  sync.Map // for faults only: by method, the conversation that sent it first

	stateKey [sha256.Size]byte // authenticates the states of rounds; new for each process
	spent    spent

	introduction func() any // Identity in the form of results
	logging      sync.Mutex
}

// New returns a Core.
func New(cfg Config) *Core {
	c := &Core{Config: cfg}
	if c.Patience == 0 {
		c.Patience = time.Minute
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tool == nil {
		c.Tool = func(name string) *mcpserver.ServerTool { return c.MCP().GetTool(name) }
	}
	c.shelf.Store(cmp.Or(cfg.Shelf, &Shelf{}))
	_, _ = rand.Read(c.stateKey[:]) // rand.Read never fails
	c.introduction = sync.OnceValue(c.introduce)
	c.methods = c.core()
	for _, extension := range cfg.Extensions {
		c.names += extension.Name + " "
		for name, serve := range extension.Methods {
			c.methods[name] = method{serve: serve, legacy: true, modern: true, slow: true, params: object}
		}
	}
	return c
}

func (c *Core) introduce() any {
	identity, err := reread(c.Identity)
	if err != nil {
		return c.Identity
	}
	return c.preEncoded(identity)
}

// An Inbound is a message together with the facts that its transport knows.
type Inbound struct {
	envelope.Message
	Transport requirements.Transport
	HTTP      *HTTP // nil over stdio
	Principal string
}

// HTTP is the rest of a request over HTTP, besides its body.
type HTTP struct {
	Method string
	Header map[string][]string
	Caller string // the other end of the connection
	Host   string // the name and port of the server in the request
	Modern bool   // the version header names a revision without a handshake
	Refuse *Error // the headers are wrong; the message is not served
}

// An Error is a JSON-RPC error for the client. Handlers of tools, resources and
// prompts may return one too.
type Error struct {
	Code    int
	Message string
	Data    any
}

func (e *Error) Error() string { return e.Message }

// The codes of the protocol.
const (
	MethodNotFound     = -32601
	InternalError      = -32603
	ResourceNotFound   = -32002
	HeaderMismatch     = -32020
	URLWanted          = -32042 // at 2025-11-25
	MissingCapability  = -32021
	UnsupportedVersion = -32022
)

// remark writes a line for the operator. An error of the log is ignored: the server
// serves on.
func (c *Core) remark(format string, values ...any) {
	if c.Log != nil {
		c.logging.Lock()
		defer c.logging.Unlock()
		_, _ = fmt.Fprintf(c.Log, format+"\n", values...)
	}
}

func refuse(code int, text string) *Error { return &Error{Code: code, Message: text} }

func badParams(text string) *Error { return refuse(envelope.InvalidParams, text) }

// counts counts requests by method.
type counts struct {
	mu sync.Mutex
	by map[string]int
}

func (c *counts) next(method string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]int{}
	}
	c.by[method]++
	return c.by[method]
}
