package fault

import (
	"fmt"
	"io"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func stdio() []Fault {
	faults := append(stdoutPolluted(), stdoutFramed()...)
	return append(faults, processEnds()...)
}

// pipes are the columns of a rule that only stdio has.
func pipes(r requirements.Revision) []Column { return []Column{{r, requirements.Stdio}} }

// says writes a text; a reader who has gone away leaves nothing to break.
func says(text string) func(io.Writer) {
	return func(out io.Writer) { _, _ = io.WriteString(out, text) }
}

// greets writes a line to stdout before the first message.
func greets(line string) func(io.Writer, io.Writer) {
	return func(out, _ io.Writer) { says(line + "\n")(out) }
}

// aheadOfTools puts a text in front of the line of each list of tools.
func aheadOfTools(text string) func(Exchange, []byte) []byte {
	return func(x Exchange, line []byte) []byte {
		if x.Method != "tools/list" {
			return line
		}
		return append([]byte(text), line...)
	}
}

func stdoutPolluted() []Fault {
	polluted := func(name, title string, hooks Stdio) Fault {
		return Fault{
			Name: name, Title: title, Stdio: hooks, In: pipes(requirements.R20260728),
			Breaks: "stdio-stdout-messages-only",
			Kills:  []string{"stdio/stdout-messages-only"},
		}
	}
	wrapped := polluted("stdout-array", "a message is wrapped in an array beside a remark", Stdio{
		Line: func(x Exchange, line []byte) []byte {
			if x.Method != "tools/list" {
				return line
			}
			return fmt.Appendf(nil, "[%s,\"listed\"]\n", line[:len(line)-1])
		},
	})
	wrapped.Also = []string{"jsonrpc/batch-never-sent"}
	return []Fault{
		wrapped,
		polluted("stdout-banner", "a greeting is printed to stdout before the first message", Stdio{
			Start: greets("Harbour office is open."),
		}),
		polluted("stdout-log", "what a library prints while it works ends up on stdout", Stdio{
			Line: aheadOfTools("[debug] 12 berths read from {berths}\n"),
		}),
		polluted("stdout-log-json", "structured logs are written to stdout", Stdio{
			Line: aheadOfTools(`{"level":"info","method":"tools/list","error":"none","result":"served","message":"the list was asked for"}` + "\n"),
		}),
		polluted("stdout-empty-line", "an empty line stands between two messages", Stdio{
			Line: aheadOfTools("\n"),
		}),
		polluted("stdout-farewell", "a farewell is printed to stdout when stdin has ended", Stdio{
			End: says("Harbour office is closed.\n"),
		}),
		polluted("stdout-farewell-unended", "stdout ends with a text and no newline", Stdio{
			End: says("Harbour office is closed."),
		}),
	}
}

func stdoutFramed() []Fault {
	const remark = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a remark"}}`
	broken := func(name, title, message string) Fault {
		return Fault{
			Name: name, Title: title, In: pipes(requirements.R20260728),
			Breaks: "stdio-no-embedded-newlines",
			Kills:  []string{"stdio/no-embedded-newlines"},
			Stdio:  Stdio{Line: aheadOfTools(message)},
		}
	}
	return []Fault{
		{
			Name: "stdio-last-newline-missing", Title: "the last message ends without a newline", In: pipes(requirements.R20260728),
			Breaks: "stdio-newline-framing",
			Kills:  []string{"stdio/newline-framing"},
			Stdio:  Stdio{End: says(remark)},
		},
		{
			Name: "stdio-messages-share-a-line", Title: "two messages stand on one line", In: pipes(requirements.R20260728),
			Breaks: "stdio-newline-framing",
			Kills:  []string{"stdio/newline-framing"},
			Stdio: Stdio{Line: func(x Exchange, line []byte) []byte {
				if x.Method != "tools/list" {
					return line
				}
				return append(line[:len(line)-1], remark+"\n"...)
			}},
		},
		broken("stdio-message-indented", "a message is printed with indentation",
			"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/message\",\n  \"params\": {\n    \"level\": \"info\",\n    \"data\": []\n  }\n}\n"),
		broken("stdio-raw-line-break", "a line break within a string is not escaped",
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"one`+"\n"+`two"}}`+"\n"),
	}
}

func processEnds() []Fault {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	const remark = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"the office opens"}}`
	unasked := func(name, title, message string) Fault {
		return Fault{
			Name: name, Title: title, In: pipes(requirements.R20260728),
			Breaks: "stdio-notifications-attributable",
			Kills:  []string{"stdio/notifications-attributable"},
			Stdio:  Stdio{Start: greets(message)},
		}
	}
	return []Fault{
		{
			Name: "stdio-garbage-ends-process", Title: "a line that is no JSON ends the process", In: pipes(requirements.R20260728),
			Breaks: "stdio-survives-garbage-line",
			Kills:  []string{"stdio/survives-garbage-line", "stdio/survives-unfinished-json", "stdio/survives-invalid-utf8"},
			Also:   []string{"jsonrpc/parse-error-words"},
			Stdio:  Stdio{Garbage: func() Verdict { return Verdict{Exits: true, Exit: 1} }},
		},
		{
			Name: "stdio-asks-its-client", Title: "the server sends a request of its own", In: pipes(requirements.R20260728),
			Breaks: "stdio-no-requests-on-stdout",
			Kills:  []string{"stdio/no-requests-on-stdout"},
			Also:   []string{"jsonrpc/no-server-requests", "jsonrpc/no-server-requests-to-capable-client"},
			Reply: func(x Exchange, m Message) []Message {
				if x.Method != "tools/list" {
					return []Message{m}
				}
				return []Message{{"jsonrpc": "2.0", "id": "harbour-1", "method": "roots/list"}, m}
			},
		},
		unasked("stdio-change-announced-unasked", "a changed list is announced to a client without a subscription", changed),
		unasked("stdio-log-unasked", "a log message is sent while no request runs", remark),
		{
			Name: "stdio-outlives-stdin", Title: "the process goes on when its input has ended", In: pipes(requirements.R20260728),
			Breaks: "stdio-exit-on-stdin-eof",
			Kills:  []string{"stdio/exit-on-stdin-eof", "stdio/exit-on-stdin-eof-idle"},
			Stdio:  Stdio{IgnoreEOF: true},
		},
		{
			Name: "stdio-ignores-sigterm", Title: "neither the end of its input nor SIGTERM ends the process", In: pipes(requirements.R20260728),
			Breaks: "stdio-exit-on-sigterm",
			Kills:  []string{"stdio/exit-on-sigterm"},
			Also:   []string{"stdio/exit-on-stdin-eof", "stdio/exit-on-stdin-eof-idle"},
			Stdio:  Stdio{IgnoreEOF: true, IgnoreTerm: true},
		},
	}
}
