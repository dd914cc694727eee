package cancellation

import (
	"net/http"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A line is one message of a conversation, as the client sends or receives it.
type line struct {
	dir  frame.Direction
	text string
}

func sends(text string) line    { return line{frame.Sent, text} }
func receives(text string) line { return line{frame.Received, text} }

// opens is the GET request for a stream.
func opens() line { return line{frame.Sent, ""} }

// judged shows a conversation to a watcher, and reports whether the watcher saw what it
// judges, and whether a rule was broken.
func judged(w probe.Watcher, r requirements.Revision, over requirements.Transport, lines []line) (saw, broken bool) {
	var all probe.Connection
	for i, l := range lines {
		f := frame.New(l.dir, frame.KindMessage, []byte(l.text))
		f.Seq = i + 1
		if over == requirements.HTTP {
			f.HTTP = &frame.HTTP{}
		}
		if l == opens() {
			f.HTTP.Method = http.MethodGet
		}
		said := w.See(all.See(probe.Seen{Frame: f, Revision: r, Transport: over, Survey: &probe.Survey{}}))
		saw, broken = saw || said.Judged(), broken || said.Violation() != nil
	}
	return saw, broken
}

func TestOwn(t *testing.T) {
	t.Parallel()
	const (
		ask    = `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}`
		answer = `{"jsonrpc":"2.0","id":"q","result":{}}`
		list   = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
		listed = `{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}`
		cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`
		other  = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
		none   = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`
	)
	for name, row := range map[string]struct {
		lines       []line
		saw, broken bool
	}{
		"an open request":             {[]line{receives(ask), receives(cancel)}, true, false},
		"a request of the client":     {[]line{sends(list), receives(ask), receives(other)}, true, true},
		"crossing the answer":         {[]line{receives(ask), sends(answer), receives(cancel)}, true, false},
		"crossing an earlier request": {[]line{receives(ask), sends(list), sends(answer), receives(listed), receives(cancel)}, true, false},
		"long after the answer":       {[]line{receives(ask), sends(answer), sends(list), receives(listed), receives(cancel)}, true, true},
		"no id at all":                {[]line{receives(none)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &own{asked: map[string]bool{}, answered: map[string]probe.Seen{}}
			if saw, broken := judged(w, requirements.R20251125, requirements.Stdio, row.lines); saw != row.saw || broken != row.broken {
				t.Errorf("saw %v and broken %v, want %v and %v", saw, broken, row.saw, row.broken)
			}
		})
	}
}

// A request of the server is lost where the stream for it is not open.
func TestOwnOverHTTP(t *testing.T) {
	t.Parallel()
	cancel := receives(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`)
	for name, row := range map[string]struct {
		lines []line
		want  bool
	}{
		"no stream was open":       {[]line{cancel}, false},
		"the client has opened it": {[]line{opens(), cancel}, true},
	} {
		w := &own{asked: map[string]bool{}, answered: map[string]probe.Seen{}}
		if saw, broken := judged(w, requirements.R20251125, requirements.HTTP, row.lines); saw != row.want || broken != row.want {
			t.Errorf("%s: saw %v and broken %v, want %v", name, saw, broken, row.want)
		}
	}
}

func TestOnlyListen(t *testing.T) {
	t.Parallel()
	const (
		listen = `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{}}`
		ended  = `{"jsonrpc":"2.0","id":"s","result":{"resultType":"complete"}}`
		cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`
		other  = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`
		open   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	)
	for name, row := range map[string]struct {
		lines       []line
		saw, broken bool
	}{
		"a subscription":           {[]line{sends(listen), receives(cancel)}, true, false},
		"one that was answered":    {[]line{sends(listen), receives(ended), receives(cancel)}, true, false},
		"something else":           {[]line{sends(listen), receives(other)}, true, true},
		"after an older handshake": {[]line{sends(open), receives(other)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &onlyListen{listens: map[string]bool{}}
			if saw, broken := judged(w, requirements.R20260728, requirements.Stdio, row.lines); saw != row.saw || broken != row.broken {
				t.Errorf("saw %v and broken %v, want %v and %v", saw, broken, row.saw, row.broken)
			}
		})
	}
}
