package core

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Turn is what tools, methods and extensions may ask of a message being served, and do
// for it.
type Turn struct {
	received
	outlet
	parting
	memory
	refusing

	ctx     context.Context
	stop    context.CancelFunc
	inOrder bool    // the message is served before the next message is started
	rounds  *rounds // of the running tool; nil before its first question
}

// Cancel stops the work on the message. Nothing is sent for the message any more.
func (t *Turn) Cancel() {
	f := t.core.Fault
	if f.Skips(fault.CheckCancelled) {
		return
	}
	if !f.Skips(fault.CheckCancelSilent) {
		t.stopped.Store(true)
	}
	if !f.Skips(fault.CheckCancelWork) {
		t.stop()
	}
}

// Stopped ends when the request is cancelled or the server stops.
func (t *Turn) Stopped() <-chan struct{} { return t.ctx.Done() }

// Identity is the name and version of the server.
func (t *Turn) Identity() mcp.Implementation { return t.core.Identity }

// Extensions are the extensions that are switched on.
func (t *Turn) Extensions() []Extension { return t.core.Extensions }

// HasTool says whether a tool has the name at the revision of the request.
func (t *Turn) HasTool(name string) bool {
	return t.core.Tool(name) != nil && !t.withheld(name)
}

// Tools are all tools that tools/list offers to the sender of this request, in the
// form of the request's revision. The caller must not change them.
func (t *Turn) Tools() ([]fault.Message, *Error) { return t.offered("tools/list") }

func (t *Turn) offered(method string) ([]fault.Message, *Error) {
	whole, failure := t.wholeList(method)
	if failure != nil {
		return nil, failure
	}
	items := whole.items
	if t.core.faultEditsMessages() {
		items = copies(items)
	}
	if f := t.core.Fault; f != nil && f.List != nil {
		x := t.x
		x.Method = method
		items = f.List(x, items)
	}
	return items, nil
}

// Offered is a list as modern clients without credentials get it, whole, for what is
// published outside the protocol. The caller must not change the items.
func Offered(ctx context.Context, c *Core, method string) ([]fault.Message, error) {
	t := &Turn{received: received{core: c, conv: &Conversation{Alone: true}}, ctx: ctx}
	t.meta.modern, t.x.Revision = true, requirements.R20260728
	items, failure := t.offered(method) //nolint:contextcheck // the turn holds it
	if failure != nil {
		return nil, failure
	}
	return items, nil
}

// Annotations are the annotations of a tool in the registry: older revisions do not
// list all of them.
func (t *Turn) Annotations(tool string) mcp.ToolAnnotation {
	known := t.core.Tool(tool)
	if known == nil {
		return mcp.ToolAnnotation{}
	}
	return known.Tool.Annotations
}
