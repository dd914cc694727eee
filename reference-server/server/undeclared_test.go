package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

func TestUndeclared(t *testing.T) {
	t.Parallel()
	for _, at := range columns() {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Options{})
			for i, row := range []struct{ since, capabilities, params, lacking string }{
				{"2024-11-05", `{}`, sampleCall, `{"sampling":{}}`},
				{"2024-11-05", `{"sampling":null,"roots":{}}`, sampleCall, `{"sampling":{}}`},
				{"2024-11-05", `{"sampling":{},"elicitation":{}}`, `"name":"test_list_roots"`, `{"roots":{}}`},
				{"2025-06-18", `{"sampling":{}}`, `"name":"test_elicitation","arguments":{"message":"Who?"}`, `{"elicitation":{}}`},
				{"2025-11-25", `{"elicitation":{"url":{}}}`, `"name":"test_elicitation","arguments":{"message":"Who?"}`, `{"elicitation":{"form":{}}}`},
			} {
				if at.revision < row.since {
					continue
				}
				l := p.dial(at, row.capabilities)
				l.send(at.call("1", row.capabilities, row.params))
				message := l.next()
				want := "id 1 tool error"
				if at.revision == modern {
					want = "id 1 -32021"
					var m struct {
						Error struct {
							Data struct{ RequiredCapabilities json.RawMessage }
						}
					}
					if err := json.Unmarshal([]byte(message), &m); err != nil || string(m.Error.Data.RequiredCapabilities) != row.lacking {
						t.Errorf("row %d: %s, want %s to be lacking", i, message, row.lacking)
					}
				}
				if got := tell(message); got != want {
					t.Errorf("row %d: got %s, want %s", i, got, want)
				}
			}
		})
	}
}

// Before 2025-11-25 elicitation has no modes.
func TestElicitationWithoutModes(t *testing.T) {
	t.Parallel()
	at := column{"2025-06-18", "stdio"}
	l := newPlace(t, server.Options{}).dial(at, `{"elicitation":{"url":{}}}`)
	l.send(at.call("1", "", `"name":"test_elicitation","arguments":{"message":"Who?"}`))
	l.asked("elicitation/create")
}

// The server asks no client that has not said that it is initialized.
func TestUninitialized(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.send(strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":`+everything, 1))
	p.next()
	p.send(request("2025-11-25", "1", "tools/call", sampleCall))
	if got := said(t, p.next()); got != "id 1 tool error: the client has not said that it is initialized" {
		t.Errorf("got %s", got)
	}
}

func TestAskingToolsAreListedWhereTheyCanAsk(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		items, _ := walk(t, revision, "tools/list", "tools")
		for name, since := range map[string]string{
			"test_sampling": "2024-11-05", "test_list_roots": "2024-11-05", "test_elicitation": "2025-06-18",
			"test_elicitation_sep1330_enums": "2025-11-25", "test_input_required_result_multi_round": modern,
		} {
			listed := slices.ContainsFunc(items, func(tool map[string]any) bool { return tool["name"] == name })
			if listed != (revision >= since) {
				t.Errorf("%s: %s is listed: %t", revision, name, listed)
			}
		}
	}
}

// The switches make the server ask clients that it must not ask, and in ways that it
// must not use.
func TestAskingFaults(t *testing.T) {
	t.Parallel()
	for _, at := range columns() {
		l := newPlace(t, server.Options{Fault: &fault.Fault{Skip: []fault.Check{fault.CheckClientCapability}}}).dial(at, `{}`)
		l.send(at.call("1", `{}`, sampleCall))
		l.asked(sampling)
	}
	for _, transport := range []string{"stdio", "http"} {
		at := column{modern, transport}
		l := newPlace(t, server.Options{Fault: &fault.Fault{Skip: []fault.Check{fault.CheckInputRequest}}}).dial(at, everything)
		l.send(at.call("1", everything, sampleCall))
		q := l.asked(sampling)
		if q.ID == nil {
			t.Fatalf("%s: the result asks", at)
		}
		want := "id 1 tool error: an answer to sampling/createMessage would be a message of its own"
		if transport == "stdio" {
			l.send(at.answered(q, "", "", "", hi))
			want = "id 1: LLM response: hi"
		}
		if got := said(t, l.next()); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}
