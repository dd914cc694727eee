package server

import (
	"sync"
	"sync/atomic"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// An offer is what a server offers. It fills the registry when something needs the whole
// registry: mcp-go reads the schema of each tool that it takes, and many clients only call
// a tool or two.
type offer struct {
	office *office
	fault  *fault.Fault
	core   *core.Core

	mcp    *mcpserver.MCPServer // empty at first
	fill   sync.Once
	filled atomic.Bool
	tools  func() map[string]*mcpserver.ServerTool // as the office offers them at first
}

func newOffer(from *office, f *fault.Fault, empty *mcpserver.MCPServer) *offer {
	o := &offer{office: from, fault: f, mcp: empty}
	o.tools = sync.OnceValue(func() map[string]*mcpserver.ServerTool {
		byName := map[string]*mcpserver.ServerTool{}
		for _, t := range from.tools(o) {
			byName[t.name] = t.entry()
		}
		return byName
	})
	return o
}

// registry is the registry, filled.
func (o *offer) registry() *mcpserver.MCPServer {
	o.fill.Do(func() {
		tools := make([]mcpserver.ServerTool, 0, len(o.tools()))
		for _, t := range o.tools() {
			tools = append(tools, *t)
		}
		o.mcp.AddTools(tools...)
		o.office.offer(o.mcp)
		if o.changed() {
			o.fault.Domain(domain{o.mcp})
		}
		o.filled.Store(true)
	})
	return o.mcp
}

// tool is a tool of the registry, or nil.
func (o *offer) tool(name string) *mcpserver.ServerTool {
	if o.changed() || o.filled.Load() {
		return o.registry().GetTool(name)
	}
	return o.tools()[name]
}

// changed says whether a fault changes what the server offers.
func (o *offer) changed() bool { return o.fault != nil && o.fault.Domain != nil }
