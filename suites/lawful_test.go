package suites_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func tools(n int) []map[string]any {
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = rigged.Tool(fmt.Sprintf("tool_%d", i), i%2 == 0)
	}
	return list
}

var offersTools = map[string]any{"tools": map[string]any{}}

// A lawful server does what the specification allows, however unusual it is.
type lawful struct {
	name   string
	server *rigged.Server
	// over is the transport that is judged; empty: all cases over stdio, and over HTTP
	// those that depend on it.
	over requirements.Transport
	// warned are the cases that may warn, since what they see is doubtful.
	warned []string
}

func hasText(r rigged.Request) bool {
	arguments, _ := r.Params["arguments"].(map[string]any)
	_, ok := arguments["text"].(string)
	return ok
}

// forText answers calls of the tools that are there with the text that they want,
// and rejects others.
func forText(r rigged.Request, answer any) any {
	if hasText(r) {
		return forGood(answer)(r)
	}
	return &rigged.Error{Code: -32602, Message: "text is missing"}
}

// What the specification allows, or leaves open, is neither failed nor warned.
func TestLawfulVariety(t *testing.T) {
	t.Parallel()
	offered := &suitesOffered{by: map[string]bool{}}
	for _, row := range []lawful{
		{name: "nothing declared", server: &rigged.Server{}},
		{name: "no tools at all", server: &rigged.Server{Capabilities: offersTools}},
		{name: "only tools, without descriptions", server: &rigged.Server{Capabilities: offersTools, Tools: tools(3)}},
		{name: "a thousand tools", server: &rigged.Server{Capabilities: offersTools, Tools: tools(1000)}},
		{name: "only 2024-11-05", server: &rigged.Server{Revisions: []string{"2024-11-05"}, Capabilities: offersTools, Tools: tools(2)}},
		{name: "only 2025-06-18", server: &rigged.Server{Revisions: []string{"2025-06-18"}, Capabilities: offersTools, Tools: tools(2)}},
		{name: "extra properties everywhere", server: &rigged.Server{Extra: true, Capabilities: map[string]any{
			"tools": map[string]any{"listChanged": false, "vendor": 1}, "acme.example/x": map[string]any{}, "completions": map[string]any{},
		}, Tools: tools(2)}},
		{name: "prompts without descriptions", server: &rigged.Server{
			Capabilities: map[string]any{"prompts": map[string]any{}}, Prompts: []map[string]any{{"name": "greet"}},
		}},
		{name: "pretty-printed ids and spaces", server: &rigged.Server{Capabilities: offersTools, Tools: tools(2), Edit: func(text string) string {
			return " " + strings.Replace(text, `"jsonrpc":"2.0"`, `"jsonrpc" : "2.0"`, 1) + "\t\r"
		}}, over: requirements.Stdio},
		{name: "chatty stderr", server: &rigged.Server{Capabilities: offersTools, Tools: tools(2), Stdio: rigged.Stdio{
			Begin: func(_, errw io.Writer) {
				for i := range 2000 { // more than is kept of it
					_, _ = fmt.Fprintf(errw, "ERROR line %d of nothing that matters\n", i)
				}
			},
		}}, over: requirements.Stdio},
		{name: "slow start", server: &rigged.Server{Capabilities: offersTools, Tools: tools(1), Stdio: rigged.Stdio{
			Begin: func(io.Writer, io.Writer) { <-time.After(150 * time.Millisecond) },
		}}, over: requirements.Stdio},
		{name: "keeps running when its input is closed", server: &rigged.Server{Capabilities: offersTools, Stdio: rigged.Stdio{IgnoreEOF: true}}, over: requirements.Stdio},
		{name: "out-of-order answers", server: &rigged.Server{Capabilities: offersTools, Tools: tools(2), Stdio: rigged.Stdio{OutOfOrder: true}}, over: requirements.Stdio},
		{name: "silence for garbage", server: &rigged.Server{Capabilities: offersTools, Tools: tools(1), Stdio: rigged.Stdio{
			Line: func(line []byte, _ io.Writer) bool { return !strings.HasPrefix(string(line), `{"jsonrpc":"2.0"`) },
		}, Revisions: []string{"2025-06-18"}}, over: requirements.Stdio},
		{name: "event streams", server: &rigged.Server{Capabilities: offersTools, Tools: tools(2), HTTP: rigged.HTTP{Events: true}}, over: requirements.HTTP},
		{name: "sessions", server: &rigged.Server{Capabilities: offersTools, Tools: tools(2), HTTP: rigged.HTTP{Sessions: true}}, over: requirements.HTTP},
		{name: "errors with status 400", server: &rigged.Server{Capabilities: offersTools, Tools: tools(2), HTTP: rigged.HTTP{Status: http.StatusBadRequest}}, over: requirements.HTTP},
		{name: "content type with a charset", server: &rigged.Server{Capabilities: offersTools, Tools: tools(2), HTTP: rigged.HTTP{ContentType: "application/json; charset=utf-8"}}, over: requirements.HTTP},
		{name: "says before a call whether it is allowed, and has no sessions", server: &rigged.Server{Capabilities: map[string]any{
			"tools": map[string]any{}, "extensions": map[string]any{protocol.ProposalPrefix + "permissions": map[string]any{}},
		}, Tools: tools(2), Answer: map[string]func(rigged.Request) any{"permissions/check": func(r rigged.Request) any {
			switch name, _ := r.Params["tool"].(string); name {
			case "":
				return &rigged.Error{Code: -32602, Message: "tool is missing"}
			case "tool_0":
				return map[string]any{"allowed": true}
			default:
				return map[string]any{"allowed": false, "reason": "not for you"}
			}
		}}}},
		{name: "claims idempotency, with no tool to show it", server: &rigged.Server{Capabilities: map[string]any{
			"tools": map[string]any{}, "extensions": map[string]any{protocol.ProposalPrefix + "idempotency": map[string]any{}},
		}, Tools: tools(2)}},
		{name: "unknown tools are results with isError, before the kinds of errors were told", server: &rigged.Server{
			Revisions: []string{"2025-06-18"}, Capabilities: offersTools, Tools: tools(2), Answer: map[string]func(rigged.Request) any{
				"tools/call": func(r rigged.Request) any {
					if name, ok := r.Params["name"].(string); ok && !strings.HasPrefix(name, "tool_") {
						return flagged(r)
					}
					return forText(r, map[string]any{"content": []any{}})
				},
			},
		}},
		{name: "every call fails inside the server", server: &rigged.Server{
			Capabilities: offersTools, Tools: tools(2), Answer: map[string]func(rigged.Request) any{
				"tools/call": func(r rigged.Request) any {
					if _, ok := r.Params["arguments"].(map[string]any); ok && strings.HasPrefix(fmt.Sprint(r.Params["name"]), "tool_") && !hasText(r) {
						return flagged(r)
					}
					return forText(r, &rigged.Error{Code: -32603, Message: "out of service"})
				},
			},
		}},
		{name: "a flag for streaming in a list of tools, and no claim", server: &rigged.Server{Capabilities: offersTools, Tools: []map[string]any{
			{"name": "hours", "inputSchema": map[string]any{"type": "object"}, "supports_streaming": true},
		}}},
		{name: "claims progress and streaming, with no tool to show them", server: &rigged.Server{Capabilities: map[string]any{
			"tools": map[string]any{}, "extensions": map[string]any{
				protocol.ProposalPrefix + "progress_notifications": map[string]any{}, protocol.ProposalPrefix + "streaming": map[string]any{},
			},
		}, Tools: tools(2)}},
		{name: "transactions, with no steps to show them", server: claiming(ledger(&book{}))},
		{name: "transactions by their oldest names", server: shouted()},
		{name: "one transaction at a time", server: claiming(ledger(&book{single: true})), over: requirements.HTTP},
		{name: "transactions in the words of the example servers", server: example(), warned: []string{
			"ext-transactions/form", "ext-transactions/begin-without-id", "ext-transactions/begin-number-id",
			"ext-transactions/begin-duplicate", "ext-transactions/commit-without-id", "ext-transactions/commit-unknown",
			"ext-transactions/commit-twice", "ext-transactions/rollback-without-id", "ext-transactions/rollback-unknown",
		}},
		{name: "tells records of the structured-errors proposal in error.data", server: &rigged.Server{Capabilities: map[string]any{
			"tools": map[string]any{}, "extensions": map[string]any{protocol.ProposalPrefix + "structured_errors": map[string]any{}},
		}, Answer: map[string]func(rigged.Request) any{
			"tools/call": func(r rigged.Request) any {
				return &rigged.Error{Code: -32602, Message: "unknown tool", Data: map[string]any{
					"code": "UNKNOWN_TOOL", "message": "There is no such tool.", "category": "permanent", "details": map[string]any{"asked": r.Params["name"]},
				}}
			},
		}}},
		{name: "a list in pages", server: &rigged.Server{Capabilities: offersTools, Tools: tools(4), Answer: map[string]func(rigged.Request) any{
			"tools/list": func(r rigged.Request) any {
				switch r.Params["cursor"] {
				case nil:
					return map[string]any{"tools": tools(4)[:2], "nextCursor": "2"}
				case "2":
					return map[string]any{"tools": tools(4)[2:]}
				default:
					return &rigged.Error{Code: -32602, Message: "unknown cursor"}
				}
			},
		}}},
		{name: "odd but visible session ids", server: &rigged.Server{Capabilities: offersTools, Tools: tools(1), HTTP: rigged.HTTP{
			Sessions: true, SessionID: `!"#$%&'()*+,-./09:;<=>?@AZ[\]^_` + "`az{|}~",
		}}, over: requirements.HTTP},
	} {
		t.Run(row.name, func(t *testing.T) { row.judge(t, offered) })
	}
	for _, row := range slices.Concat(unusual(), described(), overStreams()) {
		t.Run(row.name, func(t *testing.T) { row.judge(t, offered) })
	}
	t.Cleanup(func() { offered.check(t) })
}

func (l lawful) judge(t *testing.T, offered *suitesOffered) {
	t.Parallel()
	local := &suites.Local{}
	if l.over == requirements.HTTP {
		local.Handler = l.server.Handler()
	} else {
		local.Serve = l.server.Serve
	}
	report := judge(t, local, l.reached())
	wantNothingSaid(t, report, l.warned...)
	offered.add(report)
	if l.over == "" {
		wantNothingSaid(t, judge(t, &suites.Local{Handler: l.server.Handler()}, carriage), l.warned...)
	}
}

// reached are the cases that can see what is unusual about the server.
func (l lawful) reached() selection {
	if http := l.server.HTTP; l.over == requirements.Stdio || http.Events || http.Message != nil {
		return everything
	}
	return withoutLoad
}

// suitesOffered are those that some lawful server offered something to judge.
type suitesOffered struct {
	mu sync.Mutex
	by map[string]bool
}

func (o *suitesOffered) add(r reports.Report) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range r.Findings {
		if f.Reason == nil || f.Reason.Kind != reports.NotDeclared && f.Reason.Kind != reports.NotClaimed {
			o.by[f.Suite] = true
		}
	}
}

// check asks for a lawful server with every suite. The servers of the table know
// no revision without a handshake: what judges only those has the reference
// server, which is lawful too.
func (o *suitesOffered) check(t *testing.T) {
	t.Helper()
	catalogue, err := suites.Catalogue(suites.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites.All() {
		if !o.by[s.Name] && afterHandshake(catalogue, s) {
			t.Errorf("no lawful server here offers what %s judges: add a row that declares it", s.Name)
		}
	}
}

// afterHandshake reports whether a suite has a case for a revision with a
// handshake.
func afterHandshake(catalogue *requirements.Catalogue, s suite.Suite) bool {
	return slices.ContainsFunc(s.Cases, func(c suite.Case) bool {
		return slices.ContainsFunc(protocol.Handshake(), func(r requirements.Revision) bool {
			return (len(c.Revisions) == 0 || slices.Contains(c.Revisions, r)) &&
				slices.ContainsFunc(c.Checks, func(id requirements.ID) bool {
					rule, _ := catalogue.Find(id)
					_, holds := rule.At(r)
					return holds
				})
		})
	})
}

func judge(t *testing.T, local *suites.Local, selected selection) reports.Report {
	t.Helper()
	cfg := config.Default()
	cfg.Wait.Event = time.Second // a lawful server may stay silent: do not wait long for it
	report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: selected})
	return report
}

func wantNothingSaid(t *testing.T, report reports.Report, warned ...string) {
	t.Helper()
	if report.Verdict.Status == reports.Unjudged {
		t.Fatal(report.Verdict.Text)
	}
	for _, f := range report.Findings {
		if f.Status == reports.Warn && slices.Contains(warned, f.Case) {
			continue
		}
		switch f.Status {
		case reports.Fail, reports.Warn, reports.Error:
			t.Errorf("%s %s at %s over %s: %s\n%s\n%v", f.Status, f.Case, f.Revision, f.Transport, f.Problem, f.Rule, f.Frames)
		case reports.Pass, reports.Skip:
		}
	}
}

// Without a configuration nothing that changes anything is called: only tools
// that say they are read-only, and names that no tool has.
func TestNothingIsChanged(t *testing.T) {
	t.Parallel()
	server := &rigged.Server{Capabilities: offersTools, Tools: tools(20)}
	judge(t, &suites.Local{Serve: server.Serve, Handler: server.Handler()}, everything)
	for _, name := range server.Called() {
		i := slices.IndexFunc(server.Tools, func(tool map[string]any) bool { return tool["name"] == name })
		if i >= 0 && i%2 == 1 {
			t.Errorf("%s was called, which does not say that it is read-only", name)
		}
	}
	if !slices.Contains(server.Called(), "tool_0") {
		t.Error("no read-only tool was called, so this shows nothing")
	}
}
