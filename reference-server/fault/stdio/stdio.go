// Package stdio holds the ways to break the rules of stdio for a process.
package stdio

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(stdoutPolluted(), stdoutFramed(), processEnds(), inputFaults(), parallelFaults())
}

// writes writes a text; an error is ignored, since the reader is gone then.
func writes(text string) func(io.Writer) {
	return func(out io.Writer) { _, _ = io.WriteString(out, text) }
}

// greets writes a line to stdout before the first message.
func greets(line string) func(io.Writer, io.Writer) {
	return func(out, _ io.Writer) { writes(line + "\n")(out) }
}

// aheadOfTools puts a text in front of the line of each list of tools.
func aheadOfTools(text string) func(fault.Exchange, []byte) []byte {
	return func(x fault.Exchange, line []byte) []byte {
		if x.Method != "tools/list" {
			return line
		}
		return append([]byte(text), line...)
	}
}

func stdoutPolluted() []fault.Fault {
	polluted := func(name, title string, hooks fault.Stdio) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Stdio: hooks, In: fault.OverStdio(requirements.R20260728),
			Breaks: "stdio-stdout-messages-only", Kills: []string{"stdio/stdout-messages-only"},
		}
	}
	wrapped := polluted("stdout-array", "a message is sent inside an array, together with a string", fault.Stdio{
		Line: func(x fault.Exchange, line []byte) []byte {
			if x.Method != "tools/list" {
				return line
			}
			return fmt.Appendf(nil, "[%s,\"listed\"]\n", line[:len(line)-1])
		},
	})
	wrapped.Silent = []string{"jsonrpc/batch-never-sent"}
	return []fault.Fault{
		wrapped,
		polluted("stdout-banner", "a greeting is printed to stdout before the first message", fault.Stdio{
			Start: greets("Harbour office is open."),
		}),
		polluted("stdout-log", "log lines of a library are written to stdout", fault.Stdio{
			Line: aheadOfTools("[debug] 12 berths read from {berths}\n"),
		}),
		polluted("stdout-log-json", "structured logs are written to stdout", fault.Stdio{
			Line: aheadOfTools(`{"level":"info","method":"tools/list","error":"none","result":"served","message":"the list was asked for"}` + "\n"),
		}),
		polluted("stdout-message-without-method", "a notification is written without its method", fault.Stdio{
			Line: aheadOfTools(`{"jsonrpc":"2.0","params":{"level":"info","data":"the list was asked for"}}` + "\n"),
		}),
		polluted("stdout-text-behind-message", "a library prints to stdout between a message and its newline", fault.Stdio{
			Line: func(x fault.Exchange, line []byte) []byte {
				if x.Method != "tools/list" {
					return line
				}
				return append(line[:len(line)-1], "No berth is free.\n\n"...)
			},
		}),
		polluted("stdout-empty-line", "an empty line is written between two messages", fault.Stdio{
			Line: aheadOfTools("\n"),
		}),
		polluted("stdout-farewell", "a farewell is printed to stdout after stdin has closed", fault.Stdio{
			End: writes("Harbour office is closed.\n"),
		}),
		polluted("stdout-farewell-unended", "stdout ends with words and without a newline", fault.Stdio{
			End: writes("Harbour office is closed."),
		}),
	}
}

func stdoutFramed() []fault.Fault {
	const remark = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a remark"}}`
	broken := func(name, title, message string) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-no-embedded-newlines",
			Kills: []string{"stdio/no-embedded-newlines"}, Stdio: fault.Stdio{Line: aheadOfTools(message)},
		}
	}
	return []fault.Fault{
		{
			Name: "stdio-last-newline-missing", Title: "the last message ends without a newline", May: []string{"logging/unasked-messages"},
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-newline-framing",
			Stdio: fault.Stdio{End: writes(remark)},
		}, {
			Name: "stdio-messages-share-a-line", Title: "two messages are written on one line",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-newline-framing",
			Stdio: fault.Stdio{Line: func(x fault.Exchange, line []byte) []byte {
				if x.Method != "tools/list" {
					return line
				}
				return append(line[:len(line)-1], remark+"\n"...)
			}},
		},
		broken("stdio-message-indented", "a message is printed with indentation",
			"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/message\",\n  \"params\": {\n    \"level\": \"info\","+
				"\n    \"data\": []\n  }\n}\n"),
		broken("stdio-raw-line-break", "a line break inside a string is not escaped",
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"one`+"\n"+`two"}}`+"\n"),
	}
}

func processEnds() []fault.Fault {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	const remark = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"the office opens"}}`
	unasked := func(name, title string, hooks fault.Stdio) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-notifications-attributable",
			// The log message comes where stdin closes while a request is open.
			May:   []string{"logging/unasked-messages", "meta/subscription-id"},
			Kills: []string{"stdio/notifications-attributable"}, Stdio: hooks,
		}
	}
	return []fault.Fault{
		{
			Name: "stdio-garbage-ends-process", Title: "a line of invalid JSON ends the process",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-survives-garbage-line",
			Kills: []string{"stdio/survives-garbage-line"},
			Stdio: fault.Stdio{Garbage: func() fault.Verdict { return fault.Verdict{Exits: true, Exit: 1} }},
		}, {
			Name: "stdio-unfinished-ends-process", Title: "a line of truncated JSON ends the process",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-survives-garbage-line",
			Kills: []string{"stdio/survives-unfinished-json"},
			Stdio: fault.Stdio{Input: fault.EndsAt(func(line []byte) bool {
				return bytes.HasPrefix(line, []byte("{")) && !bytes.HasSuffix(line, []byte("}"))
			})},
		}, {
			Name: "stdio-no-text-ends-process", Title: "a line that is not UTF-8 ends the process",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-survives-garbage-line",
			Kills: []string{"stdio/survives-invalid-utf8"},
			Stdio: fault.Stdio{Input: fault.EndsAt(func(line []byte) bool { return bytes.IndexByte(line, 0xff) >= 0 })},
		}, {
			Name: "stdio-asks-its-client", Title: "the server sends a request of its own",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-no-requests-on-stdout",
			May:  []string{"jsonrpc/no-server-requests", "jsonrpc/no-server-requests-to-capable-client"},
			Send: fault.On("tools/list").Before(fault.Message{"jsonrpc": "2.0", "id": "harbour-1", "method": "roots/list"}),
		},
		unasked("stdio-change-announced-unasked", "notifications/tools/list_changed is sent to a client without a subscription",
			fault.Stdio{Start: greets(changed)}),
		// The client may send the first request before the server writes at the start.
		unasked("stdio-log-unasked", "a log message is sent while no request is running", fault.Stdio{End: writes(remark + "\n")}),
		{
			Name: "stdio-outlives-stdin", Title: "the process continues after stdin has closed",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-exit-on-stdin-eof", Hangs: true,
			Kills: []string{"stdio/exit-on-stdin-eof"}, Silent: []string{"stdio/exit-on-stdin-eof-idle"},
			Stdio: fault.Stdio{IgnoreEOF: true},
		}, {
			Name: "stdio-outlives-early-end", Title: "the process continues where stdin closes before the first message",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-exit-on-stdin-eof", Hangs: true,
			Kills: []string{"stdio/exit-on-stdin-eof-idle"}, Silent: []string{"stdio/exit-on-stdin-eof"},
			Stdio: fault.Stdio{IgnoreEarlyEOF: true},
		}, {
			Name: "stdio-outlives-busy-end", Title: "the process continues where stdin closes while a tool works",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-exit-on-stdin-eof", Hangs: true,
			Kills: []string{"stdio/exit-on-stdin-eof-busy"}, Silent: []string{"stdio/exit-on-stdin-eof"},
			Stdio: fault.Stdio{IgnoreBusyEOF: true},
		}, {
			Name: "stdio-ignores-sigterm", Title: "neither the end of stdin nor SIGTERM ends the process",
			In: fault.OverStdio(requirements.R20260728), Breaks: "stdio-exit-on-sigterm", Hangs: true,
			May:   []string{"stdio/exit-on-stdin-eof"},
			Stdio: fault.Stdio{IgnoreEOF: true, IgnoreTerm: true},
		},
	}
}
