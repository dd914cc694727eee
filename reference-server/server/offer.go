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

	empty  *mcpserver.MCPServer // until it is filled
	fill   sync.Once
	filled atomic.Bool
	tools  func() map[string]*mcpserver.ServerTool // as the office offers them at first
}

func newOffer(o *office, f *fault.Fault, empty *mcpserver.MCPServer) *offer {
	all := &offer{office: o, fault: f, empty: empty}
	all.tools = sync.OnceValue(func() map[string]*mcpserver.ServerTool {
		byName := map[string]*mcpserver.ServerTool{}
		for _, t := range o.tools(all) {
			byName[t.name] = t.entry()
		}
		return byName
	})
	return all
}

// registry is the registry, filled.
func (all *offer) registry() *mcpserver.MCPServer {
	all.fill.Do(func() {
		tools := make([]mcpserver.ServerTool, 0, len(all.tools()))
		for _, t := range all.tools() {
			tools = append(tools, *t)
		}
		all.empty.AddTools(tools...)
		all.office.offer(all.empty)
		if all.changed() {
			all.fault.Domain(domain{all.empty})
		}
		all.filled.Store(true)
	})
	return all.empty
}

// tool is a tool of the registry, or nil.
func (all *offer) tool(name string) *mcpserver.ServerTool {
	if all.changed() || all.filled.Load() {
		return all.registry().GetTool(name)
	}
	return all.tools()[name]
}

// changed says whether a fault changes what the server offers.
func (all *offer) changed() bool { return all.fault != nil && all.fault.Domain != nil }
