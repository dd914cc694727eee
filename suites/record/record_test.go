package record_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// A server answers each sent frame with frames of its own, after a while.
type server struct {
	began   time.Time
	coming  chan frame.Frame
	answers func(f frame.Frame) []frame.Frame
	after   time.Duration
	late    []frame.Frame // while Close closes it
	last    frame.Frame   // after Close
	http    bool

	mu        sync.Mutex
	exchanges int
}

func serve(answers func(f frame.Frame) []frame.Frame) *server {
	last := frame.New(frame.Received, frame.KindEnd, nil)
	last.End = &frame.End{Exited: true, ExitCode: 7, Stderr: "bye"}
	return &server{began: time.Now(), coming: make(chan frame.Frame, 100), answers: answers, after: time.Second, last: last}
}

func (s *server) Began() time.Time { return s.began }

func (s *server) put(f frame.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.At = time.Since(s.began)
	s.coming <- f
}

func (s *server) Send(_ context.Context, out frame.Outgoing) (int, error) {
	f, err := picture(out)
	if err != nil {
		return 0, err
	}
	if s.http {
		s.exchanges++
		f.Exchange = s.exchanges
	}
	s.put(f)
	answers := s.answers(f)
	time.AfterFunc(s.after, func() {
		for _, answer := range answers {
			answer.Exchange = f.Exchange
			s.put(answer)
		}
	})
	return f.Exchange, nil
}

func (s *server) Next(ctx context.Context) (frame.Frame, error) {
	select {
	case f, ok := <-s.coming:
		if !ok {
			return f, io.EOF
		}
		return f, nil
	case <-ctx.Done():
		return frame.Frame{}, ctx.Err()
	}
}

func (s *server) Abort(int)         {}
func (s *server) CloseInput() error { return nil }
func (s *server) Terminate() error  { return nil }
func (s *server) Close(context.Context) error {
	for _, f := range append(s.late, s.last) {
		s.put(f)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.coming)
	return nil
}

func picture(out frame.Outgoing) (frame.Frame, error) {
	f := frame.New(frame.Sent, frame.KindMessage, []byte(out.Text))
	if out.Method != "" {
		f.HTTP = &frame.HTTP{Method: out.Method, Path: "/mcp", Header: out.Header}
	}
	return f, nil
}

func message(text string) frame.Frame {
	return frame.New(frame.Received, frame.KindMessage, []byte(text))
}

// echo answers a request with its method, and reports progress where that was asked for.
func echo(f frame.Frame) []frame.Frame {
	m := f.Message()
	if !m.HasID {
		return nil
	}
	var all []frame.Frame
	if token, ok := m.At("/params/_meta/progressToken"); ok {
		all = append(all, message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token.(interface{ String() string }).String()+`}}`))
	}
	return append(all, message(`{"jsonrpc":"2.0","id":`+m.ID+`,"result":{"of":"`+m.Method+`"}}`))
}

// conversation records what talk says on a connection, and gives the recording.
func conversation(t *testing.T, way string, s *server, talk func(record.Conn), secrets ...string) (*record.Recording, string) {
	t.Helper()
	r := record.New()
	conn, err := r.Conn(way, func() (record.Conn, error) {
		time.Sleep(5 * time.Second) // a process waits until it may start: its frames keep their place between what the kit did
		s.began = time.Now()
		return s, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	talk(conn)
	time.Sleep(time.Minute)
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	rest(t, conn)
	return written(t, r, secrets...)
}

// written ends a recording, writes it and reads it.
func written(t *testing.T, r *record.Recorder, secrets ...string) (read *record.Recording, text string) {
	t.Helper()
	r.Over(secrets)
	var file bytes.Buffer
	if err := r.Write(&file, map[string]string{"token": strings.Join(secrets, " ")}); err != nil {
		t.Fatal(err)
	}
	text = file.String()
	read, err := record.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return read, text
}

// rest reads a connection to its end.
func rest(t *testing.T, conn record.Conn) (texts []string) {
	t.Helper()
	for {
		f, err := conn.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Dir == frame.Received {
			text := string(f.Raw())
			if f.End != nil {
				text = "end " + f.End.Err + f.End.Stderr
			}
			texts = append(texts, text)
		}
	}
}

func send(t *testing.T, conn record.Conn, of string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := conn.Send(t.Context(), frame.Outgoing{Text: text, For: of}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
	}
}

func look() record.Look {
	return record.Look{Picture: picture, Hide: func(s string) string { return s }}
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Secrets have stand-ins that keep callers apart. In other forms they are only hidden.
func TestSecrets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		recording, written := conversation(t, "http", func() *server {
			s := serve(func(f frame.Frame) []frame.Frame {
				return []frame.Frame{message(`{"id":1,"result":"` + strings.ToUpper(f.HTTP.Header.Get("Authorization")) + `"}`)}
			})
			s.http = true
			return s
		}(), func(c record.Conn) {
			for _, token := range []string{"tide-and-time", "wind-and-weather", "abcd"} {
				out := frame.Outgoing{Method: http.MethodPost, Text: `{"id":1,"method":"who"}`, Header: http.Header{"Authorization": {token}}}
				if _, err := c.Send(t.Context(), out); err != nil {
					t.Error(err)
				}
				time.Sleep(2 * time.Second)
			}
		}, "tide-and-time", "wind-and-weather", "abcd", "https://example.com/hidden", "http://127.0.0.1:8080", "5s")
		for _, secret := range []string{"tide", "TIDE", "weather", "abcd", "example.com"} {
			if strings.Contains(written, secret) {
				t.Errorf("%s is in the recording:\n%s", secret, written)
			}
		}
		for _, kept := range []string{"http://127.0.0.1:8080 ", "5s", "https://recorded-secret-000.invalid", `"recorded-secret-001"`, `"recorded-secret-002"`, `"~003"`} {
			if !strings.Contains(written, kept) {
				t.Errorf("%s is not in the recording:\n%s", kept, written)
			}
		}
		if recording.Setup == nil {
			t.Error("there is no setup")
		}
	})
}

// A stream that the client closed ends as a closed one does. Frames beside it still come.
func TestAbort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(func(frame.Frame) []frame.Frame { return []frame.Frame{message(`{"method":"notifications/x"}`)} })
		s.http = true
		ask := frame.Outgoing{Method: http.MethodGet, For: "r a"}
		recording, _ := conversation(t, "http", s, func(c record.Conn) {
			exchange, err := c.Send(t.Context(), ask)
			time.Sleep(2 * time.Second)
			c.Abort(exchange)
			if err != nil {
				t.Error(err)
			}
		})
		conn := recording.Dial("http", look())
		exchange, err := conn.Send(t.Context(), ask)
		time.Sleep(2 * time.Second)
		conn.Abort(exchange)
		if err := errors.Join(err, conn.Close(t.Context())); err != nil {
			t.Error(err)
		}
		expect(t, rest(t, conn), `{"method":"notifications/x"}`, "end aborted by the kit", "end bye")
	})
}

// Commands and fetches are repeated.
func TestAsides(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := record.New()
		r.Answer("the command date", "monday", nil)
		r.Answer("the command date", "", errors.New("no time"))
		fetched := r.Offer("k7", "http://127.0.0.1:9/ref/k7")
		conn, _ := r.Conn("stdio", func() (record.Conn, error) { return serve(echo), nil })
		send(t, conn, "r a", `{"id":1,"method":"take","params":{"from":"http://127.0.0.1:9/ref/k7"}}`)
		for range 2 {
			if _, err := conn.Next(t.Context()); err != nil {
				t.Error(err)
			}
		}
		fetched()
		recording, _ := written(t, r)
		for _, want := range []string{"monday", "no time", "no time"} {
			got, err := recording.Answer("the command date")
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		at, fetches, ok := recording.Offer("k7")
		if !ok || at != "http://127.0.0.1:9/ref/k7" || fetches() != 0 {
			t.Errorf("got %s %v", at, ok)
		}
		send(t, recording.Dial("stdio", look()), "r a", `{"id":1,"method":"take","params":{"from":"http://127.0.0.1:9/ref/k7"}}`)
		if fetches() != 1 {
			t.Errorf("fetched %d times, want once", fetches())
		}
		if _, _, ok := recording.Offer("other"); ok {
			t.Error("an unknown offer is known")
		}
	})
}

// What a case found out is known to the others of its column.
func TestLearned(t *testing.T) {
	t.Parallel()
	r := record.New()
	r.Learned("http", "r a", "form", "one")
	r.Learned("http", "other a", "form", "two")
	recording, _ := written(t, r)
	for _, row := range []struct{ way, by, key, want string }{
		{"http", "r b", "form", "one"}, {"http", "other b", "form", "two"}, {"http", "r a", "form", ""}, {"stdio", "r b", "form", ""}, {"http", "r b", "x", ""},
	} {
		if got, ok := recording.Learned(row.way, row.by, row.key); ok && got != row.want || ok != (row.want != "") {
			t.Errorf("%s over %s knows %q, want %q", row.by, row.way, got, row.want)
		}
	}
}

// Nothing is recorded without a recorder, and a run that did not end gives no file.
func TestNoRecorder(t *testing.T) {
	t.Parallel()
	var none *record.Recorder
	none.Answer("a", "b", nil)
	none.Offer("a", "b")()
	none.Learned("http", "r a", "b", "c")
	none.Over(nil)
	s := serve(echo)
	if conn, err := none.Conn("stdio", func() (record.Conn, error) { return s, nil }); conn != record.Conn(s) || err != nil {
		t.Error("the connection is another one")
	}
	if err := record.New().Write(io.Discard, nil); err == nil {
		t.Error("a run without an end was written")
	}
	if _, err := record.New().Conn("stdio", func() (record.Conn, error) { return nil, io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{"", "{}", "hello", `{"recording":99}`, "{\"recording\":1}\nnonsense"} {
		if _, err := record.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is a recording", text)
		}
	}
}

// A recording may come from anybody: one that is nested without end ends nothing.
func TestDeep(t *testing.T) {
	t.Parallel()
	deep := `{"id":1,"method":"x","params":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "}"
	text := `{"recording":1,"setup":null}` + "\n" + `{"at":0,"what":"open","conn":1,"way":"stdio"}` + "\n" +
		`{"at":1,"what":"sent","conn":1,"for":"r a","kind":"message","text":` + strconv.Quote(deep) + "}"
	recording, err := record.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Dial("stdio", look()).Send(t.Context(), frame.Outgoing{Text: deep, For: "r a"}); err != nil {
		t.Errorf("the same text is another one: %v", err)
	}
}
