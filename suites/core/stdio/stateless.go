package stdio

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// stateless is what the page asks of the one channel that all requests share,
// since there is no handshake any more.
func stateless() []suite.Case {
	return []suite.Case{
		{
			ID:     "stdio/no-requests-on-stdout",
			Title:  "the server asks its client nothing by requests of its own",
			Checks: []requirements.ID{"stdio-no-requests-on-stdout"},
			Fix:    "return a result of type input_required instead of sending a request",
			Watch:  func() probe.Watcher { return new(noRequests) },
		},
		{
			ID:     "stdio/notifications-attributable",
			Title:  "every notification belongs to a running request or to a subscription",
			Checks: []requirements.ID{"stdio-notifications-attributable"},
			Fix:    "send notifications only while the request runs that asked for them, or for an open subscriptions/listen",
			Watch:  func() probe.Watcher { return &attributable{running: map[string]bool{}} },
		},
	}
}

// An era follows whether a connection was opened by a handshake: a server of
// both eras then speaks the older one on it.
type era struct{ handshake bool }

func (e *era) stateless(s probe.Seen) bool {
	if s.Dir == frame.Sent && s.Message().Method == "initialize" {
		e.handshake = true
	}
	return !e.handshake
}

type noRequests struct{ era era }

func (w *noRequests) See(s probe.Seen) probe.Opinion {
	if !w.era.stateless(s) || s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return probe.Nothing()
	}
	m := s.Message()
	if !isMessage(m) {
		return probe.Nothing()
	}
	for _, each := range probe.Singles(m) {
		if each.Class == frame.Request {
			return s.Break("the server sends the request " + probe.Show(each.Method) + ", want responses and notifications only").Opinion()
		}
	}
	return probe.Kept()
}

// attributable looks for notifications that nobody can have asked for.
type attributable struct {
	era      era
	running  map[string]bool // requests without an answer, and whether they asked for logs
	listened bool            // there was a subscription
}

func (w *attributable) See(s probe.Seen) probe.Opinion {
	if !w.era.stateless(s) || s.Kind != frame.KindMessage {
		return probe.Nothing()
	}
	for _, m := range probe.Singles(s.Message()) {
		switch {
		case s.Dir == frame.Sent && m.Class == frame.Request:
			_, logs := m.At("/params/_meta/io.modelcontextprotocol~1logLevel")
			w.running[m.ID] = logs
			w.listened = w.listened || m.Method == "subscriptions/listen"
		case s.Dir == frame.Received && (m.Class == frame.Result || m.Class == frame.Error):
			delete(w.running, m.ID)
		case s.Dir == frame.Received && m.Class == frame.Notification:
			judged, attributed := w.judge(s, m)
			if judged && !attributed {
				return s.Break(probe.Show(m.Method) + " belongs to no running request and to no subscription").Opinion()
			}
			if judged {
				return probe.Kept()
			}
		}
	}
	return probe.Nothing()
}

// judge leaves to the rules on progress, logging, cancellation and
// subscriptions whatever one of them already forbids.
func (w *attributable) judge(s probe.Seen, m frame.Message) (judged, attributed bool) {
	switch m.Method {
	case "notifications/progress", "notifications/cancelled",
		"notifications/elicitation/complete", "notifications/tasks/status", "notifications/roots/list_changed":
		return false, false
	case "notifications/message":
		return len(w.running) == 0 || w.logging(), w.logging()
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed",
		"notifications/resources/updated", "notifications/subscriptions/acknowledged":
		return true, w.listened
	default:
		// Extensions have notifications of their own.
		return true, len(w.running) > 0 || w.listened || extended(s.Survey)
	}
}

func (w *attributable) logging() bool {
	for _, logs := range w.running {
		if logs {
			return true
		}
	}
	return false
}

func extended(survey *probe.Survey) bool {
	if survey == nil {
		return false
	}
	extensions, _ := survey.Capabilities["extensions"].(map[string]any)
	return len(extensions) > 0
}
