package tools_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/core/tools"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestReadOnlyToolsAnswer: a late answer breaks no rule; an unreadable answer does.
func TestReadOnlyToolsAnswer(t *testing.T) {
	t.Parallel()
	says := func(format string) func(fakeserver.Request, io.Writer) {
		return func(r fakeserver.Request, out io.Writer) { _, _ = fmt.Fprintf(out, format+"\n", r.ID) }
	}
	for _, row := range []struct {
		name   string
		answer func(fakeserver.Request, io.Writer) // to a call of the first tool
		stuck  bool                                // the server answers nothing after that
		want   string
		said   string // problem, reason or note
	}{
		{"slow", func(fakeserver.Request, io.Writer) {}, false, "undecided", "no answer within 300ms from tool_0"},
		{"slow, one request at a time", func(fakeserver.Request, io.Writer) {}, true, "undecided", "no answer within 300ms from tool_0"},
		{"slow, with logs on stdout", says(`{"msg":"call","id":%s}`), false, "undecided", "no answer within 300ms from tool_0"},
		{"slow, logs what it was asked", says(`{"jsonrpc":"2.0","id":%s,"method":"tools/call", ...}`), false, "undecided", ""},
		{"an error", says(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"m"}}`), false, "pass",
			`1 of 2 tools answered with an error: ["tool_0"]`},
		{"not a number", says(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"a":NaN}}}`), false, "fail",
			`what answers a call of "tool_0" cannot be read as a JSON-RPC response`},
		{"no result", says(`{"jsonrpc":"2.0","id":%s,"content":[]}`), false, "fail", `a response with neither a result nor an error`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var stuck atomic.Bool
			server := &fakeserver.Server{
				Capabilities: map[string]any{"tools": map[string]any{}},
				Tools:        []map[string]any{fakeserver.Tool("tool_0", true), fakeserver.Tool("tool_1", false), fakeserver.Tool("tool_2", true)},
				Stdio: fakeserver.Stdio{Line: func(line []byte, out io.Writer) bool {
					var r fakeserver.Request
					readable := json.Unmarshal(line, &r) == nil
					if r.Method == "initialize" {
						stuck.Store(false) // a new process
					}
					if !readable || r.Params["name"] != "tool_0" {
						return stuck.Load()
					}
					stuck.Store(row.stuck)
					row.answer(r, out)
					return true
				}},
			}
			f := judged(t, server, "tools/read-only-tools-answer")
			got, said := string(f.Status), f.Problem+strings.Join(f.Notes, "\n")
			if f.Reason != nil {
				got, said = string(f.Reason.Kind), f.Reason.Text
			}
			if got != row.want || !strings.Contains(said, row.said) {
				t.Errorf("got %s: %s", got, said)
			}
		})
	}
}

// TestSlowToolsAnswer: a tool has as much time as any request, and another one answers
// meanwhile.
func TestSlowToolsAnswer(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		takes, reports time.Duration
		want           string
	}{
		"in time":                 {12 * time.Second, 0, "pass"},
		"too late":                {22 * time.Second, 0, "undecided"},
		"late, and reports":       {26 * time.Second, 11 * time.Second, "pass"},
		"reports, and never ends": {40 * time.Second, 11 * time.Second, "undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Capabilities: map[string]any{"tools": map[string]any{}},
				Tools:        []map[string]any{fakeserver.Tool("tool_0", true), fakeserver.Tool("tool_2", true)},
			}
			server.Stdio.Line = func(line []byte, out io.Writer) bool {
				var r fakeserver.Request
				if json.Unmarshal(line, &r) != nil || r.Params["name"] != "tool_0" {
					return false
				}
				if row.reports > 0 {
					token, _ := r.Params["_meta"].(map[string]any)["progressToken"].(string)
					time.AfterFunc(row.reports, func() {
						_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":1}}`+"\n", token)
					})
				}
				time.AfterFunc(row.takes, func() { _, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", r.ID) })
				return true
			}
			if f := judgedWithin(t, 20*time.Second, server, "tools/read-only-tools-answer"); status(f) != row.want {
				t.Errorf("got %s: %s %v", status(f), f.Problem, f.Reason)
			}
		})
	}
}

// TestArgumentsOptional: only a refusal that depends on the empty object breaks the rule.
func TestArgumentsOptional(t *testing.T) {
	t.Parallel()
	done := map[string]any{"content": []any{}}
	for _, row := range []struct {
		name   string
		answer func(call int, bare bool) any
		want   string
	}{
		{"served", func(int, bool) any { return done }, "pass"},
		{"a limit in words of its own", func(call int, bare bool) any {
			if bare || call > 1 {
				return &fakeserver.Error{Code: -32029, Message: "come back tomorrow"}
			}
			return done
		}, "undecided"},
		{"breaks without the object", func(_ int, bare bool) any {
			if bare {
				return &fakeserver.Error{Code: -32603, Message: "null"}
			}
			return done
		}, "warn"},
		{"wants the object", func(_ int, bare bool) any {
			if bare {
				return &fakeserver.Error{Code: -32602, Message: "arguments are missing"}
			}
			return done
		}, "warn"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			server := &fakeserver.Server{
				Capabilities: map[string]any{"tools": map[string]any{}},
				Tools: []map[string]any{{
					"name": "hours", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true},
				}},
			}
			server.Answer = map[string]func(fakeserver.Request) any{
				"initialize": func(r fakeserver.Request) any {
					calls.Store(0)
					return server.Initialize(r)
				},
				"tools/call": func(r fakeserver.Request) any {
					return row.answer(int(calls.Add(1)), r.Params["arguments"] == nil)
				},
			}
			if f := judged(t, server, "tools/arguments-optional"); status(f) != row.want {
				t.Errorf("got %s: %s %v", status(f), f.Problem, f.Reason)
			}
		})
	}
}

// tides has a read-only tool whose argument day is an integer, so that an object is a bad
// argument.
func tides(answer func(day any, bad bool) any) *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: map[string]any{"tools": map[string]any{}},
		Tools: []map[string]any{{
			"name": "tide", "annotations": map[string]any{"readOnlyHint": true},
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"day": map[string]any{"type": "integer"}}},
		}},
		Answer: map[string]func(fakeserver.Request) any{"tools/call": func(r fakeserver.Request) any {
			arguments, _ := r.Params["arguments"].(map[string]any)
			day, bad := arguments["day"].(map[string]any)
			return answer(day, bad)
		}},
	}
}

// TestInputsValidated: a result in words may be a refusal, unless it shows that the tool
// ran.
func TestInputsValidated(t *testing.T) {
	t.Parallel()
	says := func(text string) any {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
	}
	for _, row := range []struct {
		name string
		bad  func(day any) any // the answer to a call with a bad day
		want string
	}{
		{"marked", func(any) any { return map[string]any{"content": []any{}, "isError": true} }, "pass"},
		{"refused", func(any) any { return &fakeserver.Error{Code: -32602, Message: "no"} }, "pass"},
		{"words", func(any) any { return says("I need the day, as a number.") }, "warn"},
		{"words with the value", func(day any) any { return says(fmt.Sprintf("the day is %s, want a number", probe.JSON(day))) }, "warn"},
		{"the same as ever", func(any) any { return says("high at noon") }, "fail"},
		{"the value", func(day any) any { return says(`{"day":` + probe.JSON(day) + `}`) }, "fail"},
		{"the value, structured", func(day any) any {
			return map[string]any{"content": []any{}, "structuredContent": map[string]any{"days": []any{day}}}
		}, "fail"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := tides(func(day any, bad bool) any {
				if bad {
					return row.bad(day)
				}
				return says("high at noon")
			})
			if f := judged(t, server, "tools/inputs-validated-type"); status(f) != row.want {
				t.Errorf("got %s: %s %v", status(f), f.Problem, f.Reason)
			}
		})
	}
}

// TestInputsValidatedInside: strings and what is inside of an argument are bent too, the
// latter at any read-only tool.
func TestInputsValidatedInside(t *testing.T) {
	t.Parallel()
	kinds := map[string]any{
		"text": map[string]any{"type": "string"}, "tags": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		"filter": map[string]any{"type": "object", "properties": map[string]any{"days": map[string]any{"type": "integer"}}},
	}
	for _, row := range []struct{ argument, id, want string }{
		{"text", "tools/inputs-validated-type", "fail"}, {"text", "tools/inputs-validated-nested", "not-applicable"},
		{"tags", "tools/inputs-validated-nested", "fail"}, {"filter", "tools/inputs-validated-nested", "fail"},
	} {
		t.Run(row.argument+"/"+row.id, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Capabilities: map[string]any{"tools": map[string]any{}},
				Tools: []map[string]any{fakeserver.Tool("tool_0", true), {
					"name": "echo", "annotations": map[string]any{"readOnlyHint": true},
					"inputSchema": map[string]any{"type": "object", "properties": map[string]any{row.argument: kinds[row.argument]}},
				}},
				Answer: map[string]func(fakeserver.Request) any{"tools/call": func(r fakeserver.Request) any {
					return fakeserver.Text(probe.JSON(r.Params["arguments"]))
				}},
			}
			if f := judged(t, server, row.id); status(f) != row.want {
				t.Errorf("got %s: %s %v", status(f), f.Problem, f.Reason)
			}
		})
	}
}

// TestRefusedWhateverTheArguments: a tool whose backend is out of reach refuses every
// call in the same words, which shows nothing about bad arguments.
func TestRefusedWhateverTheArguments(t *testing.T) {
	t.Parallel()
	failed := func(text string) any {
		return map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": text}}}
	}
	for _, row := range []struct {
		name   string
		answer func(bad bool) any
		want   map[string]string // by case
	}{
		{"backend out of reach", func(bool) any { return &fakeserver.Error{Code: -32603, Message: "no such host"} }, map[string]string{
			"tools/inputs-validated-type": "undecided", "tools/invalid-arguments-tool-error": "undecided",
		}},
		{"backend out of reach, marked", func(bool) any { return failed("no such host") }, map[string]string{
			"tools/inputs-validated-type": "undecided", "tools/invalid-arguments-tool-error": "undecided",
		}},
		{"at another time", func(bad bool) any {
			if bad {
				return failed(`Command failed: tides\nE1130 02:59:26.940715 15551 cache.go:265: no such host`)
			}
			return failed(`Command failed: tides 7\nE1130 02:59:27.113840 15562 cache.go:265: no such host`)
		}, map[string]string{"tools/inputs-validated-type": "undecided", "tools/invalid-arguments-tool-error": "undecided"}},
		{"in other words", func(bad bool) any {
			if bad {
				return &fakeserver.Error{Code: -32603, Message: "day.toFixed is not a function"}
			}
			return failed("no such host")
		}, map[string]string{"tools/inputs-validated-type": "pass", "tools/invalid-arguments-tool-error": "warn"}},
	} {
		for id, want := range row.want {
			t.Run(row.name+"/"+id, func(t *testing.T) {
				t.Parallel()
				server := tides(func(_ any, bad bool) any { return row.answer(bad) })
				if f := judged(t, server, id); status(f) != want {
					t.Errorf("got %s: %s %v", status(f), f.Problem, f.Reason)
				}
			})
		}
	}
}

// TestSurvives: where any call of the tool ends the process, or any line that it cannot
// read, the size of the arguments is not to blame.
func TestSurvives(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ends func(arguments map[string]any) bool
		line bool // any line that is no message ends the process, too
		want map[string]string
	}{
		"any call": {
			func(map[string]any) bool { return true }, false,
			map[string]string{"tools/inputs-validated-missing": "fail", "tools/survives-oversized-arguments": "not-applicable"},
		},
		"the burden": {
			func(arguments map[string]any) bool { return arguments["mcp_conform"] != nil }, false,
			map[string]string{"tools/inputs-validated-missing": "pass", "tools/survives-oversized-arguments": "fail"},
		},
		"what it cannot read": {
			func(arguments map[string]any) bool { return arguments["mcp_conform"] != nil }, true,
			map[string]string{"tools/survives-oversized-arguments": "not-applicable", "tools/survives-nested-arguments": "not-applicable"},
		},
	} {
		for id, want := range row.want {
			t.Run(name+"/"+id, func(t *testing.T) {
				t.Parallel()
				server := &fakeserver.Server{
					Capabilities: map[string]any{"tools": map[string]any{}}, Tools: []map[string]any{fakeserver.Tool("tide", true)},
				}
				server.Stdio.Exit = func(r fakeserver.Request) bool {
					arguments, _ := r.Params["arguments"].(map[string]any)
					return r.Method == "tools/call" && row.ends(arguments) || r.Method == "" && row.line
				}
				if f := judged(t, server, id); status(f) != want {
					t.Errorf("got %s: %s %v", status(f), f.Problem, f.Reason)
				}
			})
		}
	}
}

// status is the status of a finding, or the kind of its reason.
func status(f reports.Finding) string {
	if f.Reason != nil {
		return string(f.Reason.Kind)
	}
	return string(f.Status)
}

// judged is the finding of one case about a server over stdio.
func judged(t *testing.T, server *fakeserver.Server, id string) reports.Finding {
	t.Helper()
	return judgedWithin(t, 300*time.Millisecond, server, id)
}

func judgedWithin(t *testing.T, timeout time.Duration, server *fakeserver.Server, id string) reports.Finding {
	t.Helper()
	page := tools.Suite()
	for _, c := range page.Cases {
		if c.ID == id {
			page.Cases = []suite.Case{c}
			break
		}
	}
	report := proof.Judge(t, plan.Plan{
		Config: config.Default(), Local: &plan.Local{Serve: server.Serve}, Suites: []suite.Suite{page},
		Seed: 1, Timeout: timeout,
	})
	if len(report.Findings) != 1 {
		t.Fatalf("%d findings, want one: %s", len(report.Findings), report.Verdict.Text)
	}
	return report.Findings[0]
}
