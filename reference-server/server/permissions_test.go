package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// ask sends a request over stdio and returns its result, or in few words the reason
// for none.
func (d desk) ask(method, params string) (result object, why string) {
	d.t.Helper()
	d.send(spell(d.revision, "@"+method+" {"+params+"}"))
	line := d.next()
	var m struct {
		Result object
		Error  struct {
			Code int
			Data object
		}
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		d.t.Fatal(line, err)
	}
	switch meta, _ := m.Result["_meta"].(object); {
	case m.Error.Code != 0:
		return nil, fmt.Sprint(m.Error.Code, " ", m.Error.Data["code"])
	case m.Result["isError"] == true:
		return m.Result, fmt.Sprint("refused ", meta["error"].(object)["code"])
	}
	return m.Result, ""
}

type object = map[string]any

// check describes the answer of a check in few words.
func (d desk) check(params string) string {
	d.t.Helper()
	result, why := d.ask("permissions/check", params)
	if why != "" {
		return why
	}
	return fmt.Sprint(result["allowed"], " ", result["missing_scopes"])
}

// The cases of the kit about checks do not show these.
func TestPermissionChecks(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		d := newDesk(t, revision, server.Options{})
		for _, row := range []struct{ params, want string }{
			{`"tool":"book_berth"`, "-32602 INVALID_INPUT"},
			{`"tool":7,"scopes_held":[]`, "-32602 INVALID_INPUT"},
			{`"tool":"book_berth","scopes_held":["a",null]`, "-32602 INVALID_INPUT"},
			{`"tool":"book_berth","scopes_held":[],"parameters":[]`, "-32602 INVALID_INPUT"},
		} {
			if got := d.check(row.params); got != row.want {
				t.Errorf("%s: %s: got %s, want %s", revision, row.params, got, row.want)
			}
		}
	}
}

// session negotiates, and returns the token and the description of the session.
func (d desk) session(scopes string, more string) (token string, said object) {
	d.t.Helper()
	result, why := d.ask("scopes/negotiate", `"requested_scopes":[`+scopes+`]`+more)
	if why != "" {
		d.t.Fatal(why)
	}
	session, _ := result["session"].(object)
	token, _ = session["token"].(string)
	return token, result
}

func TestSessions(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		d := newDesk(t, revision, server.Options{Now: func() time.Time { return time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC) }})
		hoist := func(signal, token string) string {
			_, why := d.ask("tools/call", `"name":"hoist_signal","arguments":{"mast":"m","signal":"`+signal+`"},"_meta":{`+token+`}`)
			return why
		}
		token, said := d.session(`"write:signals","admin:harbour","made:up","write:signals"`, `,"ttl_seconds":300`)
		session := said["session"].(object)
		if got := fmt.Sprintf("%v %v %v %vs", said["granted_scopes"], session["scopes"], session["expires_at"], session["inactivity_timeout_seconds"]); got !=
			"[write:signals] [write:signals] 2026-08-20T10:05:00.000Z 10s" {
			t.Errorf("%s: got %s", revision, got)
		}
		if denied, _ := said["denied_scopes"].([]any); len(denied) != 2 {
			t.Errorf("%s: denied %v", revision, denied)
		}
		const prefixed = `"io.github.mcp-extension-proposals/session_token":"`
		quoted := `"session_token":"` + token + `"`
		for _, row := range []struct {
			name, signal, token, want string
		}{
			{"no token", "fog", ``, "refused SCOPE_INSUFFICIENT"},
			{"prefixed", "fog", prefixed + token + `"`, ""},
			{"both", "fog", quoted + "," + prefixed + token + `"`, ""},
			{"two tokens", "fog", quoted + "," + prefixed + `other"`, "-32602 INVALID_INPUT"},
			{"empty", "fog", `"session_token":""`, "refused AUTHENTICATION_REQUIRED"},
			{"a number", "fog", `"session_token":7`, "-32602 INVALID_INPUT"},
		} {
			if got := hoist(row.signal, row.token); got != row.want {
				t.Errorf("%s: %s: got %q, want %q", revision, row.name, got, row.want)
			}
		}
	}
}

// A session without a ttl lives as long as it is used; a negotiation with a token
// cannot grant more; a token belongs to one principal.
func TestSessionsOfOthers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)
	d := newDesk(t, "2025-11-25", server.Options{Now: func() time.Time { return now }})
	token, said := d.session(`"read:berths"`, ``)
	if session := said["session"].(object); session["expires_at"] != "2026-08-20T11:00:00.000Z" || session["inactivity_timeout_seconds"] != 900. {
		t.Errorf("the session is %v", session)
	}
	meta := `,"_meta":{"session_token":"` + token + `"}`
	if _, narrower := d.session(`"read:berths","write:berths"`, meta); fmt.Sprint(narrower["granted_scopes"]) != "[read:berths]" {
		t.Errorf("a session for reading grants %v", narrower["granted_scopes"])
	}
	if got := d.check(`"tool":"book_berth","scopes_held":["write:berths"]` + meta); got != "false [write:berths]" {
		t.Errorf("the check with a token for reading says %s", got)
	}
	now = now.Add(16 * time.Minute)
	for _, method := range []string{"permissions/check", "scopes/negotiate"} {
		if _, why := d.ask(method, `"tool":"x","scopes_held":[],"requested_scopes":[]`+meta); why != "1001 TOKEN_EXPIRED" {
			t.Errorf("%s with an old token: %s", method, why)
		}
	}
}

func TestPermissionsOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	ask := func(principal, method, params string, headers ...string) string {
		body := request("2025-11-25", "1", method, params)
		response := s.do("POST", body, append(s.open("2025-11-25", "Authorization: Bearer "+principal), headers...)...)
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const book = `"name":"book_berth","arguments":{` + berthA4 + `}`
	var made struct {
		Result struct{ Session struct{ Token string } }
	}
	line := ask("key-of-the-harbour-guest", "scopes/negotiate", `"requested_scopes":["write:berths"]`)
	if i := strings.Index(line, "{"); i < 0 || json.Unmarshal([]byte(line[i:]), &made) != nil || made.Result.Session.Token == "" {
		t.Fatal(line)
	}
	header := "X-MCP-Session-Token: " + made.Result.Session.Token
	for _, row := range []struct{ name, principal, header, want string }{
		{"without rights", "key-of-the-harbour-guest", "", "SCOPE_INSUFFICIENT"},
		{"with the token", "key-of-the-harbour-guest", header, "BK-1"},
		{"the token of somebody else", "key-of-the-harbour-pilot", header, "AUTHENTICATION_REQUIRED"},
		{"with rights", "key-of-the-harbour-pilot", "", "BK-2"},
	} {
		var headers []string
		if row.header != "" {
			headers = append(headers, row.header)
		}
		if got := ask(row.principal, "tools/call", book, headers...); !strings.Contains(got, row.want) {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
		}
	}
	got := ask("key-of-the-harbour-guest", "tools/call", book+`,"_meta":{"session_token":"other"}`, header)
	if !strings.Contains(got, "INVALID_INPUT") {
		t.Errorf("two tokens: %s", got)
	}
}
