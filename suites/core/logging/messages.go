package logging

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/declared"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const schema = "logging/message-schema"

// messageCases watch the form of every log message.
func messageCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "logging/declared",
			Title:  "a server that logs to its client declares logging",
			Checks: []requirements.ID{"logging-capability-declared"},
			Fix:    "declare the capability logging, or send no notifications/message",
			Sees:   "a log message",
			Watch: probe.OnNotification(method, func(n probe.Notice) probe.Opinion {
				return declared.Notified(method, "logging", n.Survey().Capabilities)
			}),
		},
		{
			ID:     schema,
			Title:  "a log message has one of the eight levels, and data of any type",
			Checks: []requirements.ID{"logging-message-schema"},
			Fix: "write level as one of " + strings.Join(levels(), ", ") +
				", put what is logged into data, and leave logger out or make it a string",
			Owns:  []suite.Part{{Of: method, At: "/params"}},
			Sees:  "a log message",
			Watch: probe.OnNotification(method, fits),
		},
	}
}

func fits(n probe.Notice) probe.Opinion {
	if n.Frame.Schemas == nil {
		return probe.Failed(errors.New("there are no schemas"))
	}
	set, err := n.Frame.Schemas.Core(string(n.Revision))
	if err != nil {
		return probe.Failed(err)
	}
	faults := slices.DeleteFunc(set.Validate("LoggingMessageNotification", n.Message.Message.Value), func(f schemas.Fault) bool {
		return !strings.HasPrefix(f.Pointer, "/params")
	})
	return probe.Fits(probe.Faults("", n.Unowned(schema, faults)), nil)
}

// contentCases watch what is said in log messages, and how often.
func contentCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "logging/no-secrets",
			Title:  "log messages contain none of the secrets and credentials of the configuration",
			Checks: []requirements.ID{"logging-no-secrets"},
			Fix:    "remove credentials from what is logged, such as headers and environment variables",
			Sees:   "a log message of a server whose secrets the configuration names",
			Watch:  probe.OnNotification(method, noSecrets),
		},
		{
			ID:     "logging/no-flood",
			Title:  "log messages come less than a thousand times a second",
			Checks: []requirements.ID{"logging-rate-limited"},
			Fix:    "drop or join log messages where too many come at once",
			Sees:   "a log message",
			Watch:  func() probe.Watcher { return &flood{} },
		},
	}
}

// noSecrets knows only the secrets that the configuration names: what else is a secret
// nobody can tell from outside. security/no-internals-in-logs looks for the forms of some.
func noSecrets(n probe.Notice) probe.Opinion {
	secrets := n.Survey().Given.Secrets
	if len(secrets) == 0 {
		return probe.Nothing()
	}
	for _, name := range []string{"data", "logger"} {
		for _, text := range probe.Texts(n.Params[name]) {
			if slices.ContainsFunc(secrets, func(secret string) bool { return secret != "" && strings.Contains(text, secret) }) {
				return probe.Breaks("%s contains a secret of the configuration, want none", n.Where("/params/"+name))
			}
		}
	}
	return probe.Kept()
}

// many is a number of messages within a second that no person and no client can make use
// of.
const many = 1000

// A flood keeps the times of the last messages of a connection, in a ring.
type flood struct {
	times [many]time.Duration
	count int
}

func (w *flood) See(s *probe.WatchedFrame) probe.Opinion {
	said := probe.Nothing()
	for _, m := range s.Messages() {
		if m.Class != frame.Notification || m.Method != method {
			continue
		}
		first := w.times[(w.count+1)%many]
		w.times[w.count%many] = s.At
		w.count++
		if took := s.At - first; w.count >= many && took <= time.Second {
			said = said.And(probe.Breaks("%d log messages came within %s, want fewer", many, took.Round(time.Millisecond)))
		}
		said = said.And(probe.Kept())
	}
	return said
}
