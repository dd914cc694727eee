package core

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// serveNotification takes a notification. A notification is never answered, even if it
// is wrong.
func (t *Turn) serveNotification() Outcome {
	if t.core.Fault.Skips(fault.CheckNotification) && t.in.Method != "notifications/initialized" {
		return Outcome{Messages: []fault.Message{t.errorWithoutID(refuse(MethodNotFound, "unknown notification"))}, Status: http.StatusOK}
	}
	if t.in.Problem != nil {
		return t.unanswerable(t.in.Problem)
	}
	switch t.in.Method {
	case "notifications/initialized":
		t.conv.ready()
		t.core.hub.join(t.conv)
	case "notifications/cancelled":
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
			Reason    string          `json:"reason"`
		}
		if json.Unmarshal(t.in.Params, &params) == nil {
			if key, ok := envelope.IDKey(params.RequestID); ok {
				t.core.remark("request %s cancelled: %q", params.RequestID, params.Reason)
				t.conv.cancelled(key)
			}
		}
	}
	return Outcome{Status: http.StatusAccepted}
}

// unanswerable ends a message that may not be answered over stdio. HTTP wants a
// status, and allows an error without an id.
func (t *Turn) unanswerable(p *envelope.Problem) Outcome {
	switch {
	case p == nil:
		return Outcome{Status: http.StatusAccepted}
	case t.in.HTTP == nil:
		return Outcome{}
	default:
		return t.unreadable()
	}
}

// unreadable answers a text that is not a message.
func (t *Turn) unreadable() Outcome {
	p := t.in.Problem
	if t.in.HTTP == nil && p.Code == envelope.ParseError && t.core.Fault != nil && t.core.Fault.Stdio.Garbage != nil {
		v := t.core.Fault.Stdio.Garbage()
		return Outcome{Messages: v.Answer, Hang: v.Hang, Exits: v.Exits, Exit: v.Exit}
	}
	message := t.errorWithoutID(refuse(p.Code, p.Text))
	if t.in.ID != nil {
		message["id"] = t.in.ID
	}
	return Outcome{Messages: t.core.Fault.Outgoing(t.x, message), Status: http.StatusBadRequest}
}

// Refuse makes the answer to an HTTP request that the front refuses before it has read
// a message.
func (c *Core) Refuse(x fault.Exchange, e *Error) []fault.Message {
	message := fault.Message{"jsonrpc": "2.0", "error": e.object()}
	return c.Fault.Outgoing(x, message)
}

// errorWithoutID makes an error for a message with an unreadable id. Schemas up to
// 2025-06-18 demand an id, and JSON-RPC says null then; later schemas allow no null id
// and make the id optional.
func (t *Turn) errorWithoutID(e *Error) fault.Message {
	message := fault.Message{"jsonrpc": "2.0", "error": e.object()}
	if r := t.conv.Revision(); r != "" && r.Before(requirements.R20251125) && t.in.Kind != envelope.Notification {
		message["id"] = nil
	}
	return message
}

func (t *Turn) mayBatch() bool {
	return t.conv.Revision() == requirements.R20250326 || t.core.Fault.Skips(fault.CheckBatchAllowed)
}

func (t *Turn) beginMembers() {
	if !t.mayBatch() {
		return
	}
	for _, member := range t.in.Members {
		in := t.in
		in.Message = member
		if member.Kind == envelope.Request && member.Method == "initialize" && in.Problem == nil {
			in.Problem = &envelope.Problem{Code: envelope.InvalidRequest, Text: "initialize cannot be part of a batch"}
		}
		t.members = append(t.members, t.core.Begin(t.ctx, t.conv, in))
	}
}

func (t *Turn) runMembers() Outcome {
	switch {
	case !t.mayBatch():
		t.in.Problem = &envelope.Problem{Code: envelope.InvalidRequest, Text: "lists of messages are not part of this revision"}
		return t.unreadable()
	case len(t.members) == 0 && !t.core.Fault.Skips(fault.CheckBatchEmpty):
		t.in.Problem = &envelope.Problem{Code: envelope.InvalidRequest, Text: "an empty list is no message"}
		return t.unreadable()
	}
	outcomes := make([]Outcome, len(t.members))
	var running sync.WaitGroup
	for i, member := range t.members {
		running.Go(func() { outcomes[i] = member.Run(t.sink) })
	}
	running.Wait()
	all := Outcome{List: true, Status: http.StatusOK}
	for i, outcome := range outcomes {
		broken := t.members[i].in.Kind == envelope.Unreadable
		if broken && t.core.Fault.Skips(fault.CheckBatchMembers) {
			continue
		}
		all.Messages = append(all.Messages, outcome.Messages...)
		all.Hang = all.Hang || outcome.Hang
		if outcome.Exits {
			all.Exits, all.Exit = true, outcome.Exit
		}
	}
	if len(all.Messages) == 0 && len(t.members) > 0 {
		return Outcome{Status: http.StatusAccepted, Hang: all.Hang, Exits: all.Exits, Exit: all.Exit}
	}
	return all
}
