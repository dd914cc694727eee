package findings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

func errorOf(code int) func(fakeserver.Request) any {
	return func(fakeserver.Request) any { return &fakeserver.Error{Code: code, Message: "m"} }
}

func silence(fakeserver.Request) any { return fakeserver.Silence{} }

// says writes a line in answer to each line that holds of, and handles no other line.
func says(of, text string) func([]byte, io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		if !bytes.Contains(line, []byte(of)) {
			return false
		}
		_, _ = io.WriteString(out, text)
		return true
	}
}

// batches serves arrays: each request gets an empty result, and the array also holds the
// given texts.
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

// firstOnly answers the first request of each array, and drops the others.
func firstOnly() func([]byte, io.Writer) bool {
	return func(line []byte, out io.Writer) bool {
		var all []json.RawMessage
		if json.Unmarshal(line, &all) != nil || len(all) == 0 {
			return false
		}
		return batches()([]byte("["+string(all[0])+"]"), out)
	}
}

// late serves an array only after the answer to the next line is out.
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
	unknown := func(answer func(fakeserver.Request) any) map[string]func(fakeserver.Request) any {
		return fakeserver.Answers{"no/such_method": answer}
	}
	calls := func(answer any) map[string]func(fakeserver.Request) any {
		return fakeserver.Answers{"tools/call": fakeserver.ForTools(answer)}
	}
	return []defect{
		{name: "an unknown method is served", answers: unknown(func(fakeserver.Request) any { return map[string]any{} }),
			about: "jsonrpc/method-not-found", want: reports.Fail, broken: "jsonrpc-unknown-method-refused"},
		{name: "an unknown method has another code", answers: unknown(errorOf(-32602)),
			about: "jsonrpc/method-not-found", want: reports.Warn, broken: "jsonrpc-method-not-found"},
		{name: "an unknown method is not answered", hangs: true, answers: unknown(silence),
			about: "jsonrpc/method-not-found", want: reports.Fail, broken: "jsonrpc-single-response"},
		{name: "missing params have another code", answers: fakeserver.Answers{"tools/call": errorOf(-32603)},
			about: "jsonrpc/invalid-params-call-without-name", want: reports.Warn, broken: "jsonrpc-invalid-params"},
		{name: "absent params have another code", answers: fakeserver.Answers{"tools/call": errorOf(-32000)},
			about: "jsonrpc/invalid-params-call-without-params", want: reports.Warn, broken: "jsonrpc-invalid-params"},
		{name: "absent params are an invalid request", answers: fakeserver.Answers{"tools/call": errorOf(-32600)},
			about: "jsonrpc/invalid-params-call-without-params", want: reports.Pass},
		{name: "bad params get a bare status", page: &gatewayPage{`"params":{}`, 400, "text/plain", "Bad Request"}, http: true,
			about: "jsonrpc/invalid-params-call-without-name", want: reports.Warn, broken: "jsonrpc-invalid-params"},
		{name: "a numeric name gets a bare status", page: &gatewayPage{`"name":7`, 400, "text/plain", "Bad Request"}, http: true,
			about: "tools/malformed-call-numeric-name", want: reports.Warn, broken: "tools-malformed-call-error"},
		{name: "good calls get a page", page: &gatewayPage{`"name":"tool_`, 200, "text/html", "<html>"}, http: true,
			about: "tools/call-answered", want: reports.Fail, broken: ""},
		{name: "good calls get status 202", answers: calls(fakeserver.Silence{}), http: true,
			about: "tools/call-answered", want: reports.Fail},
		{name: "good calls get an empty stream", page: &gatewayPage{`"name":"tool_`, 200, "text/event-stream", ": nothing\n\n"}, http: true,
			about: "tools/call-answered", want: reports.Warn},
		{name: "good calls are not answered", hangs: true, answers: calls(fakeserver.Silence{}), about: "tools/call-answered", want: reports.Fail},
		{name: "good calls get NaN", hangs: true, line: func(line []byte, out io.Writer) bool {
			var r fakeserver.Request
			good := bytes.Contains(line, []byte(`"name":"tool_`)) && json.Unmarshal(line, &r) == nil
			if good {
				_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"n":NaN}}`+"\n", r.ID)
			}
			return good
		}, about: "tools/call-answered", want: reports.Fail},
		{name: "good calls get an error", answers: calls(&fakeserver.Error{Code: -32603, Message: "m"}),
			about: "tools/call-answered", want: reports.Pass},
		{name: "an unknown tool is a result", answers: fakeserver.Answers{"tools/call": fakeserver.Flagged},
			about: "tools/unknown-name", want: reports.Warn, broken: "tools-unknown-name-error"},
		{name: "an unknown tool is a result, before the kinds of errors were told", revision: "2025-06-18",
			answers: fakeserver.Answers{"tools/call": fakeserver.Flagged}, about: "tools/unknown-name", want: reports.Pass},
	}
}

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
		{name: "a refusal gives its reason without a type", http: true, about: "tools/list-answered", want: reports.Fail, says: "not today",
			page: &gatewayPage{`"tools/list"`, 400, "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not today"}}`}},
		{name: "invalid JSON gets a page", page: &gatewayPage{`harbour closed`, 200, "text/html", "<html>"}, http: true,
			about: "jsonrpc/parse-error-words", want: reports.Fail, broken: "jsonrpc-malformed-answer"},
		{name: "invalid JSON gets an error of another form", http: true,
			page:  &gatewayPage{`harbour closed`, 200, "application/json", `{"error":"bad request"}`},
			about: "jsonrpc/parse-error-words", want: reports.Fail, broken: "jsonrpc-malformed-answer"},
		{name: "invalid JSON gets a bare status", page: &gatewayPage{`harbour closed`, 400, "text/plain", "no"}, http: true,
			about: "jsonrpc/parse-error-words", want: reports.Pass},
		{name: "invalid JSON gets an id in a refusal", http: true,
			page:  &gatewayPage{`harbour closed`, 400, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32700,"message":"m"}}`},
			about: "jsonrpc/parse-error-words", want: reports.Pass},
		{name: "invalid JSON gets an id of nobody's", line: says("harbour closed", strings.Replace(refusal, "null", "0", 1)+"\n"),
			about: "jsonrpc/parse-error-words", want: reports.Fail, broken: "jsonrpc-malformed-answer"},
		{name: "invalid JSON has its own id", line: says(`"id":900041,`, strings.NewReplacer("null", "900041", "-32600", "-32700").Replace(refusal)+"\n"),
			about: "jsonrpc/parse-error-truncated", want: reports.Pass},
		{name: "invalid JSON is an invalid request", line: says("harbour closed", refusal+"\n"),
			about: "jsonrpc/parse-error-words", want: reports.Warn, broken: "jsonrpc-parse-error"},
		{name: "a numeric method is invalid JSON", http: true,
			page:  &gatewayPage{`"method":7`, 400, "application/json", strings.Replace(refusal, "-32600", "-32700", 1)},
			about: "jsonrpc/invalid-request-numeric-method", want: reports.Warn},
		{name: "a numeric method gets a bare status", http: true, page: &gatewayPage{`"method":7`, 400, "text/plain", "no"},
			about: "jsonrpc/invalid-request-numeric-method", want: reports.Pass},
		{name: "the id stands twice", edit: doubled(`"id":`), about: "jsonrpc/envelope-unambiguous", want: reports.Fail},
		{name: "a property stands twice", edit: doubled(`"name":`), about: "jsonrpc/property-names-unique", want: reports.Warn},
		{name: "a property stands twice, and none of the envelope", edit: doubled(`"name":`),
			about: "jsonrpc/envelope-unambiguous", want: reports.Pass},
		{name: "a request is answered twice", edit: func(text string) string {
			if strings.Contains(text, `"tools":[`) {
				return text + "\n" + text
			}
			return text
		}, about: "jsonrpc/single-response", want: reports.Fail},
		{name: "a notification is answered in the first revision", revision: first, line: says("notifications/x-unknown", refusal+"\n"),
			about: "jsonrpc/unknown-notification-unanswered", want: reports.Fail},
		{name: "batches are not served", revision: batch, about: "jsonrpc/batch-received", want: reports.Fail},
		{name: "batches are not served, over HTTP", revision: batch, http: true, about: "jsonrpc/batch-received", want: reports.Fail},
		{name: "batches of requests alone are served", revision: batch, line: func(line []byte, out io.Writer) bool {
			return bytes.HasPrefix(line, []byte("[")) && (bytes.Contains(line, []byte(`"notifications/`)) || batches()(line, out))
		}, about: "jsonrpc/batch-received", want: reports.Fail, says: "batches without one are"},
		{name: "the first request of a batch alone is answered", revision: batch, line: firstOnly(),
			about: "jsonrpc/batch-received", want: reports.Fail, says: "of the two requests in a batch 1 are answered"},
		{name: "every array is refused", revision: batch, line: says("[{", refusal+"\n"),
			about: "jsonrpc/batch-notifications-only", want: reports.Skip},
		{name: "notifications in an array get []", revision: batch, line: func(line []byte, out io.Writer) bool {
			return !bytes.Contains(line, []byte(`"id"`)) && says("[{", "[]\n")(line, out) || batches()(line, out)
		}, about: "jsonrpc/batch-notifications-only", want: reports.Fail, says: "got an array"},
		{name: "[] gets status 202", revision: batch, http: true, page: &gatewayPage{"[]", 202, "", ""},
			about: "jsonrpc/batch-empty-array", want: reports.Warn, says: "HTTP status 202"},
		{name: "[] gets []", revision: batch, line: says("[]\n", "[]\n"),
			about: "jsonrpc/batch-empty-array", want: reports.Fail, broken: "jsonrpc-batch-empty-answer"},
		{name: "[] is ignored", revision: batch, line: says("[]\n", ""), about: "jsonrpc/batch-empty-array", want: reports.Pass},
		{name: "[] is invalid JSON", revision: batch, line: says("[]\n", strings.Replace(refusal, "-32600", "-32700", 1)+"\n"),
			about: "jsonrpc/batch-empty-array", want: reports.Warn, broken: "jsonrpc-batch-empty-array"},
		{name: "a notification in a batch is answered", revision: batch, line: batches(refusal),
			about: "jsonrpc/batch-coverage", want: reports.Fail, broken: "jsonrpc-batch-notification-silent"},
		{name: "an array on stdout answers an array", revision: june, line: batches(), about: "stdio/stdout-messages-only", want: reports.Fail},
		{name: "an array answers an array", revision: june, line: batches(), about: "jsonrpc/batch-rejected", want: reports.Warn},
		{name: "an array answers an array, behind what was asked after it", revision: june, line: late(batches()),
			about: "jsonrpc/batch-rejected", want: reports.Warn},
		{name: "a method is declared and not served", answers: fakeserver.Answers{"tools/call": errorOf(-32601)},
			about: "jsonrpc/invalid-params-call-without-name", want: reports.Skip},
		{name: "a call without a name is an unknown method", answers: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
			if r.Params["name"] == nil {
				return &fakeserver.Error{Code: -32601, Message: "m"}
			}
			return &fakeserver.Error{Code: -32602, Message: "m"}
		}}, about: "jsonrpc/invalid-params-call-without-name", want: reports.Warn},
		{name: "JSON-RPC 1.0 is served", line: func(line []byte, out io.Writer) bool {
			return says(`"jsonrpc":"1.0"`, `{"jsonrpc":"2.0","id":900851,"result":{}}`+"\n")(line, out)
		}, about: "jsonrpc/invalid-request-version", want: reports.Warn},
	}
}
