package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/schemas"
)

const (
	everything = `{"sampling":{},"roots":{},"elicitation":{}}`
	sampling   = "sampling/createMessage"
	hi         = `{"role":"assistant","model":"m","content":{"type":"text","text":"hi"}}`
	sampleCall = `"name":"test_sampling","arguments":{"prompt":"Say hi"}`
)

func TestAskedAndAnswered(t *testing.T) {
	t.Parallel()
	for _, at := range columns() {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			l := newPlace(t, server.Options{}).dial(at, everything)
			for i, row := range []struct{ since, params, method, answer, want string }{
				{"2024-11-05", sampleCall, sampling, hi, "LLM response: hi"},
				{"2025-11-25", sampleCall, sampling,
					`{"role":"assistant","model":"m","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
					"LLM response: a b"},
				{"2024-11-05", `"name":"test_list_roots"`, "roots/list", `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"b"}]}`,
					"2 roots: file:///a, file:///b"},
				{"2025-06-18", `"name":"test_elicitation","arguments":{"message":"Who?"}`, "elicitation/create",
					`{"action":"accept","content":{"username":"u","email":"e"}}`, `User response: action=accept, content={"email":"e","username":"u"}`},
				{"2025-06-18", `"name":"test_elicitation","arguments":{"message":"Who?"}`, "elicitation/create", `{"action":"decline"}`,
					`User response: action=decline, content=null`},
				{"2025-11-25", `"name":"test_elicitation_sep1034_defaults"`, "elicitation/create", `{"action":"accept","content":{"age":31}}`,
					`Elicitation completed: action=accept, content={"age":31}`},
				{"2025-11-25", `"name":"test_elicitation_sep1330_enums"`, "elicitation/create",
					`{"action":"accept","content":{"titledMulti":["value1"],"legacyEnum":"opt1"}}`,
					`Elicitation completed: action=accept, content={"legacyEnum":"opt1","titledMulti":["value1"]}`},
			} {
				if at.revision < row.since {
					continue
				}
				id := fmt.Sprint(i)
				l.send(at.call(id, everything, row.params))
				q := l.asked(row.method)
				fits(t, at.revision, q)
				l.send(at.answered(q, id, everything, row.params, row.answer))
				if got := said(t, l.next()); got != "id "+id+": "+row.want {
					t.Errorf("%s: got %s, want %s", row.params, got, row.want)
				}
			}
		})
	}
}

// fits checks a question against the schema of the revision.
func fits(t *testing.T, revision string, q asking) {
	t.Helper()
	set, err := schemas.Load().Core(revision)
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]any{"method": q.Method}
	name := "InputRequest"
	if q.ID != nil {
		name, _ = set.RequestOf(q.Method)
		value["jsonrpc"], value["id"] = "2.0", "x"
	}
	if q.Params != nil {
		var params any
		if err := json.Unmarshal(q.Params, &params); err != nil {
			t.Error(err)
		}
		value["params"] = params
	}
	for _, f := range set.Validate(name, value) {
		t.Errorf("%s: %s is %s, want %s", q.Method, f.Pointer, f.Got, f.Want)
	}
}

// A missing or unusable answer of the client fails only its own call.
func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	for _, at := range handshakes() {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			l := newPlace(t, server.Options{}).dial(at, everything)
			ids := map[string]bool{}
			for i, row := range []struct{ name, answer, want string }{
				{"refused", `"error":{"code":-1,"message":"User rejected\nsampling","data":{}}`,
					"the client refused sampling/createMessage: User rejected sampling"},
				{"unknown method", `"error":{"code":-32601,"message":"not here"}`, "the client refused sampling/createMessage: not here"},
				{"no model", `"result":{"role":"assistant","content":{"type":"text","text":"hi"}}`,
					"the answer to sampling/createMessage cannot be used: result/model is missing, want a string"},
				{"unknown role", strings.Replace(`"result":`+hi, "assistant", "poet", 1), ""},
				{"unknown block", strings.Replace(`"result":`+hi, `"type":"text"`, `"type":"smell"`, 1), ""},
				{"number", `"result":5`, "the answer to sampling/createMessage cannot be read: the result is not an object"},
				{"error without a code", `"error":{"message":"x"}`,
					"the answer to sampling/createMessage cannot be read: the error lacks a code or a message"},
			} {
				id := fmt.Sprint(i)
				l.send(at.call(id, everything, sampleCall))
				q := l.asked(sampling)
				ids[string(q.ID)] = true
				l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, q.ID, row.answer))
				got := said(t, l.next())
				if row.want != "" && got != "id "+id+" tool error: "+row.want || !strings.HasPrefix(got, "id "+id+" tool error") {
					t.Errorf("%s: got %s, want %s", row.name, got, row.want)
				}
			}
			if len(ids) != 7 {
				t.Errorf("ids are used twice: %v", ids)
			}
		})
	}
}

func TestAnswersToNothingAreIgnored(t *testing.T) {
	t.Parallel()
	for _, at := range handshakes() {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Options{})
			l, other := p.dial(at, everything), p.dial(at, everything)
			l.send(at.call("1", everything, sampleCall))
			q := l.asked(sampling)
			for _, id := range []string{`1`, `"1"`, `"no such question"`, `null`} {
				l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, strings.Replace(hi, "hi", "wrong", 1)))
			}
			// The answered ping shows that the answer of the other conversation has
			// been read.
			other.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, strings.Replace(hi, "hi", "foreign", 1)))
			other.send(request(at.revision, "2", "ping", ""))
			if got := tell(other.next()); got != "id 2 ok" {
				t.Errorf("the other conversation: %s", got)
			}
			answer := at.answered(q, "1", everything, sampleCall, hi)
			l.send(answer)
			if got := said(t, l.next()); got != "id 1: LLM response: hi" {
				t.Errorf("got %s", got)
			}
			l.send(answer) // a second time
			l.send(request(at.revision, "3", "ping", ""))
			if got := tell(l.next()); got != "id 3 ok" {
				t.Errorf("afterwards: %s", got)
			}
		})
	}
}

func TestAnswersCross(t *testing.T) {
	t.Parallel()
	for _, at := range columns() {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			l := newPlace(t, server.Options{}).dial(at, everything)
			calls := map[string]string{}
			asked := map[string]asking{}
			for _, word := range []string{"one", "two"} {
				calls[word] = fmt.Sprintf(`"name":"test_sampling","arguments":{"prompt":%q}`, word)
				l.send(at.call(`"`+word+`"`, everything, calls[word]))
				asked[word] = l.asked(sampling)
				if !strings.Contains(string(asked[word].Params), `"text":"`+word+`"`) {
					t.Fatalf("%s is asked as %s", word, asked[word].Params)
				}
			}
			for _, word := range []string{"two", "one"} {
				l.send(at.answered(asked[word], `"`+word+`"`, everything, calls[word], strings.Replace(hi, "hi", word, 1)))
				if got, want := said(t, l.next()), fmt.Sprintf(`id %q: LLM response: %s`, word, word); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

// The client ends the call instead of answering. Its later answer is ignored.
func TestCancelledWhileAsking(t *testing.T) {
	t.Parallel()
	for _, at := range handshakes() {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			l := newPlace(t, server.Options{}).dial(at, everything)
			l.send(at.call("1", everything, sampleCall))
			q := l.asked(sampling)
			l.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			l.send(at.answered(q, "1", everything, sampleCall, hi))
			l.send(at.call("2", everything, sampleCall))
			second := l.asked(sampling)
			if string(second.ID) == string(q.ID) {
				t.Errorf("the id %s is used twice", q.ID)
			}
			l.send(at.answered(second, "2", everything, sampleCall, hi))
			if got := said(t, l.next()); got != "id 2: LLM response: hi" {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestSilentClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, made(t, server.Options{Patience: 3 * time.Hour}))
		at := column{"2025-11-25", "stdio"}
		p.send(strings.Replace(hello(at.revision), `"capabilities":{}`, `"capabilities":`+everything, 1))
		p.next()
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.send(at.call("1", everything, sampleCall))
		q, _ := readAsking(p.next())
		began := time.Now()
		var cancelled struct {
			Method string
			Params struct{ RequestID json.RawMessage }
		}
		if err := json.Unmarshal([]byte(p.next()), &cancelled); err != nil || cancelled.Method != "notifications/cancelled" ||
			string(cancelled.Params.RequestID) != string(q.ID) || time.Since(began) != 3*time.Hour {
			t.Errorf("the question %s ends by %+v after %s", q.ID, cancelled, time.Since(began))
		}
		if got := said(t, p.next()); got != "id 1 tool error: the client did not answer sampling/createMessage within 3h0m0s" {
			t.Errorf("got %s", got)
		}
	})
}

// After the end of standard input the client cannot answer.
func TestInputEndsWhileAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, made(t, server.Options{Grace: time.Hour}))
		p.send(strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":`+everything, 1))
		p.next()
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.send(request("2025-11-25", "1", "tools/call", sampleCall))
		p.next()
		began := time.Now()
		_ = p.in.Close()
		if got := said(t, p.next()); got != "id 1 tool error: the client cannot answer any more" || <-p.code != 0 || time.Since(began) > 0 {
			t.Errorf("got %s after %s", got, time.Since(began))
		}
	})
}

func TestSessionEndsWhileAsking(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	greeting := strings.Replace(hello("2025-06-18"), `"capabilities":{}`, `"capabilities":`+everything, 1)
	session := []string{"Mcp-Session-Id: " + s.do("POST", greeting).Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version: 2025-06-18"}
	s.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session...)
	asks := s.do("POST", request("2025-06-18", "1", "tools/call", sampleCall), session...)
	s.do("DELETE", "", session...)
	if got := answer(asks); got != "200 stream "+sampling {
		t.Errorf("got %s", got)
	}
}

// A session belongs to its owner, and so do the questions in it.
func TestAnswerOfAnotherPrincipal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, server.Options{})
	for _, at := range []column{{"2025-11-25", "http"}, {"2024-11-05", "sse"}} {
		l := p.dial(at, everything, "Authorization: Bearer a")
		l.send(at.call("1", everything, sampleCall), "Authorization: Bearer a")
		q := l.asked(sampling)
		l.send(at.answered(q, "1", everything, sampleCall, strings.Replace(hi, "hi", "foreign", 1)), "Authorization: Bearer b")
		if at.transport == "http" {
			if got := tell(l.next()); got != "no id -32600" {
				t.Errorf("the answer of another principal: %s", got)
			}
		}
		l.send(at.answered(q, "1", everything, sampleCall, hi), "Authorization: Bearer a")
		if got := said(t, l.next()); got != "id 1: LLM response: hi" {
			t.Errorf("got %s", got)
		}
	}
}

// A batch may contain calls that ask, and answers.
func TestAskingInBatches(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "http"} {
		at := column{"2025-03-26", transport}
		l := newPlace(t, server.Options{}).dial(at, everything)
		l.send("[" + at.call("1", "", sampleCall) + "," + at.call("2", "", sampleCall) + "]")
		first, second := l.asked(sampling), l.asked(sampling)
		l.send("[" + at.answered(second, "", "", "", hi) + "," + at.answered(first, "", "", "", hi) + "]")
		if got := tell(l.next()); got != "[id 1 ok, id 2 ok]" {
			t.Errorf("%s: got %s", at, got)
		}
	}
}
