package core

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// received is a message as it came, and what is known of its sender.
type received struct {
	core *Core
	conv *Conversation
	in   Inbound
	x    fault.Exchange
	meta meta
}

// exchange is what hooks are told of the message.
func (r *received) exchange() fault.Exchange {
	x := fault.Exchange{
		Revision:  r.conv.Revision(),
		Ready:     r.conv.isReady(),
		Transport: r.in.Transport,
		Method:    r.in.Method,
		ID:        r.in.ID,
		Params:    r.in.Params,
	}
	if r.meta.modern {
		x.Revision = requirements.R20260728
	}
	if r.in.HTTP != nil {
		x.HTTP, x.Header = r.in.HTTP.Method, http.Header(r.in.HTTP.Header)
	}
	if r.core.Fault != nil && r.in.HTTP != nil {
		if r.in.Method == "initialize" {
			r.core.greeted.Store(r.in.HTTP.Caller, true)
		}
		_, x.Greeted = r.core.greeted.Load(r.in.HTTP.Caller)
	}
	if r.core.Fault != nil && r.in.Method != "" {
		if r.conv.Alone {
			x.Nth = r.core.counts.next(r.in.Method)
		} else {
			x.Nth = r.conv.counts.next(r.in.Method)
		}
		first, _ := r.core.firsts.LoadOrStore(r.in.Method, r.conv)
		x.First = first == r.conv
		x.Past = r.conv.remember(fault.Asked{Method: r.in.Method, ID: r.in.ID, Params: r.in.Params})
	}
	return x
}

// Exchange describes the message to hooks.
func (r *received) Exchange() fault.Exchange { return r.x }

// Modern says whether the message belongs to the era without a handshake.
func (r *received) Modern() bool { return r.meta.modern }

// Revision is the revision that binds this request.
func (r *received) Revision() requirements.Revision {
	if r.meta.modern {
		return requirements.R20260728
	}
	if agreed := r.conv.Revision(); agreed != "" {
		return agreed
	}
	return requirements.R20241105
}

// IsRequest says whether the message wants an answer.
func (r *received) IsRequest() bool { return r.in.Kind == envelope.Request }

// Meta returns a member of the request's _meta; nil if it is missing.
func (r *received) Meta(key string) json.RawMessage { return r.meta.all[key] }

// Header returns the values of a header of the HTTP request.
func (r *received) Header(name string) []string {
	if r.in.HTTP == nil {
		return nil
	}
	return r.x.Header.Values(name)
}

// Method is the method of the request.
func (r *received) Method() string { return r.in.Method }

// Params returns the params of the request.
func (r *received) Params() json.RawMessage { return r.in.Params }

// Principal is the bearer token of the client, or empty without one.
func (r *received) Principal() string { return r.in.Principal }

// Conversation is the conversation of the request. Each modern request over HTTP has
// its own.
func (r *received) Conversation() *Conversation { return r.conv }

// Host is the name and the port under which the client reaches the server over HTTP; empty
// over stdio.
func (r *received) Host() string {
	if r.in.HTTP == nil {
		return ""
	}
	return r.in.HTTP.Host
}

// Caller tells the connections of HTTP apart. Caller does not identify the client.
func (r *received) Caller() string {
	if r.in.HTTP == nil {
		return ""
	}
	return r.in.HTTP.Caller
}

// Capabilities are the client's, declared with this request or in the handshake.
func (r *received) Capabilities() json.RawMessage {
	if r.meta.modern {
		return r.meta.capabilities
	}
	return r.conv.declared()
}

// Lacks names the capabilities for a question that the client does not declare. It is
// nil when the client declares all of them.
func (r *received) Lacks(method string, params map[string]any) error {
	lacking := lacking(r.Capabilities(), r.Revision(), method, params)
	f := r.core.Fault
	capability, _, _ := strings.Cut(method, "/")
	anyMode := f.Skips(fault.CheckClientMode) && isObject(members(r.Capabilities())[capability])
	if lacking == nil || f.Skips(fault.CheckClientCapability) || anyMode {
		return nil
	}
	return &Unanswered{Why: "the client does not declare what " + method + " takes", Lacking: lacking}
}

// Declares says whether the client declares an extension.
func (r *received) Declares(extension string) bool {
	return isObject(members(members(r.Capabilities())["extensions"])[extension])
}

// Skips says whether the server's fault skips a check.
func (r *received) Skips(c fault.Check) bool { return r.core.Fault.Skips(c) }
