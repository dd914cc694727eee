package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Each row is a reaction of the server to the request 7, sent as a good request
// and sent raw, and what counts as the answer.
func TestWhatAnswers(t *testing.T) {
	t.Parallel()
	const text = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	noID := `{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`
	for name, row := range map[string]struct {
		hear func(s *server, h receivedFrame)
		well string // the outcome of a good request
		bent string // the outcome of the same frame sent raw
		http bool
	}{
		"the id":             {hear: says(result("7", `{"a":1}`)), well: `result {"a":1}`, bent: `result {"a":1}`},
		"the id as text":     {hear: says(result(`"7"`, `{}`)), well: `result {}`, bent: `result {}`},
		"null":               {hear: says(refusal("null", `{"code":1}`)), well: "", bent: `error {"code":1}`},
		"no id":              {hear: says(noID), well: "", bent: `error {"code":-32600,"message":"m"}`},
		"no id, then it":     {hear: says(noID, result("7", `{}`)), well: `result {}`, bent: `result {}`},
		"another id":         {hear: says(result("8", `{}`)), well: "", bent: ""},
		"another, then it":   {hear: says(result("8", `{}`), result("7", `{"b":2}`)), well: `result {"b":2}`, bent: `result {"b":2}`},
		"in an array":        {hear: says(`[` + result("8", `{}`) + `,` + result("7", `{"c":3}`) + `]`), well: `result {"c":3}`, bent: `result {"c":3}`},
		"noise before":       {hear: says("hello", `{"a":1}`, `{"jsonrpc":"2.0","method":"n"}`, result("7", `{}`)), well: `result {}`, bent: `result {}`},
		"both members":       {hear: says(`{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":2}}`), well: `error {"code":2}`, bent: `error {"code":2}`},
		"a request of 7":     {hear: says(`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`), well: "", bent: ""},
		"HTTP, the id":       {http: true, hear: posts(200, result("7", `{}`)), well: `result {}`, bent: `result {}`},
		"HTTP, another id":   {http: true, hear: posts(200, result("8", `{"d":4}`)), well: `result {"d":4}`, bent: `result {"d":4}`},
		"HTTP, null":         {http: true, hear: posts(400, refusal("null", `{"code":1}`)), well: `error {"code":1}`, bent: `error {"code":1}`},
		"HTTP, status":       {http: true, hear: posts(404), well: "HTTP status 404 without a JSON-RPC response", bent: "HTTP status 404 without a JSON-RPC response"},
		"HTTP, accepted":     {http: true, hear: posts(202), well: "HTTP status 202 without a JSON-RPC response", bent: "HTTP status 202 without a JSON-RPC response"},
		"HTTP, notification": {http: true, hear: posts(200, `{"jsonrpc":"2.0","method":"n"}`, result("7", `{}`)), well: `result {}`, bent: `result {}`},
		"HTTP, other stream": {http: true, hear: elsewhere(result("8", `{}`)), well: "", bent: ""},
		"HTTP, it elsewhere": {http: true, hear: elsewhere(result("7", `{}`)), well: `result {}`, bent: `result {}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, well := range []bool{true, false} {
					c := connect(t, &server{http: row.http, hear: row.hear})
					ask, want := asks(c), row.bent
					if well {
						ask, want = calls(c), row.well
					}
					reply := ask(text)
					if want == "" {
						if reply.Answered() {
							t.Errorf("well %v: got %s, want no answer", well, reply.Outcome())
						}
						continue
					}
					if diff := cmp.Diff(want, reply.Outcome()); diff != "" {
						t.Errorf("well %v: %s", well, diff)
					}
				}
			})
		})
	}
}

// asks makes the request of a text as Call does.
func asks(c *probe.Client, options ...probe.Option) asking {
	return func(text string) *probe.Reply { return c.Ask(text, options...) }
}

func calls(c *probe.Client) asking {
	return func(text string) *probe.Reply {
		m := frame.Read([]byte(text))
		return c.Call(m.Method, nil, probe.WithID(m.ID))
	}
}

// says answers every request and notification with these lines.
func says(lines ...string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		if class := h.Message.Class; class == frame.Result || class == frame.Error {
			return
		}
		for _, line := range lines {
			s.say(0, line)
		}
	}
}

// posts answers each exchange with a status and these messages.
func posts(status int, messages ...string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		s.head(h.Exchange, status)
		for _, m := range messages {
			s.say(h.Exchange, m)
		}
		s.end(h.Exchange, frame.End{})
	}
}

// elsewhere leaves the exchange open and sends a message in another one.
func elsewhere(message string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) { s.say(h.Exchange+100, message) }
}

// Each row is a missing answer, and the problem about it.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		hear   func(s *server, h receivedFrame)
		want   string
		words  string // its last words
		http   bool
		silent bool
		died   bool
		took   time.Duration
	}{
		"nothing": {want: "no answer within 10s", silent: true, took: 10 * time.Second},
		"a stray line": {hear: says("listening on 8080"), silent: true, took: 10 * time.Second,
			want: "no answer within 10s; what came instead is listening on 8080"},
		"an empty line": {hear: says(""), silent: true, took: 10 * time.Second,
			want: "no answer within 10s; what came instead is an empty line"},
		"a line after an empty one": {hear: says(" ", "", "listening on 8080", "ready"), silent: true, took: 10 * time.Second,
			want: "no answer within 10s; what came instead is listening on 8080"},
		"an answer to nothing": {hear: says(`{"jsonrpc":"2.0","method":"n"}`, result("99", "{}")), silent: true, took: 10 * time.Second,
			want: `no answer within 10s; what came instead has the id 99, the request had 1: {"jsonrpc":"2.0","id":99,"result":{}}`},
		"an exit": {hear: ends(frame.End{Exited: true, ExitCode: 3}), died: true,
			want: "the end of the process, exit code 3"},
		"an exit with words": {hear: ends(frame.End{Exited: true, ExitCode: 1, Stderr: "a\nb\nTraceback\n  line 2\nboom\n"}), died: true,
			want: "the end of the process, exit code 1", words: "; its last words on stderr: Traceback line 2 boom"},
		"an exit with an error": {died: true,
			hear: ends(frame.End{Exited: true, ExitCode: 1, Stderr: "x.js:1\n throw new TypeError()\n ^\n\nTypeError: boom\n    at a\n    at b\n    at c\n\nNode.js v22.1.0\n"}),
			want: "the end of the process, exit code 1", words: "; its last words on stderr: TypeError: boom"},

		"a signal": {hear: ends(frame.End{Exited: true, ExitCode: -1, Signal: "SIGSEGV"}), died: true,
			want: "the end of the process, by signal SIGSEGV"},
		"a closed output": {hear: ends(frame.End{}), died: true, want: "the end of the connection"},
		"HTTP refused":    {http: true, hear: cuts("connection refused"), died: true, want: "the end of the connection: connection refused"},
		"HTTP cut after":  {http: true, hear: cutsAfter(200, "unexpected EOF"), died: true, want: "the end of the connection: unexpected EOF"},
		"HTTP text":       {http: true, hear: pages(200), want: "HTTP status 200 without a JSON-RPC response"},
		"HTTP another type": {http: true, hear: typed("text/plain; charset=utf-8", `{"jsonrpc":"2.0"}`),
			want: `HTTP status 200 without a JSON-RPC response, but with the Content-Type "text/plain" and {"jsonrpc":"2.0"}`},
		"HTTP events of another type": {http: true, hear: typed("text/plain", "event: message\ndata: {}"),
			want: `HTTP status 200 without a JSON-RPC response, but with the Content-Type "text/plain" and event: message`},
		"HTTP no type": {http: true, hear: typed("", `{"jsonrpc":"2.0"}`),
			want: `HTTP status 200 without a JSON-RPC response, but with no Content-Type and {"jsonrpc":"2.0"}`},
		"HTTP half an event": {http: true, hear: halves("event: message\ndata: {\"jsonrpc\":\"2.0\"}"),
			want: `HTTP status 200 without a JSON-RPC response, but with a part of an event: data: {"jsonrpc":"2.0"}`},
		"HTTP half a comment": {http: true, hear: halves(": bye"), want: "HTTP status 200 without a JSON-RPC response"},
		"HTTP braced comment": {http: true, hear: halves(": {bye}"), want: "HTTP status 200 without a JSON-RPC response"},
		"HTTP refused text":   {http: true, hear: pages(500), want: "HTTP status 500 without a JSON-RPC response"},
		"HTTP open": {http: true, hear: func(s *server, h receivedFrame) { s.head(h.Exchange, 200) }, silent: true, took: 10 * time.Second,
			want: "no answer within 10s in the body that HTTP status 200 began"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{http: row.http, hear: row.hear})
				began := time.Now()
				reply := c.Call("ping", nil)
				if got := reply.Outcome(); got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
				if got := reply.LastWords(); got != row.words {
					t.Errorf("the last words are %s, want %s", got, row.words)
				}
				if reply.Answered() || reply.Silent() != row.silent || reply.Died() != row.died {
					t.Errorf("answered %v, silent %v, died %v", reply.Answered(), reply.Silent(), reply.Died())
				}
				if took := time.Since(began); took != row.took {
					t.Errorf("it took %s, want %s", took, row.took)
				}
				if _, ok := reply.Seen(); ok {
					t.Error("there is an answer to be seen")
				}
			})
		})
	}
}

// The message of an error says in its middle what is wrong, and is cut at its end.
func TestLongError(t *testing.T) {
	t.Parallel()
	advice := strings.Repeat(" Please check the types and values.", 9)
	c := connect(t, &server{hear: func(s *server, h receivedFrame) {
		s.say(0, refusal(h.Message.ID, `{"code":-32602,"message":"Tool 'scrape_the_harbour' parameter validation failed: `+
			`root: Invalid input: expected object, received undefined.`+advice+`"}`))
	}})
	got := c.Call("ping", nil).Outcome()
	if !strings.Contains(got, "expected object, received undefined") || !strings.HasSuffix(got, " ...") || len(got) > 310 {
		t.Errorf("got %s", got)
	}
}

// A secret is hidden before a text is cut, not after.
func TestNothingIsCutOutOfASecret(t *testing.T) {
	t.Parallel()
	const secret = "fourteen-lines\nof-a-secret\nthat-nobody\nmay-see"
	hide := func(s string) string {
		return strings.NewReplacer(secret, "***", strings.ReplaceAll(secret, "\n", `\n`), "***").Replace(s)
	}
	long := strings.Repeat("-", 80) + strings.ReplaceAll(secret, "\n", `\n`)
	for name, f := range map[string]frame.Frame{
		"error":      frame.New(frame.Received, frame.KindMessage, []byte(refusal("1", `{"code":1,"message":"`+long+`"}`))),
		"result":     frame.New(frame.Received, frame.KindMessage, []byte(result("1", `{"name":"`+long+`"}`))),
		"text":       frame.New(frame.Received, frame.KindMessage, []byte(result("1", `"`+long+`"`))),
		"code":       frame.New(frame.Received, frame.KindMessage, []byte(refusal("1", `{"code":"`+long+`"}`))),
		"last words": {Dir: frame.Received, Kind: frame.KindEnd, End: &frame.End{Exited: true, Stderr: "no use for " + secret + "\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{hear: func(s *server, _ receivedFrame) { s.put(f.Redacted(hide)) }})
				reply := c.Call("ping", nil)
				for _, said := range []error{reply.Violation("%s", reply.Outcome()), reply.WantResult(), reply.WantError(5)} {
					if said != nil && strings.ContainsAny(said.Error(), "\n") || said != nil && strings.Contains(said.Error(), "of-a-secret") {
						t.Errorf("got %q", said)
					}
				}
				if got := reply.Outcome() + reply.LastWords(); !strings.Contains(got, "***") {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

func ends(e frame.End) func(*server, receivedFrame) {
	return func(s *server, _ receivedFrame) { s.end(0, e) }
}

func cuts(why string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) { s.end(h.Exchange, frame.End{Err: why}) }
}

func cutsAfter(status int, why string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		s.head(h.Exchange, status)
		s.end(h.Exchange, frame.End{Err: why})
	}
}

func pages(status int) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		s.head(h.Exchange, status)
		s.body(h.Exchange, "<html>")
		s.end(h.Exchange, frame.End{})
	}
}

// typed answers with a message under the wrong Content-Type.
func typed(kind, body string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		s.head(h.Exchange, 200, "Content-Type", kind)
		s.body(h.Exchange, body)
		s.end(h.Exchange, frame.End{})
	}
}

// Each kind of request waits as long as it should.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ask  func(c *probe.Client) asking
		want time.Duration
	}{
		"Ask":           {func(c *probe.Client) asking { return asks(c) }, 3 * time.Second},
		"Ask patiently": {func(c *probe.Client) asking { return asks(c, probe.Patient()) }, 10 * time.Second},
		"Call":          {calls, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{})
				began := time.Now()
				row.ask(c)(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
				if took := time.Since(began); took != row.want {
					t.Errorf("it took %s, want %s", took, row.want)
				}
			})
		})
	}
}

// Only an exchange's own frames are its evidence.
func TestEvidence(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		http bool
		hear func(s *server, h receivedFrame)
		want []string
	}{
		"an answer":        {hear: says(`noise`, result("1", "{}")), want: []string{"sent message", "received message"}},
		"silence":          {want: []string{"sent message"}},
		"a stray line":     {hear: says("noise"), want: []string{"sent message", "received message"}},
		"a death":          {hear: ends(frame.End{Exited: true}), want: []string{"sent message", "received end"}},
		"HTTP":             {http: true, hear: posts(200, result("1", "{}")), want: []string{"sent message", "received message"}},
		"HTTP refused":     {http: true, hear: posts(400, refusal("1", "{}")), want: []string{"sent message", "received head", "received message"}},
		"HTTP with a body": {http: true, hear: pages(502), want: []string{"sent message", "received head", "received body"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reply := connect(t, &server{http: row.http, hear: row.hear}).Call("ping", nil)
				var got []string
				for _, f := range reply.Evidence() {
					got = append(got, string(f.Dir)+" "+f.Kind.String())
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A run that is cut short stops every request.
func TestCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		for step, speak := range []func(c *probe.Client){
			func(c *probe.Client) { c.Call("ping", nil) },
			func(c *probe.Client) { c.Send("{}") },
			func(c *probe.Client) { c.Ask("{}") },
		} {
			err := control(c).Run(ctx, func(c *probe.Client) error {
				speak(c)
				t.Errorf("step %d goes on", step)
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("step %d: stopped by %v", step, err)
			}
		}
	})
}

// Within limits the wait of one request.
func TestWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{hear: func(*server, receivedFrame) {}})
		began := time.Now()
		reply := c.Call("x", nil, probe.Within(time.Second))
		if !reply.Silent() || time.Since(began) != time.Second {
			t.Errorf("%s after %s, want silence after one second", reply.Outcome(), time.Since(began))
		}
	})
}
