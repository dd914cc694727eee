package probe_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"kit","version":"1"}}}`
	const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	agrees := func(value string) func(*server, receivedFrame) {
		return func(s *server, h receivedFrame) {
			if h.Message.Method == "initialize" {
				s.answer(h, result(h.Message.ID, value))
			}
		}
	}
	for name, row := range map[string]struct {
		revision requirements.Revision
		hear     func(*server, receivedFrame)
		sent     string
		err      string
		agreed   requirements.Revision
	}{
		"good":            {requirements.R20251125, polite, initialize + "\n" + initialized, "", "2025-11-25"},
		"modern":          {requirements.R20260728, polite, "", "", "2026-07-28"},
		"another version": {requirements.R20251125, agrees(`{"protocolVersion":"2025-03-26"}`), initialize, `the opening failed: result {"protocolVersion":"2025-03-26"}`, "2025-03-26"},
		"no version":      {requirements.R20251125, agrees(`{}`), initialize, "the opening failed: result {}", "2025-11-25"},
		"no text":         {requirements.R20251125, agrees(`{"protocolVersion":20251125}`), initialize, `the opening failed: result {"protocolVersion":20251125}`, "2025-11-25"},
		"refused": {requirements.R20251125, func(s *server, h receivedFrame) { s.answer(h, refusal("1", `{"code":-32602}`)) }, initialize,
			`the opening failed: error {"code":-32602}`, "2025-11-25"},
		"silence": {requirements.R20251125, nil, initialize, "the opening failed: no answer within 10s", "2025-11-25"},
		"gone after it": {requirements.R20251125, func(s *server, h receivedFrame) { s.deaf = errors.New("broken pipe"); polite(s, h) }, initialize,
			"the opening failed: send notifications/initialized: broken pipe", "2025-11-25"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{hear: row.hear}
				c := connect(t, s, at(row.revision))
				err := control(c).Open(t.Context())
				var opening *probe.OpeningError
				switch {
				case row.err == "" && err != nil:
					t.Errorf("got %v", err)
				case row.err != "" && (!errors.As(err, &opening) || err.Error() != row.err || opening.Reply == nil):
					t.Errorf("got %v, want %s", err, row.err)
				}
				if diff := cmp.Diff(row.sent, s.texts()); diff != "" {
					t.Error(diff)
				}
				if c.Revision() != row.agreed {
					t.Errorf("the revision is %s, want %s", c.Revision(), row.agreed)
				}
			})
		})
	}
}

// The client ends only a session that began.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		revision requirements.Revision
		hear     func(*server, receivedFrame)
		want     map[string][]string // headers of the DELETE; nil without one
	}{
		"a session":         {requirements.R20251125, inSession, map[string][]string{"Mcp-Session-Id": {"s-1"}, "Mcp-Protocol-Version": {"2025-11-25"}}},
		"an older revision": {requirements.R20250326, inSession, map[string][]string{"Mcp-Session-Id": {"s-1"}}},
		"none":              {requirements.R20251125, polite, nil},
		"modern":            {requirements.R20260728, inSession, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{http: true, hear: row.hear}
			c := connect(t, s, at(row.revision))
			if err := control(c).Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := control(c).Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got map[string][]string
			for _, h := range s.heard() {
				if h.Verb == "DELETE" {
					got = h.Header
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A refused second handshake leaves the first in force.
func TestRefusedSecondHandshake(t *testing.T) {
	t.Parallel()
	greetings := 0
	s := &server{http: true, hear: func(s *server, h receivedFrame) {
		if h.Message.Method == "initialize" {
			if greetings++; greetings > 1 {
				s.answer(h, refusal(h.Message.ID, `{"code":-32600,"message":"again?"}`))
				return
			}
		}
		inSession(s, h)
	}}
	c := connect(t, s)
	if err := control(c).Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := c.Handshake(c.InitializeParams(requirements.R20251125))
	if !again.Refused() {
		t.Fatal(again.Outcome())
	}
	if c.Session() != "s-1" || c.Revision() != "2025-11-25" {
		t.Errorf("the session is %q and the revision %s", c.Session(), c.Revision())
	}
}

// A handshake with the case's own params counts for the session it begins.
func TestHandshake(t *testing.T) {
	t.Parallel()
	s := &server{http: true, hear: inSession}
	c := connect(t, s)
	reply := c.Handshake(c.InitializeParams(requirements.R20250618).With("x", 1))
	if !reply.Answered() {
		t.Fatal(reply.Outcome())
	}
	if c.Session() != "s-1" || c.Revision() != requirements.R20250618 {
		t.Errorf("the session is %q and the revision %s", c.Session(), c.Revision())
	}
	if sent := c.Since(0)[0]; !sent.Malformed {
		t.Error("a handshake with odd params counts as a good one")
	}
}
