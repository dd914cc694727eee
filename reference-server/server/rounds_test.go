package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// stateless are the columns in which results ask.
func stateless() []column { return []column{{modern, "stdio"}, {modern, "http"}} }

const twice = `"name":"test_input_required_result_multi_round"`

// Each round brings its own answer, and the state brings the answers of earlier
// rounds.
func TestRounds(t *testing.T) {
	t.Parallel()
	p := newPlace(t, server.Options{})
	for _, at := range stateless() {
		const able = `{"elicitation":{}}`
		l := p.dial(at, able)
		l.send(at.call("1", able, twice))
		first := l.asked("elicitation/create")
		// The client may repeat its request over another connection, and more than
		// once.
		other := p.dial(column{modern, "http"}, able)
		for _, name := range []string{"Ann", "Bob"} {
			l.send(at.answered(first, "2", able, twice, `{"action":"accept","content":{"name":"`+name+`"}}`))
			second := l.asked("elicitation/create")
			if second.State == first.State || second.Key == first.Key || !strings.Contains(string(second.Params), "color, "+name+"?") {
				t.Errorf("%s: the second question is %+v", at, second)
			}
			other.send(at.answered(second, "3", able, twice, `{"action":"accept","content":{"color":"green"}}`))
			if got := said(t, other.next()); got != "id 3: "+name+" likes green." {
				t.Errorf("%s: got %s", at, got)
			}
		}
		l.send(at.answered(first, "4", able, twice, `{"action":"cancel"}`))
		if got := said(t, l.next()); got != "id 4: The user gave no name." {
			t.Errorf("%s: got %s", at, got)
		}
	}
}

// Each row repeats a request in a way that the server does not expect.
func TestRepeats(t *testing.T) {
	t.Parallel()
	const params = `"name":"test_elicitation","arguments":{"message":"Who?"}`
	const able = `{"elicitation":{}}`
	const good = `{"action":"accept","content":{"username":"u","email":"e"}}`
	const refused, asksAgain, done = "id 2 -32602", "asks", `id 2: User response: action=accept, content={"email":"e","username":"u"}`
	with := func(from, to string) func(string) string {
		return func(repeat string) string { return strings.Replace(repeat, from, to, 1) }
	}
	p := newPlace(t, server.Options{})
	foreign := newPlace(t, server.Options{}).dial(column{modern, "stdio"}, able)
	foreign.send(column{modern, "stdio"}.call("1", able, params))
	elsewhere := foreign.asked("elicitation/create").State
	for _, at := range stateless() {
		l := p.dial(at, able)
		l.send(at.call("1", able, params))
		q := l.asked("elicitation/create")
		state := fmt.Sprintf(`"requestState":%q`, q.State)
		middle := len(q.State) / 2
		other := string('A' + (q.State[middle]-'A'+1)%26)
		for _, row := range []struct {
			name  string
			alter func(string) string
			want  string
		}{
			{"unchanged", with("", ""), done},
			{"once more", with("", ""), done},
			{"arguments in other clothes", with(`{"message":"Who?"}`, ` { "message" : "\u0057ho?" }`), done},
			{"another answer too", with(`"inputResponses":{`, `"inputResponses":{"else":{"action":"shrug"},`), done},
			{"no answer", with(`"`+q.Key+`":`+good, ""), asksAgain},
			{"answer to another question", with(`"`+q.Key+`":`, `"else":`), asksAgain},
			{"no answers", with(`"inputResponses":{"`+q.Key+`":`+good+`},`, ""), asksAgain},
			{"no state", with(`,`+state, ""), asksAgain},
			{"answers are a list", with(`{"`+q.Key+`":`+good+`}`, "[]"), refused},
			{"answers are null", with(`{"`+q.Key+`":`+good+`}`, "null"), refused},
			{"answer is a number", with(good, "12345"), refused},
			{"answer is null", with(good, "null"), refused},
			{"answer of another kind", with(good, hi), refused},
			{"no such action", with("accept", "shrug"), refused},
			{"field is missing", with(`,"email":"e"`, ""), refused},
			{"field of another type", with(`"email":"e"`, `"email":5`), refused},
			{"suffix", with(q.State, q.State+"-TAMPERED"), refused},
			{"cut", with(q.State, q.State[:len(q.State)-4]), refused},
			{"one letter", with(q.State, q.State[:middle]+other+q.State[middle+1:]), refused},
			{"empty", with(q.State, ""), refused},
			{"number", with(state, `"requestState":5`), refused},
			{"null", with(state, `"requestState":null`), refused},
			{"JSON", with(q.State, `{}`), refused},
			{"long", with(q.State, strings.Repeat("A", 1<<20)), refused},
			{"of another server", with(q.State, elsewhere), refused},
			{"other arguments", with("Who?", "What?"), refused},
			{"another tool", with(`"test_elicitation"`, `"test_input_required_result_tampered_state"`), "id 2 tool error"},
		} {
			l.send(row.alter(at.answered(q, "2", able, params, good)))
			message := l.next()
			got := said(t, message)
			if _, asks := readAsking(message); asks {
				got = asksAgain
			}
			if row.name == "another tool" {
				got = tell(message) // its arguments do not fit either
			}
			if got != row.want {
				t.Errorf("%s, %s: got %s, want %s", at, row.name, got, row.want)
			}
		}
	}
}

// A state belongs to one tool and one caller; empty arguments equal absent ones.
func TestStateIsBound(t *testing.T) {
	t.Parallel()
	p := newPlace(t, server.Options{})
	at := column{modern, "http"}
	const able = `{"sampling":{}}`
	l := p.dial(at, able)
	const capital = `"name":"test_input_required_result_sampling"`
	l.send(at.call("1", able, capital), "Authorization: Bearer a")
	q := l.asked(sampling)
	repeat := at.answered(q, "2", able, capital, hi)
	for _, row := range []struct{ name, repeat, as, want string }{
		{"another caller", repeat, "b", "id 2 -32602"},
		{"another tool", strings.Replace(repeat, "result_sampling", "result_capabilities", 1), "a", "id 2 -32602"},
		{"as it was", strings.Replace(repeat, capital, capital+`,"arguments":{}`, 1), "a", "id 2: LLM response: hi"},
	} {
		l.send(row.repeat, "Authorization: Bearer "+row.as)
		if got := said(t, l.next()); got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
		}
	}
}

func TestStateExpires(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := newPeer(t, made(t, server.Options{Now: func() time.Time { return now }}))
	at, able := column{modern, "stdio"}, `{"sampling":{}}`
	p.send(at.call("1", able, sampleCall))
	q, _ := readAsking(p.next())
	var got []string
	for _, later := range []time.Duration{10 * time.Minute, time.Second} {
		now = now.Add(later)
		p.send(at.answered(q, "2", able, sampleCall, hi))
		got = append(got, said(t, p.next()))
	}
	if want := []string{"id 2: LLM response: hi", "id 2 -32602"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A client declares its capabilities with each request, the repeated ones included.
func TestRepeatDeclaresToo(t *testing.T) {
	t.Parallel()
	p := newPlace(t, server.Options{})
	for _, at := range stateless() {
		l := p.dial(at, "")
		l.send(at.call("1", `{"sampling":{}}`, sampleCall))
		q := l.asked(sampling)
		l.send(at.answered(q, "2", `{}`, sampleCall, hi))
		if got := tell(l.next()); got != "id 2 -32021" {
			t.Errorf("%s: got %s", at, got)
		}
	}
}

// A tool that can ask in two ways uses the way that the client declares.
func TestAsksAsTheClientCan(t *testing.T) {
	t.Parallel()
	p := newPlace(t, server.Options{})
	const params = `"name":"test_input_required_result_capabilities"`
	for _, at := range stateless() {
		l := p.dial(at, "")
		for capabilities, method := range map[string]string{
			`{"sampling":{}}`: sampling, `{"elicitation":{}}`: "elicitation/create", everything: sampling,
		} {
			l.send(at.call("1", capabilities, params))
			l.asked(method)
		}
		l.send(at.call("1", `{}`, params))
		if got := tell(l.next()); got != "id 1 -32021" {
			t.Errorf("%s: got %s", at, got)
		}
	}
}
