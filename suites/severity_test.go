package suites_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A defect is a server with one slip, and what has to be said of it.
type defect struct {
	name     string
	revision string // that the server speaks; empty: 2025-11-25
	answers  map[string]func(rigged.Request) any
	edit     func(text string) string
	line     func(line []byte, out io.Writer) bool
	page     *gatewayPage // over HTTP, in place of an answer
	http     bool
	hangs    bool // something is never answered, and is not awaited for long
	caseID   string
	want     reports.Status
	broken   requirements.ID // empty where nothing is
	says     string          // part of the problem
}

// A gatewayPage is what a gateway answers for some requests.
type gatewayPage struct {
	of     string // a text in the request
	status int
	kind   string
	text   string
}

func errorOf(code int) func(rigged.Request) any {
	return func(rigged.Request) any { return &rigged.Error{Code: code, Message: "m"} }
}

func silence(rigged.Request) any { return rigged.Silence{} }

// forGood answers calls of the tools that are there, and leaves others as they are.
func forGood(answer any) func(rigged.Request) any {
	return func(r rigged.Request) any {
		if name, _ := r.Params["name"].(string); !strings.HasPrefix(name, "tool_") {
			return &rigged.Error{Code: -32602, Message: "no such tool"}
		}
		return answer
	}
}

// says writes a line for each line that holds a text, and lets no other answer it.
func says(of, text string) func([]byte, io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		if !bytes.Contains(line, []byte(of)) {
			return false
		}
		_, _ = io.WriteString(out, text)
		return true
	}
}

// batches serves arrays: each request gets an empty result, and what is added.
func batches(more ...string) func([]byte, io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		var all []struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if !bytes.HasPrefix(line, []byte("[")) || json.Unmarshal(line, &all) != nil {
			return false
		}
		answers := slices.Clone(more)
		for _, m := range all {
			if m.ID != nil {
				answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID))
			}
		}
		if len(all) > 0 && len(answers) > 0 {
			_, _ = fmt.Fprintf(out, "[%s]\n", strings.Join(answers, ","))
		}
		return true
	}
}

// firstOnly answers the first request of each array, and forgets the others.
func firstOnly() func([]byte, io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		var all []json.RawMessage
		if json.Unmarshal(line, &all) != nil || len(all) == 0 {
			return false
		}
		return batches()([]byte("["+string(all[0])+"]"), out)
	}
}

// late serves an array only when the answer to the next line is out.
func late(serve func([]byte, io.Writer) bool) func([]byte, io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		if !bytes.HasPrefix(line, []byte("[")) {
			return false
		}
		line = bytes.Clone(line)
		time.AfterFunc(100*time.Millisecond, func() { serve(line, out) })
		return true
	}
}

const refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}`

func defectsOfRequests() []defect {
	unknown := func(answer func(rigged.Request) any) map[string]func(rigged.Request) any {
		return map[string]func(rigged.Request) any{"no/such_method": answer}
	}
	calls := func(answer any) map[string]func(rigged.Request) any {
		return map[string]func(rigged.Request) any{"tools/call": forGood(answer)}
	}
	return []defect{
		{name: "an unknown method is served", answers: unknown(func(rigged.Request) any { return map[string]any{} }),
			caseID: "jsonrpc/method-not-found", want: reports.Fail, broken: "jsonrpc-unknown-method-refused"},
		{name: "an unknown method has another code", answers: unknown(errorOf(-32602)),
			caseID: "jsonrpc/method-not-found", want: reports.Warn, broken: "jsonrpc-method-not-found"},
		{name: "an unknown method is not answered", hangs: true, answers: unknown(silence),
			caseID: "jsonrpc/method-not-found", want: reports.Fail, broken: "jsonrpc-single-response"},
		{name: "missing params have another code", answers: map[string]func(rigged.Request) any{"tools/call": errorOf(-32603)},
			caseID: "jsonrpc/invalid-params-call-without-name", want: reports.Warn, broken: "jsonrpc-invalid-params"},
		{name: "absent params have another code", answers: map[string]func(rigged.Request) any{"tools/call": errorOf(-32000)},
			caseID: "jsonrpc/invalid-params-call-without-params", want: reports.Warn, broken: "jsonrpc-invalid-params"},
		{name: "absent params are an invalid request", answers: map[string]func(rigged.Request) any{"tools/call": errorOf(-32600)},
			caseID: "jsonrpc/invalid-params-call-without-params", want: reports.Pass},
		{name: "bad params get a bare status", page: &gatewayPage{`"params":{}`, 400, "text/plain", "Bad Request"}, http: true,
			caseID: "jsonrpc/invalid-params-call-without-name", want: reports.Warn, broken: "jsonrpc-invalid-params"},
		{name: "a numeric name gets a bare status", page: &gatewayPage{`"name":7`, 400, "text/plain", "Bad Request"}, http: true,
			caseID: "tools/malformed-call-numeric-name", want: reports.Warn, broken: "tools-malformed-call-error"},
		{name: "good calls get a page", page: &gatewayPage{`"name":"tool_`, 200, "text/html", "<html>"}, http: true,
			caseID: "tools/call-answered", want: reports.Fail, broken: ""},
		{name: "good calls get status 202", answers: calls(rigged.Silence{}), http: true,
			caseID: "tools/call-answered", want: reports.Fail},
		{name: "good calls get an empty stream", page: &gatewayPage{`"name":"tool_`, 200, "text/event-stream", ": nothing\n\n"}, http: true,
			caseID: "tools/call-answered", want: reports.Warn},
		{name: "good calls are not answered", hangs: true, answers: calls(rigged.Silence{}), caseID: "tools/call-answered", want: reports.Fail},
		{name: "good calls get NaN", hangs: true, line: func(line []byte, out io.Writer) bool {
			var r rigged.Request
			good := bytes.Contains(line, []byte(`"name":"tool_`)) && json.Unmarshal(line, &r) == nil
			if good {
				_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"n":NaN}}`+"\n", r.ID)
			}
			return good
		}, caseID: "tools/call-answered", want: reports.Fail},
		{name: "good calls get an error", answers: calls(&rigged.Error{Code: -32603, Message: "m"}),
			caseID: "tools/call-answered", want: reports.Pass},
		{name: "an unknown tool is a result", answers: map[string]func(rigged.Request) any{"tools/call": flagged},
			caseID: "tools/unknown-name", want: reports.Warn, broken: "tools-unknown-name-error"},
		{name: "an unknown tool is a result, before the kinds of errors were told", revision: "2025-06-18",
			answers: map[string]func(rigged.Request) any{"tools/call": flagged}, caseID: "tools/unknown-name", want: reports.Pass},
	}
}

func flagged(rigged.Request) any { return map[string]any{"isError": true, "content": []any{}} }

func defectsOfMessages() []defect {
	const first, batch, june = "2024-11-05", "2025-03-26", "2025-06-18"
	doubled := func(property string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, `"tools":[`) {
				return text
			}
			at := strings.Index(text, property)
			return text[:at] + property + `null,` + text[at:]
		}
	}
	return []defect{
		{name: "a refusal gives its reason without a type", http: true, caseID: "tools/list-answered", want: reports.Fail, says: "not today",
			page: &gatewayPage{`"tools/list"`, 400, "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not today"}}`}},
		{name: "invalid JSON gets a page", page: &gatewayPage{`harbour closed`, 200, "text/html", "<html>"}, http: true,
			caseID: "jsonrpc/parse-error-words", want: reports.Fail, broken: "jsonrpc-malformed-answer"},
		{name: "invalid JSON gets an error of another form", http: true,
			page:   &gatewayPage{`harbour closed`, 200, "application/json", `{"error":"bad request"}`},
			caseID: "jsonrpc/parse-error-words", want: reports.Fail, broken: "jsonrpc-malformed-answer"},
		{name: "invalid JSON gets a bare status", page: &gatewayPage{`harbour closed`, 400, "text/plain", "no"}, http: true,
			caseID: "jsonrpc/parse-error-words", want: reports.Pass},
		{name: "invalid JSON gets an id in a refusal", http: true,
			page:   &gatewayPage{`harbour closed`, 400, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32700,"message":"m"}}`},
			caseID: "jsonrpc/parse-error-words", want: reports.Pass},
		{name: "invalid JSON gets an id of nobody's", line: says("harbour closed", strings.Replace(refusal, "null", "0", 1)+"\n"),
			caseID: "jsonrpc/parse-error-words", want: reports.Fail, broken: "jsonrpc-malformed-answer"},
		{name: "invalid JSON has its own id", line: says(`"id":900041,`, strings.NewReplacer("null", "900041", "-32600", "-32700").Replace(refusal)+"\n"),
			caseID: "jsonrpc/parse-error-truncated", want: reports.Pass},
		{name: "invalid JSON is an invalid request", line: says("harbour closed", refusal+"\n"),
			caseID: "jsonrpc/parse-error-words", want: reports.Warn, broken: "jsonrpc-parse-error"},
		{name: "a numeric method is invalid JSON", http: true,
			page:   &gatewayPage{`"method":7`, 400, "application/json", strings.Replace(refusal, "-32600", "-32700", 1)},
			caseID: "jsonrpc/invalid-request-numeric-method", want: reports.Warn},
		{name: "a numeric method gets a bare status", http: true, page: &gatewayPage{`"method":7`, 400, "text/plain", "no"},
			caseID: "jsonrpc/invalid-request-numeric-method", want: reports.Pass},
		{name: "the id stands twice", edit: doubled(`"id":`), caseID: "jsonrpc/envelope-unambiguous", want: reports.Fail},
		{name: "a property stands twice", edit: doubled(`"name":`), caseID: "jsonrpc/property-names-unique", want: reports.Warn},
		{name: "a property stands twice, and none of the envelope", edit: doubled(`"name":`),
			caseID: "jsonrpc/envelope-unambiguous", want: reports.Pass},
		{name: "a request is answered twice", edit: func(text string) string {
			if strings.Contains(text, `"tools":[`) {
				return text + "\n" + text
			}
			return text
		}, caseID: "jsonrpc/single-response", want: reports.Fail},
		{name: "a notification is answered in the first revision", revision: first, line: says("notifications/x-unknown", refusal+"\n"),
			caseID: "jsonrpc/unknown-notification-unanswered", want: reports.Fail},
		{name: "batches are not served", revision: batch, caseID: "jsonrpc/batch-received", want: reports.Fail},
		{name: "batches are not served, over HTTP", revision: batch, http: true, caseID: "jsonrpc/batch-received", want: reports.Fail},
		{name: "batches of requests alone are served", revision: batch, line: func(line []byte, out io.Writer) bool {
			return bytes.HasPrefix(line, []byte("[")) && (bytes.Contains(line, []byte(`"notifications/`)) || batches()(line, out))
		}, caseID: "jsonrpc/batch-received", want: reports.Fail, says: "batches without one are"},
		{name: "the first request of a batch alone is answered", revision: batch, line: firstOnly(),
			caseID: "jsonrpc/batch-received", want: reports.Fail, says: "of the two requests in a batch 1 are answered"},
		{name: "every array is refused", revision: batch, line: says("[{", refusal+"\n"),
			caseID: "jsonrpc/batch-notifications-only", want: reports.Skip},
		{name: "[] gets status 202", revision: batch, http: true, page: &gatewayPage{"[]", 202, "", ""},
			caseID: "jsonrpc/batch-empty-array", want: reports.Warn, says: "HTTP status 202"},
		{name: "[] gets []", revision: batch, line: says("[]\n", "[]\n"),
			caseID: "jsonrpc/batch-empty-array", want: reports.Fail, broken: "jsonrpc-batch-empty-answer"},
		{name: "[] is ignored", revision: batch, line: says("[]\n", ""), caseID: "jsonrpc/batch-empty-array", want: reports.Pass},
		{name: "[] is invalid JSON", revision: batch, line: says("[]\n", strings.Replace(refusal, "-32600", "-32700", 1)+"\n"),
			caseID: "jsonrpc/batch-empty-array", want: reports.Warn, broken: "jsonrpc-batch-empty-array"},
		{name: "a notification in a batch is answered", revision: batch, line: batches(refusal),
			caseID: "jsonrpc/batch-coverage", want: reports.Fail, broken: "jsonrpc-batch-notification-silent"},
		{name: "an array on stdout answers an array", revision: june, line: batches(), caseID: "stdio/stdout-messages-only", want: reports.Fail},
		{name: "an array answers an array", revision: june, line: batches(), caseID: "jsonrpc/batch-rejected", want: reports.Warn},
		{name: "an array answers an array, behind what was asked after it", revision: june, line: late(batches()),
			caseID: "jsonrpc/batch-rejected", want: reports.Warn},
		{name: "a method is declared and not served", answers: map[string]func(rigged.Request) any{"tools/call": errorOf(-32601)},
			caseID: "jsonrpc/invalid-params-call-without-name", want: reports.Skip},
		{name: "a call without a name is an unknown method", answers: map[string]func(rigged.Request) any{"tools/call": func(r rigged.Request) any {
			if r.Params["name"] == nil {
				return &rigged.Error{Code: -32601, Message: "m"}
			}
			return &rigged.Error{Code: -32602, Message: "m"}
		}}, caseID: "jsonrpc/invalid-params-call-without-name", want: reports.Warn},
		{name: "JSON-RPC 1.0 is served", line: func(line []byte, out io.Writer) bool {
			return says(`"jsonrpc":"1.0"`, `{"jsonrpc":"2.0","id":900851,"result":{}}`+"\n")(line, out)
		}, caseID: "jsonrpc/invalid-request-version", want: reports.Warn},
	}
}

// What a MUST forbids fails, be it JSON-RPC's; what only its table of error codes,
// or prose, says is a warning.
func TestSeverityOfDefects(t *testing.T) {
	t.Parallel()
	for _, d := range slices.Concat(defectsOfRequests(), defectsOfMessages()) {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			report := d.judged(t)
			i := slices.IndexFunc(report.Findings, func(f reports.Finding) bool { return f.Case == d.caseID })
			if i < 0 {
				t.Fatalf("%s was not judged: %s", d.caseID, report.Verdict.Text)
			}
			f := report.Findings[i]
			if f.Status != d.want || d.broken != "" && !slices.Equal(f.Requirements, []requirements.ID{d.broken}) {
				t.Errorf("got %s by %v, want %s by %s: %s %v", f.Status, f.Requirements, d.want, d.broken, f.Problem, f.Reason)
			}
			if !strings.Contains(f.Problem, d.says) {
				t.Errorf("the problem is %q, want in it %q", f.Problem, d.says)
			}
			if failed := d.want == reports.Fail; failed != (report.Verdict.ExitCode == 1) {
				t.Errorf("the exit code is %d", report.Verdict.ExitCode)
			}
		})
	}
}

// A process that ends once may have ended for any reason, and the case is judged anew;
// one that ends each time is told of.
func TestEndsByAMessage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		always bool
		want   reports.Status
	}{{"once", false, reports.Pass}, {"each time", true, reports.Warn}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			const caseID = "jsonrpc/invalid-request-version"
			server := &rigged.Server{Capabilities: offersTools, Tools: tools(1)}
			var ended atomic.Bool
			serve := func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
				return server.Serve(ctx, term, readerFunc(func(b []byte) (int, error) {
					n, err := in.Read(b)
					if bytes.Contains(b[:n], []byte(`"jsonrpc":"1.0"`)) && (!ended.Swap(true) || row.always) {
						return 0, io.EOF
					}
					return n, err
				}), out, errw)
			}
			cfg := config.Default()
			cfg.Wait.Event = time.Second
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: &suites.Local{Serve: serve}, Seed: 1, Timeout: 2 * time.Second,
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == caseID },
			})
			for _, f := range report.Findings {
				if f.Case == caseID && f.Status != row.want {
					t.Errorf("got %s %s %v, want %s", f.Status, f.Problem, f.Reason, row.want)
				}
			}
			if !ended.Load() {
				t.Error("the process did not end, so this shows nothing")
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// judged is the report of the one case, and of what makes the server speak where it
// is a watcher.
func (d defect) judged(t *testing.T) reports.Report {
	t.Helper()
	revision := d.revision
	if revision == "" {
		revision = "2025-11-25"
	}
	server := &rigged.Server{
		Revisions: []string{revision}, Capabilities: offersTools, Tools: tools(3), Answer: d.answers, Edit: d.edit,
		Stdio: rigged.Stdio{Line: d.line},
	}
	local := &suites.Local{Serve: server.Serve}
	if d.http {
		local = &suites.Local{Handler: d.page.before(server.Handler())}
	}
	talk := map[string]bool{"tools/list-answered": true, "jsonrpc/batch-rejected": d.caseID == "stdio/stdout-messages-only"}
	talk[d.caseID] = true
	patience := 2 * time.Second
	if d.hangs {
		patience = 500 * time.Millisecond
	}
	cfg := config.Default()
	cfg.Wait.Event = time.Second
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: patience,
		Selected: func(_ suite.Suite, c suite.Case) bool { return talk[c.ID] },
	})
	return report
}

// before puts the page in front of a server.
func (p *gatewayPage) before(server http.Handler) http.Handler {
	if p == nil {
		return server
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<22))
		if err != nil || !bytes.Contains(body, []byte(p.of)) {
			r.Body = io.NopCloser(bytes.NewReader(body))
			server.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", p.kind)
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, p.text)
	})
}
