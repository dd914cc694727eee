package record_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// Requests get the recorded answers under their own ids, in whatever order cases come, and
// the process ends as it did.
func TestReplay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		recording, _ := conversation(t, "stdio", serve(echo), func(c record.Conn) {
			send(t, c, "r a", `{"jsonrpc":"2.0","id":1,"method":"first"}`,
				`{"jsonrpc":"2.0","id":2,"method":"second","params":{"_meta":{"progressToken":2}}}`)
			send(t, c, "r b", `{"jsonrpc":"2.0","id":3,"method":"first"}`)
		})
		if !recording.Has("stdio") || recording.Has("http") {
			t.Error("it knows no transport")
		}
		conn, began := recording.Dial("stdio", look()), time.Now()
		send(t, conn, "r b", `{"jsonrpc":"2.0","id":10,"method":"first"}`)
		send(t, conn, "r a", `{"jsonrpc":"2.0","id":11,"method":"first"}`,
			`{"jsonrpc":"2.0","id":12,"method":"second","params":{"_meta":{"progressToken":12}}}`)
		f, err := conn.Next(t.Context())
		if err != nil || f.Dir != frame.Sent || f.Seq != 1 {
			t.Errorf("got %+v, %v, want the sent frame first", f, err)
		}
		if f, err = conn.Next(t.Context()); err != nil || f.At != time.Second {
			t.Errorf("the answer came after %s, want a second as when it was recorded; %v", f.At, err)
		}
		if time.Since(began) != 9*time.Second {
			t.Error("reading took time")
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"jsonrpc":"2.0","id":11,"result":{"of":"first"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":12}}`,
			`{"jsonrpc":"2.0","id":12,"result":{"of":"second"}}`, "end bye")
		if _, err := conn.Send(t.Context(), frame.Outgoing{Text: "{}"}); err == nil {
			t.Error("a closed connection takes frames")
		}
	})
}

// A state that changes is told as it changed, also where the replay asks less often.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		recording, _ := conversation(t, "stdio", serve(func(f frame.Frame) []frame.Frame {
			n++
			return []frame.Frame{message(`{"id":` + f.Message().ID + `,"result":` + strings.Repeat("1", n) + `}`)}
		}), func(c record.Conn) {
			send(t, c, "r a", `{"id":1,"method":"get"}`, `{"id":2,"method":"get"}`, `{"id":3,"method":"set"}`, `{"id":4,"method":"get"}`)
		})
		conn := recording.Dial("stdio", look())
		send(t, conn, "r a", `{"id":1,"method":"get"}`, `{"id":2,"method":"set"}`, `{"id":3,"method":"get"}`)
		send(t, conn, "r other", `{"id":4,"method":"get"}`) // the nearest in time
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"id":1,"result":1}`, `{"id":2,"result":111}`, `{"id":3,"result":1111}`, `{"id":4,"result":1111}`, "end bye")
	})
}

// What the recording does not hold is an error, and counted.
func TestStray(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		recording, _ := conversation(t, "stdio", serve(echo), func(c record.Conn) { send(t, c, "r a", `{"id":1,"method":"known"}`) })
		conn := recording.Dial("stdio", look())
		missing := (*frame.Unrecorded)(nil)
		if _, err := conn.Send(t.Context(), frame.Outgoing{Text: `{"id":1,"method":"unknown"}`}); !errors.As(err, &missing) || missing.Method != "unknown" {
			t.Errorf("got %v", err)
		}
		if _, err := recording.Answer("the command date"); err == nil {
			t.Error("a command that never ran has an answer")
		}
		expect(t, recording.Strays(), "unknown", "the command date")
	})
}

// What still came for a request while the connection was closed comes once, where that
// request was played.
func TestLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(echo)
		s.late = []frame.Frame{message(`{"id":1,"result":"late"}`)}
		recording, _ := conversation(t, "stdio", s, func(c record.Conn) {
			send(t, c, "r a", `{"id":1,"method":"get"}`, `{"id":2,"method":"other"}`)
		})
		one, other := recording.Dial("stdio", look()), recording.Dial("stdio", look())
		send(t, one, "r a", `{"id":7,"method":"get"}`)
		send(t, other, "r a", `{"id":8,"method":"other"}`)
		for _, conn := range []record.Conn{one, other} {
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		expect(t, rest(t, one), `{"jsonrpc":"2.0","id":7,"result":{"of":"get"}}`, `{"id":7,"result":"late"}`, "end bye")
		expect(t, rest(t, other), `{"jsonrpc":"2.0","id":8,"result":{"of":"other"}}`, "end bye")
	})
}

// The clock of a replay shows when the server said what it says.
func TestNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		recording, _ := conversation(t, "stdio", serve(echo), func(c record.Conn) {
			send(t, c, "r a", `{"id":1,"method":"early"}`, `{"id":2,"method":"late"}`)
		})
		conn := recording.Dial("stdio", look())
		send(t, conn, "r a", `{"id":1,"method":"late"}`)
		clock, ok := conn.(interface{ Now() time.Time })
		const start, late, pause = 5 * time.Second, 3 * time.Second, 3 * time.Second
		if !ok || clock.Now().Sub(began) != start+late+pause {
			t.Errorf("it is %s", clock.Now().Sub(began))
		}
	})
}

// The answers to one request keep their order, also where the next request is sent sooner
// than when it was recorded.
func TestOwnOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(echo)
		recording, _ := conversation(t, "stdio", s, func(c record.Conn) {
			s.after = 4 * time.Second // the second part comes after the second request
			s.answers = func(f frame.Frame) []frame.Frame {
				id := f.Message().ID
				time.AfterFunc(2*time.Second, func() { s.put(message(`{"id":` + id + `,"part":1}`)) })
				return []frame.Frame{message(`{"id":` + id + `,"part":2}`)}
			}
			send(t, c, "r a", `{"id":1,"method":"one"}`, `{"id":2,"method":"two"}`)
		})
		conn := recording.Dial("stdio", look())
		for _, text := range []string{`{"id":1,"method":"one"}`, `{"id":2,"method":"two"}`} {
			if _, err := conn.Send(t.Context(), frame.Outgoing{Text: text, For: "r a"}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		got := slices.DeleteFunc(rest(t, conn), func(text string) bool { return !strings.Contains(text, `"id":1`) })
		expect(t, got, `{"id":1,"part":1}`, `{"id":1,"part":2}`)
	})
}

// They keep it also where requests are missing that were sent between them.
func TestOwnOrderAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(echo)
		recording, _ := conversation(t, "stdio", s, func(c record.Conn) {
			s.answers = func(f frame.Frame) []frame.Frame {
				if id := f.Message().ID; id == "1" {
					time.AfterFunc(5800*time.Millisecond, func() { s.put(message(`{"id":1,"part":1}`)) })
					time.AfterFunc(6200*time.Millisecond, func() { s.put(message(`{"id":1,"part":2}`)) })
				}
				return nil
			}
			send(t, c, "r a", `{"id":1,"method":"one"}`, `{"id":2,"method":"two"}`)
			send(t, c, "r b", `{"id":3,"method":"three"}`)
		})
		conn := recording.Dial("stdio", look())
		send(t, conn, "r a", `{"id":1,"method":"one"}`)
		time.Sleep(time.Minute)
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"id":1,"part":1}`, `{"id":1,"part":2}`, "end bye")
	})
}

// An answer that comes on another stream has the id of its request in the replay.
func TestAnswerElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(func(f frame.Frame) []frame.Frame {
			if f.HTTP.Method == http.MethodGet {
				return []frame.Frame{message(`{"id":75,"result":{}}`)}
			}
			return nil
		})
		s.http = true
		ask := func(c record.Conn, method, text string) {
			if _, err := c.Send(t.Context(), frame.Outgoing{Method: method, Text: text, For: "r a"}); err != nil {
				t.Error(err)
			}
			time.Sleep(3 * time.Second)
		}
		recording, _ := conversation(t, "http", s, func(c record.Conn) {
			ask(c, http.MethodPost, `{"id":75,"method":"get"}`)
			ask(c, http.MethodGet, "")
		})
		conn := recording.Dial("http", look())
		for _, id := range []string{"4", "5"} {
			ask(conn, http.MethodPost, `{"id":`+id+`,"method":"get"}`)
			ask(conn, http.MethodGet, "")
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		got := rest(t, conn)
		for _, want := range []string{`{"id":4,"result":{}}`, `{"id":5,"result":{}}`} {
			if !slices.Contains(got, want) {
				t.Errorf("got %q, want %s among them", got, want)
			}
		}
	})
}

// Two sessions may have events with the same id. Where one connection plays both, the ids
// differ.
func TestEventsOfTwoSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := record.New()
		for _, of := range []string{"r a", "r b"} {
			s := serve(func(frame.Frame) []frame.Frame {
				f := message(`{"id":1,"result":{}}`)
				f.SSE = &frame.SSE{ID: "1-1", Lines: []string{"id: 1-1"}}
				return []frame.Frame{f}
			})
			s.http = true
			conn, _ := r.Conn("http", func() (record.Conn, error) { return s, nil })
			if _, err := conn.Send(t.Context(), frame.Outgoing{Method: http.MethodPost, Text: `{"id":1,"method":"get"}`, For: of}); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * time.Second)
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
			rest(t, conn)
		}
		recording, _ := written(t, r)
		conn, ids := recording.Dial("http", look()), map[string]bool{}
		for _, of := range []string{"r a", "r b"} {
			if _, err := conn.Send(t.Context(), frame.Outgoing{Method: http.MethodPost, Text: `{"id":1,"method":"get"}`, For: of}); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * time.Second)
		}
		for range 4 {
			f, err := conn.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f.SSE != nil {
				ids[f.SSE.ID] = true
			}
		}
		if len(ids) != 2 || !ids["1-1"] {
			t.Errorf("the ids of events are %v", ids)
		}
	})
}

// An error with the id null answers the message that could not be read, and no earlier one
// that had the id null.
func TestNullID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unread := func(frame.Frame) []frame.Frame { return []frame.Frame{message(`{"id":null,"error":{"code":-32700}}`)} }
		recording, _ := conversation(t, "stdio", serve(unread), func(c record.Conn) {
			send(t, c, "r a", `{"id":null,"method":"first"}`)
			send(t, c, "r b", `{"id":1,"method":7}`)
		})
		conn := recording.Dial("stdio", look())
		send(t, conn, "r b", `{"id":5,"method":7}`)
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"id":null,"error":{"code":-32700}}`, "end bye")
	})
}

// A request that was recorded for other cases only gets the answer to one that was not
// cancelled, and of another revision only an error.
func TestBorrowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		recording, _ := conversation(t, "stdio", serve(func(f frame.Frame) []frame.Frame {
			switch m := f.Message(); {
			case m.ID == "2":
				return nil
			case m.Method == "odd":
				return []frame.Frame{message(`{"jsonrpc":"2.0","id":` + m.ID + `,"error":{"code":-32601}}`)}
			default:
				return echo(f)
			}
		}), func(c record.Conn) {
			send(t, c, "r a", `{"jsonrpc":"2.0","id":1,"method":"get"}`)
			send(t, c, "r b", `{"jsonrpc":"2.0","id":2,"method":"get"}`)
			send(t, c, "other c", `{"jsonrpc":"2.0","id":3,"method":"put"}`, `{"jsonrpc":"2.0","id":4,"method":"odd"}`)
		})
		conn := recording.Dial("stdio", look())
		send(t, conn, "r b", `{"jsonrpc":"2.0","id":1,"method":"get"}`)
		send(t, conn, "r d", `{"jsonrpc":"2.0","id":4,"method":"get"}`, `{"jsonrpc":"2.0","id":5,"method":"odd"}`)
		if _, err := conn.Send(t.Context(), frame.Outgoing{Text: `{"jsonrpc":"2.0","id":6,"method":"put"}`, For: "r d"}); err == nil {
			t.Error("it has the answer of another revision")
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"jsonrpc":"2.0","id":4,"result":{"of":"get"}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32601}}`, "end bye")
	})
}

// What another case was refused too early is answered by the result that came later.
func TestBorrowedResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answers := []string{`{"id":1,"error":{"code":-32600}}`, `{"id":2,"result":[]}`}
		recording, _ := conversation(t, "stdio", serve(func(frame.Frame) []frame.Frame {
			answer := message(answers[0])
			answers = answers[1:]
			return []frame.Frame{answer}
		}), func(c record.Conn) { send(t, c, "r a", `{"id":1,"method":"list"}`, `{"id":2,"method":"list"}`) })
		conn := recording.Dial("stdio", look())
		send(t, conn, "r b", `{"id":9,"method":"list"}`)
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"id":9,"result":[]}`, "end bye")
	})
}

// Each made-up text of a request takes the place of its own recorded one, also where it is
// another recorded text, or holds one.
func TestTextsInPlaceOfTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		recording, _ := conversation(t, "stdio", serve(func(f frame.Frame) []frame.Frame {
			text := strings.Replace(string(f.Raw()), `"method":"put","params"`, `"result"`, 1)
			return []frame.Frame{message(text)}
		}), func(c record.Conn) {
			send(t, c, "r a", `{"jsonrpc":"2.0","id":1,"method":"put","params":{"a":"berth-north","b":"berth-south","c":"berth-south-2"}}`)
		})
		conn := recording.Dial("stdio", look())
		send(t, conn, "r a", `{"jsonrpc":"2.0","id":1,"method":"put","params":{"a":"berth-south","b":"berth-north","c":"quay-eastern"}}`)
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"jsonrpc":"2.0","id":1,"result":{"a":"berth-south","b":"berth-north","c":"quay-eastern"}}`, "end bye")
	})
}
