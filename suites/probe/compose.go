package probe

import (
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A composer writes what a good client says.
type composer struct {
	column   *column
	ledger   *ledger
	declares Object // the client's capabilities, where they differ from the setup's
}

// Compose returns the bytes that a good client of this revision would send,
// with a fresh id, for a case to change.
func (c *composer) Compose(method string, params Object) string {
	return RequestText(c.ledger.nextID(), method, c.Params(params))
}

// Params are the params as a good client of this revision sends them: from
// 2026-07-28 on with the metadata of each request.
func (c *composer) Params(params Object) Object {
	meta := c.meta()
	if meta == nil {
		return params
	}
	if given, ok := params["_meta"].(Object); ok {
		for name, value := range given {
			meta[name] = value
		}
	}
	return params.With("_meta", meta)
}

// meta is the metadata that this revision demands in each request; nil where it
// demands none.
func (c *composer) meta() Object {
	if !protocol.RequestMeta().At(c.column.setup.Revision) {
		return nil
	}
	return Object{
		protocol.MetaVersion:      string(c.column.setup.Revision),
		protocol.MetaClientInfo:   c.column.setup.Kit,
		protocol.MetaCapabilities: c.Capabilities(),
	}
}

// InitializeParams are the params of a good handshake at a revision.
func (c *composer) InitializeParams(r requirements.Revision) Object {
	return Object{"protocolVersion": string(r), "capabilities": c.Capabilities(), "clientInfo": c.column.setup.Kit}
}

// Capabilities are the capabilities that this client declares.
func (c *composer) Capabilities() Object {
	if c.declares != nil {
		return c.declares
	}
	return c.column.setup.Capabilities
}
