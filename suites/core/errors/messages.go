package errors

import (
	"strings"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// messageCases watch what else is said in place of an answer.
func messageCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "errors/message",
			Title:  "the message of an error is one short sentence",
			Checks: []requirements.ID{"errors-message-concise"},
			Fix:    "say in one line what is wrong, and put details, such as a list of problems, into data",
			Sees:   "an error",
			Watch:  probe.OnEach(message),
		},
		{
			ID:     "errors/no-former-notifications",
			Title:  "no notification is sent that the revision no longer has",
			Checks: []requirements.ID{"errors-no-legacy-notifications"},
			Fix:    "send modern clients only the notifications of their revision",
			Sees:   "a notification",
			Watch:  probe.OnBinding(formerNotifications),
		},
	}
}

// longest is how many characters count as short. Nobody gives a number; this is
// five lines of a terminal.
const longest = 400

// A message may repeat what it complains of, so what was sent is given free.
func message(m probe.Message) probe.Opinion {
	text, ok := m.Value("/error/message").(string)
	if m.Class != frame.Error || !ok || m.Request.Method == "" || m.Frame.Truncated {
		return probe.Nothing()
	}
	trimmed := strings.TrimSpace(text)
	sent := string(m.Request.Frame.Raw())
	length := utf8.RuneCountInString(text)
	switch lines := strings.Count(trimmed, "\n") + 1; {
	case trimmed == "":
		return probe.Breaks("%s is %s, want a short sentence", m.Where("/error/message"), probe.Show(text))
	case lines > 1:
		return probe.Breaks("%s has %d lines, want one short sentence: %s", m.Where("/error/message"), lines, probe.Show(text))
	case length > longest+len(sent):
		return probe.Breaks("%s has %d characters, want one short sentence: %s", m.Where("/error/message"), length, probe.Show(text))
	}
	return probe.Kept()
}

func formerNotifications(m probe.Message) probe.Opinion {
	if m.Class != frame.Notification {
		return probe.Nothing()
	}
	switch n, known := protocol.NotificationOf(m.Method); {
	case !known:
		return probe.Nothing() // an extension may have it
	case n.In(m.Revision):
		return probe.Kept()
	}
	return probe.Breaks("%s is %q, which %s does not have, want no such notification", m.Where("/method"), m.Method, m.Revision)
}
