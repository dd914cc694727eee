package probe

import (
	"context"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// What stands here is kept until the last page has moved.

// CallAs is Call under an id of the case's own.
//
// Deprecated: pages move to Call with WithID.
func (c *Client) CallAs(ctx context.Context, id, method string, params Object) (*Reply, error) {
	return c.Call(ctx, method, params, WithID(id))
}

// CallWith is Call with further HTTP headers.
//
// Deprecated: pages move to Call with WithHeader.
func (c *Client) CallWith(ctx context.Context, method string, params Object, header http.Header) (*Reply, error) {
	return c.Call(ctx, method, params, WithHeader(header))
}

// AskWith is Ask with HTTP headers of the case's own.
//
// Deprecated: pages move to Ask with WithHeader.
func (c *Client) AskWith(ctx context.Context, text string, header http.Header) (*Reply, error) {
	return c.Ask(ctx, text, WithHeader(header))
}

// AskPatiently is Ask that waits as long as for the answer to a good request.
//
// Deprecated: pages move to Ask with Patient.
func (c *Client) AskPatiently(ctx context.Context, text string) (*Reply, error) {
	return c.Ask(ctx, text, Patient())
}

// Glance sends a frame that may be ignored, and requests behind it.
//
// Deprecated: pages move to Ask with ThenBarrier, and Reply.Behind.
func (c *Client) Glance(ctx context.Context, text string) (reply, behind *Reply, err error) {
	if reply, err = c.Ask(ctx, text, ThenBarrier()); err != nil {
		return nil, nil, err
	}
	return reply, reply.behind, nil
}

// CallToolWith is CallTool with further HTTP headers.
//
// Deprecated: pages move to CallTool with WithHeader.
func (c *Client) CallToolWith(ctx context.Context, t *ToolCall, beside Object, header http.Header) (*Reply, error) {
	return c.CallTool(ctx, t, beside, WithHeader(header))
}

// The error codes.
//
// Deprecated: pages move to package protocol.
const (
	ParseError         = protocol.ParseError
	InvalidRequest     = protocol.InvalidRequest
	MethodNotFound     = protocol.MethodNotFound
	InvalidParams      = protocol.InvalidParams
	InternalError      = protocol.InternalError
	HeaderMismatch     = protocol.HeaderMismatch
	MissingCapability  = protocol.MissingCapability
	UnsupportedVersion = protocol.UnsupportedVersion
)

// The keys of _meta.
//
// Deprecated: pages move to package protocol.
const (
	MetaVersion      = protocol.MetaVersion
	MetaClientInfo   = protocol.MetaClientInfo
	MetaCapabilities = protocol.MetaCapabilities
)

// Broken is a violation that several exchanges show together.
//
// Deprecated: pages move to Shown(replies...).Violation.
func Broken(frames []frame.Frame, format string, args ...any) *Violation {
	return Evidence(frames).Violation(format, args...)
}

// Bound is a Binding.
//
// Deprecated: pages move to Binding.
type Bound = Binding
