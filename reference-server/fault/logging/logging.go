// Package logging holds the ways to break server/utilities/logging.
package logging

import (
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	method   = "notifications/message"
	setLevel = "logging/setLevel"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(messages(), levels(), filters(), sessions(), unasked(), requests(), unknown(), failures(), contents())
}

// modern are the columns without a handshake.
func modern() []fault.Column {
	return append(fault.OverStdio(requirements.R20260728), fault.OverHTTP(requirements.R20260728)...)
}

// handshake are some of the others.
func handshake() []fault.Column {
	return slices.Concat(fault.OverStdio(requirements.R20251125), fault.OverHTTP(requirements.R20251125),
		fault.OverSSE(requirements.R20241105))
}

// all are the log levels, the mildest first.
func all() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// each are the cases with this beginning, one for each level from the first one on.
func each(prefix string, first int) []string {
	var ids []string
	for _, level := range all()[first:] {
		ids = append(ids, "logging/"+prefix+level)
	}
	return ids
}

// message is a log message.
func message(level string, data any) fault.Message {
	return fault.Message{"jsonrpc": "2.0", "method": method, "params": map[string]any{"level": level, "data": data}}
}

// asksForLogs selects requests with a log level.
func asksForLogs(x fault.Exchange) bool { return fault.Meta(x.Params, "logLevel") != nil }

func messages() []fault.Fault {
	set := func(name string, value any) fault.Change { return fault.Set(method, "/params/"+name, value) }
	return []fault.Fault{
		{Breaks: "logging-capability-declared", Each: []fault.Fault{
			{
				Name: "logging-undeclared", Title: "the server logs to its client without declaring logging",
				In:    []fault.Column{handshake()[0], handshake()[1]},
				Reply: fault.Drop("initialize", "/result/capabilities/logging"),
				Send:  fault.On("tools/list").Before(message("info", "a list is asked for")),
			},
			{
				Name: "logging-undeclared-modern", Title: "the server logs to clients that ask for it without declaring logging",
				In: modern()[:1], Silent: []string{"lifecycle/interleaved"},
				Reply: fault.Drop("server/discover", "/result/capabilities/logging"),
				Send:  fault.When(asksForLogs).Before(message("alert", "something is asked for")),
			},
		}},
		{
			Name: "logging-undeclared-calls", Title: "tools log to clients that ask for it, and logging is not declared",
			Breaks: "logging-capability-declared", In: modern(), Silent: []string{"logging/undeclared-asked"},
			Reply: fault.Drop("server/discover", "/result/capabilities/logging"),
		},
		{
			Name: "logging-undeclared-hangs", Title: "calls with a log level are never answered, and logging is not declared",
			Breaks: "jsonrpc-single-response", Kills: []string{"logging/undeclared-asked"}, In: modern()[:1], Hangs: true,
			Reply:   fault.Drop("server/discover", "/result/capabilities/logging"),
			Inbound: fault.On("tools/call").And(asksForLogs).Hang(),
		},
		{Breaks: "logging-message-schema", Each: []fault.Fault{
			{
				Name: "logging-level-warn", Title: "the level of a message is warn", Notify: warn(),
			},
			{
				Name: "logging-level-warn-filtered", Title: "the level of a message is warn, and a level is set",
				In: handshake(), Silent: each("filter-", 0), Notify: warn(),
			},
			{
				Name: "logging-data-absent", Title: "a message has text in place of data",
				Notify: fault.Changes(fault.Drop(method, "/params/data"), set("message", "A vessel moors.")),
			},
			{Name: "logging-logger-object", Title: "the logger of a message is an object", Notify: set("logger", map[string]any{"name": "harbour"})},
		}},
	}
}

// levels are faults in what can be set.
func levels() []fault.Fault {
	var rows []fault.Fault
	for _, level := range all() {
		rows = append(rows, fault.Fault{
			Name: "logging-set-level-" + level + "-rejected", Title: "the level " + level + " cannot be set",
			Kills: []string{"logging/set-level-" + level}, May: []string{"logging/set-level-failure"},
			Inbound: fault.On(setLevel).And(func(x fault.Exchange) bool { return x.Param("level") == level }).
				Refuse(-32602, "level is not a log level"),
		})
	}
	return []fault.Fault{
		{Breaks: "logging-set-level-result", Each: rows},
		{Breaks: "logging-set-level-invalid", Each: []fault.Fault{
			{
				Name: "logging-set-level-any", Title: "any level can be set", Skip: []fault.Check{fault.CheckLogLevel},
				Kills: []string{"logging/set-level-unknown"},
			},
			{
				Name: "logging-set-level-number", Title: "a number can be set as the level",
				Inbound: fault.On(setLevel).And(func(x fault.Exchange) bool { return noText(x.Param("level")) }).Answer(map[string]any{}),
				Kills:   []string{"logging/set-level-number"},
			},
			{
				Name: "logging-set-level-missing", Title: "logging/setLevel without a level is answered with a result",
				Inbound: fault.On(setLevel).And(func(x fault.Exchange) bool { return x.Param("level") == nil }).Answer(map[string]any{}),
				Kills:   []string{"logging/set-level-missing"},
			},
			{
				Name: "logging-set-level-own-code", Title: "a level that there is not is rejected with a code of the server's own",
				Kills: []string{"logging/set-level-unknown"}, Silent: []string{"logging/set-level-number"},
				Reply: fault.OnError(setLevel, func(failure fault.Message) {
					if failure["code"] == -32602 {
						failure["code"] = 1
					}
				}),
			},
		}},
	}
}

// warn writes warn in place of warning.
func warn() fault.Change {
	return fault.Told(method, func(_ fault.Exchange, params fault.Message) {
		if params["level"] == "warning" {
			params["level"] = "warn"
		}
	})
}

// filters are faults in what comes once a level is set.
func filters() []fault.Fault {
	return []fault.Fault{{Breaks: "logging-set-level-filter", In: handshake(), Each: []fault.Fault{
		{
			Name: "logging-level-ignored", Title: "messages of all levels come, whatever level is set", Kills: each("filter-", 1),
			Skip: []fault.Check{fault.CheckLogThreshold},
		},
		{
			Name: "logging-emergency-lost", Title: "messages of the highest level never come", Kills: each("filter-", 0),
			Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
				if params, _ := m["params"].(map[string]any); m["method"] == method && params["level"] == "emergency" {
					return nil
				}
				return []fault.Message{m}
			},
		},
	}}}
}

// sessions are faults that mix up the sessions of a server.
func sessions() []fault.Fault {
	return []fault.Fault{{Breaks: "http-session-isolation", In: handshake()[1:2], Each: []fault.Fault{
		{
			Name: "logging-level-shared", Title: "the log level that one session sets is that of all sessions",
			Kills: []string{"logging/level-per-session"}, May: each("filter-", 0),
			Skip: []fault.Check{fault.CheckLogSession},
		},
		{
			Name: "logging-to-all-sessions", Title: "log messages of a call come on the standing streams of all sessions too",
			Kills: []string{"logging/messages-per-session"},
			May:   append(each("filter-", 0), "http/message-on-one-stream", "http/get-stream-messages-unrelated"),
			HTTP: fault.HTTP{Route: func(_ fault.Exchange, m fault.Message) []fault.Stream {
				if m["method"] == method {
					return []fault.Stream{fault.Own, fault.All}
				}
				return nil
			}},
		},
	}}}
}

func unasked() []fault.Fault {
	return []fault.Fault{{
		Name: "logging-unasked", Title: "every call of a tool is logged to the client that asks for no logs",
		Breaks: "logging-opt-in-per-request", In: modern(),
		Send: fault.When(func(x fault.Exchange) bool { return x.Tool() != "" && !asksForLogs(x) }).Before(message("info", "a tool is called")),
	}}
}

// requests are faults in what comes for requests that ask for logs.
func requests() []fault.Fault {
	return []fault.Fault{
		{
			Name: "logging-request-level-ignored", Title: "messages of all levels come for requests that ask for any",
			Breaks: "logging-request-threshold",
			In:     modern(), Skip: []fault.Check{fault.CheckLogThreshold}, Kills: each("request-", 1),
		},
		{
			Name: "logging-on-subscriptions", Title: "the messages of a request come on all subscriptions too", Breaks: "logging-on-own-stream",
			In: modern()[1:], Skip: []fault.Check{fault.CheckLogStream},
			May: []string{"resources/listen-no-request-notifications", "logging/unasked-messages", "tasks/ext-no-progress-on-listen"},
		},
		{
			Name: "logging-after-answer", Title: "a message comes after the answer to its request", Breaks: "logging-before-response",
			In: modern()[1:],
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if m["method"] != nil || !asksForLogs(x) || x.Tool() == "" {
					return []fault.Message{m}
				}
				return []fault.Message{m, message("emergency", "the call has ended")}
			},
		},
	}
}

func unknown() []fault.Fault {
	return []fault.Fault{{
		Name: "logging-request-level-any", Title: "a request with a log level that there is not is served",
		Breaks: "logging-request-level-invalid",
		In:     modern(), Skip: []fault.Check{fault.CheckLogLevel}, Kills: []string{"logging/request-level-unknown"},
	}, {
		Name: "logging-request-level-number", Title: "a number as the log level of a request is rejected with a code of its own",
		Breaks: "logging-request-level-invalid", In: modern(), Kills: []string{"logging/request-level-number"},
		Inbound: fault.When(func(x fault.Exchange) bool { return noText(fault.Meta(x.Params, "logLevel")) }).
			Refuse(-32000, "the level is no string"),
	}}
}

// noText reports whether a value is there and no string.
func noText(value any) bool {
	_, text := value.(string)
	return value != nil && !text
}

func failures() []fault.Fault {
	own := func(of string) fault.Change {
		return fault.OnError(of, func(failure fault.Message) {
			if failure["code"] == -32603 {
				failure["code"] = 1
			}
		})
	}
	return []fault.Fault{
		{
			Name: "logging-set-level-failure-own-code", Title: "a level that cannot be set is an error of the server's own code",
			Breaks: "logging-set-level-internal-error", Reply: own(setLevel),
		},
		{
			Name: "logging-request-failure-own-code", Title: "a call that fails since nothing can be logged is an error of the server's own code",
			Breaks: "logging-request-internal-error", Reply: own("tools/call"),
		},
	}
}

// contents are faults in what is logged, and in how much.
func contents() []fault.Fault {
	return []fault.Fault{
		{
			Name: "logging-credentials", Title: "the key of the harbour master is logged", Breaks: "logging-no-secrets",
			Notify: fault.Told(method, func(_ fault.Exchange, params fault.Message) {
				params["data"] = map[string]any{"headers": map[string]any{"authorization": []any{"Bearer key-of-the-harbour-master"}}}
			}),
		},
		{
			Name: "logging-flood", Title: "what is of the level debug is logged a thousand times", Breaks: "logging-rate-limited",
			In:  slices.Concat(handshake(), modern()),
			May: []string{"http/stream-primed"},
			Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
				if params, _ := m["params"].(map[string]any); m["method"] != method || params["level"] != "debug" {
					return []fault.Message{m}
				}
				const times = 1000
				var many []fault.Message
				for range times {
					many = append(many, maps.Clone(m))
				}
				return many
			},
		},
	}
}
