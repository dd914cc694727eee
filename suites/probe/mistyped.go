package probe

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Mistyped reports whether the Content-Type keeps a JSON-RPC response in the body of an
// exchange over HTTP from being the answer to what was sent. The body of a refusal may be
// anything, unless it is the response to the request.
func Mistyped(sent, head, body Seen) bool {
	if head.HTTP == nil || head.MediaType() == "application/json" || head.Streams() {
		return false
	}
	asked, m := sent.Message(), body.Message()
	responds := m.Class == frame.Result || m.Class == frame.Error
	switch status := head.HTTP.Status; {
	case status < http.StatusMultipleChoices:
		return responds && asked.Class != frame.Notification
	default:
		return asked.Class == frame.Request && responds && m.HasID && sameID(m.ID, asked.ID)
	}
}

// mistyped reports whether http/response-type judges why there is no answer.
func (r *reaction) mistyped() bool {
	if r.got != nil || r.sent == nil || r.head == nil || r.end == nil || r.client.setup.Transport != requirements.HTTP {
		return false
	}
	body := Seen{}
	if r.end.Kind == frame.KindBody {
		body = *r.end
	}
	return Mistyped(*r.sent, *r.head, body)
}

// Mistyped reports whether the answer is missing because of its Content-Type, which
// http/response-type judges.
func (v *Violation) Mistyped() bool { return v.mistyped }
