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
func (s *Serving) serveNotification() Outcome {
	if s.core.Fault.Skips(fault.CheckNotification) && s.in.Method != "notifications/initialized" {
		return Outcome{Messages: []fault.Message{s.errorWithoutID(refuse(MethodNotFound, "unknown notification"))}, Status: http.StatusOK}
	}
	if s.in.Problem != nil {
		return s.unanswerable(s.in.Problem)
	}
	switch s.in.Method {
	case "notifications/initialized":
		s.conv.ready()
		s.core.hub.join(s.conv)
	case "notifications/cancelled":
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
			Reason    string          `json:"reason"`
		}
		if json.Unmarshal(s.in.Params, &params) == nil {
			_, text := envelope.Text(params.RequestID)
			key, ok := envelope.IDKey(params.RequestID)
			if cancelsAll(s.core.Fault.Skips, ok, ok && s.conv.runs(key)) {
				s.conv.cancelledAll()
			}
			if ok && !(text && s.core.Fault.Skips(fault.CheckCancelText)) {
				s.core.remark("request %s cancelled: %q", params.RequestID, params.Reason)
				s.conv.cancelled(key)
				if s.core.Fault.Skips(fault.CheckCancelForeign) {
					s.core.hub.cancelled(key)
				}
				for _, extension := range s.core.Extensions {
					if extension.Cancelled != nil {
						extension.Cancelled(s.conv, params.RequestID)
					}
				}
			}
		}
	}
	return Outcome{Status: http.StatusAccepted}
}

// cancelsAll reports whether a fault has a cancellation end more than the request that it names.
func cancelsAll(skips func(fault.Check) bool, named, running bool) bool {
	switch {
	case !named:
		return skips(fault.CheckCancelUnnamed)
	case running:
		return skips(fault.CheckCancelOthers)
	default:
		return skips(fault.CheckCancelUnknown)
	}
}

// unanswerable ends a message that may not be answered over stdio. HTTP wants a
// status, and allows an error without an id.
func (s *Serving) unanswerable(p *envelope.Problem) Outcome {
	switch {
	case p == nil:
		return Outcome{Status: http.StatusAccepted}
	case s.in.HTTP == nil:
		return Outcome{}
	default:
		return s.unreadable()
	}
}

// unreadable answers a text that is not a message.
func (s *Serving) unreadable() Outcome {
	p := s.in.Problem
	if s.in.HTTP == nil && p.Code == envelope.ParseError && s.core.Fault != nil && s.core.Fault.Stdio.Garbage != nil {
		v := s.core.Fault.Stdio.Garbage()
		return Outcome{Messages: v.Answer, Hang: v.Hang, Exits: v.Exits, Exit: v.Exit}
	}
	message := s.errorWithoutID(refuse(p.Code, p.Text))
	if s.in.ID != nil {
		message["id"] = s.in.ID
	}
	return Outcome{Messages: s.core.Fault.Outgoing(s.x, message), Status: http.StatusBadRequest}
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
func (s *Serving) errorWithoutID(e *Error) fault.Message {
	message := fault.Message{"jsonrpc": "2.0", "error": e.object()}
	if r := s.conv.Revision(); r != "" && r.Before(requirements.R20251125) && s.in.Kind != envelope.Notification {
		message["id"] = nil
	}
	return message
}

func (s *Serving) mayBatch() bool {
	return s.conv.Revision() == requirements.R20250326 || s.core.Fault.Skips(fault.CheckBatchAllowed)
}

func (s *Serving) beginMembers() {
	if !s.mayBatch() {
		return
	}
	for _, member := range s.in.Members {
		in := s.in
		in.Message = member
		if member.Kind == envelope.Request && member.Method == "initialize" && in.Problem == nil {
			in.Problem = &envelope.Problem{Code: envelope.InvalidRequest, Text: "initialize cannot be part of a batch"}
		}
		s.members = append(s.members, s.core.Begin(s.ctx, s.conv, in))
	}
}

func (s *Serving) runMembers() Outcome {
	switch {
	case !s.mayBatch():
		s.in.Problem = &envelope.Problem{Code: envelope.InvalidRequest, Text: "lists of messages are not part of this revision"}
		return s.unreadable()
	case len(s.members) == 0 && !s.core.Fault.Skips(fault.CheckBatchEmpty):
		s.in.Problem = &envelope.Problem{Code: envelope.InvalidRequest, Text: "an empty list is no message"}
		return s.unreadable()
	}
	outcomes := make([]Outcome, len(s.members))
	var running sync.WaitGroup
	for i, member := range s.members {
		running.Go(func() { outcomes[i] = member.Run(s.sink) })
	}
	running.Wait()
	all := Outcome{List: true, Status: http.StatusOK}
	for i, outcome := range outcomes {
		broken := s.members[i].in.Kind == envelope.Unreadable
		if broken && s.core.Fault.Skips(fault.CheckBatchMembers) {
			continue
		}
		all.Messages = append(all.Messages, outcome.Messages...)
		all.Hang = all.Hang || outcome.Hang
		if outcome.Exits {
			all.Exits, all.Exit = true, outcome.Exit
		}
	}
	if len(all.Messages) == 0 && len(s.members) > 0 {
		return Outcome{Status: http.StatusAccepted, Hang: all.Hang, Exits: all.Exits, Exit: all.Exit}
	}
	return all
}
