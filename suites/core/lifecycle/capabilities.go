package lifecycle

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A capabilityWatcher remembers what the handshake of its connection declared.
type capabilityWatcher struct {
	proposed       map[string]any // of the last initialize
	client, server map[string]any
	agreed         bool
}

// See judges what the server asks and announces; the answer of anything that
// could have asked or announced shows that there was occasion to.
func (w *capabilityWatcher) See(s probe.Seen) probe.Opinion {
	if s.Kind != frame.KindMessage {
		return probe.Nothing()
	}
	if s.Dir == frame.Sent {
		if s.Message().Method == "initialize" {
			w.proposed = object(s.Message(), "/params/capabilities")
		}
		return probe.Nothing()
	}
	judged := false
	for _, m := range received(s) {
		if s.Request.Method == "initialize" && m.Class == frame.Result {
			w.client, w.server, w.agreed = w.proposed, object(m, "/result/capabilities"), true
			continue
		}
		spoke, problem := w.judge(s, m)
		if problem != "" {
			return s.Break(problem).Opinion()
		}
		judged = judged || spoke
	}
	return probe.Said(judged, nil)
}

func (w *capabilityWatcher) judge(s probe.Seen, m frame.Message) (spoke bool, problem string) {
	if !w.agreed {
		return false, ""
	}
	switch m.Class {
	case frame.Request:
		return w.judgeRequest(s.Revision, m.Method)
	case frame.Notification:
		return w.judgeNotification(m.Method)
	default:
		return answers(s), ""
	}
}

// answers reports whether a well-formed use of a capability was answered.
func answers(s probe.Seen) bool {
	switch s.Request.Method {
	case "tools/call", "prompts/get", "resources/read":
		return !s.Malformed
	}
	return false
}

func (w *capabilityWatcher) judgeRequest(r requirements.Revision, method string) (bool, string) {
	needs := map[string]string{
		"sampling/createMessage": "sampling", "roots/list": "roots", "elicitation/create": "elicitation",
	}[method]
	// Before, nobody could have declared it: that is a matter of the revision.
	unknown := needs == "elicitation" && r.Before(requirements.R20250618)
	if needs == "" || unknown {
		return false, ""
	}
	if declared(w.client[needs]) {
		return true, ""
	}
	return true, method + " is asked of a client that declared no " + needs
}

func (w *capabilityWatcher) judgeNotification(method string) (bool, string) {
	flag, known := map[string]struct{ capability, member string }{
		"notifications/tools/list_changed":     {"tools", "listChanged"},
		"notifications/prompts/list_changed":   {"prompts", "listChanged"},
		"notifications/resources/list_changed": {"resources", "listChanged"},
		"notifications/resources/updated":      {"resources", "subscribe"},
		"notifications/message":                {"logging", ""},
	}[method]
	if !known {
		return false, ""
	}
	name, value := flag.capability, w.server[flag.capability]
	if flag.member != "" {
		group, _ := value.(map[string]any)
		name, value = name+"."+flag.member, group[flag.member]
	}
	if declared(value) {
		return true, ""
	}
	return true, method + " is sent by a server that declared no " + name
}

func declared(v any) bool { return v != nil && v != false }

func object(m frame.Message, pointer string) map[string]any {
	v, _ := m.At(pointer)
	o, _ := v.(map[string]any)
	return o
}
