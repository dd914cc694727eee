package permissions_test

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

const prefix = "io.github.mcp-extension-proposals/"

type object = map[string]any

// A yard is a small server with permissions that shares no code with the reference
// server, and whose habits a test chooses. The zero value keeps every rule in the
// canonical form, judges a check by the scopes that it is told of, and refuses in
// plain form.
type yard struct {
	byRights   bool     // a check is judged by what the caller may, whatever it is told
	everything bool     // the caller may do everything
	asTools    bool     // the methods are offered as tools that are not listed
	older      bool     // the methods have their older names
	beside     bool     // tokens are read from params.session_token
	mute       bool     // tools do not say what they require
	refusals   bool     // a refusal is a JSON-RPC error
	record     bool     // a refusal has a structured record
	sessions   bool     // scopes can be asked for
	unclaimed  bool     // nothing is claimed
	texts      bool     // the properties have the names of the proposal's text
	alone      bool     // a new session ends the one before
	strict     bool     // without a session a caller may look only
	idle       int      // inactivity_timeout_seconds
	stormOnly  bool     // closing takes a scope only for good
	manifest   object   // nil: none
	omit       []string // properties that answers do not have

	mu     sync.Mutex
	done   map[string]int // by tool and who it is for
	opened []visit
}

// A visit is a session.
type visit struct {
	token         string
	scopes        []string
	expires, used time.Time
}

func (y *yard) server() *fakeserver.Server {
	extensions := object{prefix + "permissions": object{}}
	if y.unclaimed {
		extensions = object{}
	}
	s := &fakeserver.Server{
		Capabilities: object{"tools": object{}, "extensions": extensions},
		Answer:       map[string]func(fakeserver.Request) any{"tools/call": y.call},
	}
	for _, name := range []string{"show", "book", "close", "tally"} {
		tool := object{
			"name": name, "inputSchema": object{"type": "object"},
			"annotations": object{"readOnlyHint": name == "show" || name == "tally"},
		}
		if !y.mute {
			tool["_meta"] = object{"required_scopes": y.needs(name, nil)}
		}
		s.Tools = append(s.Tools, tool)
	}
	if y.manifest != nil {
		s.Answer["get_manifest"] = func(fakeserver.Request) any { return y.manifest }
	}
	if y.asTools {
		return s
	}
	check, negotiate := "permissions/check", "scopes/negotiate"
	if y.older {
		check, negotiate = "can_execute", "negotiate_scopes"
	}
	s.Answer[check] = func(r fakeserver.Request) any { return y.check(r.Params) }
	if y.sessions {
		s.Answer[negotiate] = func(r fakeserver.Request) any { return y.negotiate(r.Params) }
	}
	return s
}

// needs are what a call takes; with stormOnly it depends on the arguments.
func (y *yard) needs(tool string, arguments object) []string {
	switch tool {
	case "show":
		return []string{"see"}
	case "book":
		return []string{"book"}
	case "close":
		if y.stormOnly && arguments["for"] != "good" {
			return []string{}
		}
		return []string{"rule"}
	default:
		return []string{}
	}
}

func (y *yard) may() []string {
	switch {
	case y.everything:
		return []string{"see", "book", "rule"}
	case y.strict:
		return []string{"see"}
	}
	return []string{"see", "book"}
}

func (y *yard) call(r fakeserver.Request) any {
	if y.alone {
		<-time.After(20 * time.Millisecond) // others open their sessions meanwhile
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	name, _ := r.Params["name"].(string)
	arguments, _ := r.Params["arguments"].(object)
	switch {
	case y.asTools && name == "check_permissions":
		return wrapped(y.check(arguments))
	case y.asTools && y.sessions && name == "negotiate_scopes":
		return wrapped(y.negotiate(arguments))
	case !slices.Contains([]string{"show", "book", "close", "tally"}, name):
		return &fakeserver.Error{Code: -32602, Message: "unknown tool " + name}
	case name == "tally":
		return said(fmt.Sprint(y.done[fmt.Sprint(arguments["of"], arguments["by"])]))
	}
	held := y.may()
	if token, given := y.token(r.Params); given {
		if held = y.opens(token); held == nil {
			return y.refuse("AUTHENTICATION_REQUIRED", nil)
		}
	}
	for _, scope := range y.needs(name, arguments) {
		if !slices.Contains(held, scope) {
			return y.refuse("PERMISSION_DENIED", []string{scope})
		}
	}
	if y.done == nil {
		y.done = map[string]int{}
	}
	y.done[fmt.Sprint(name, arguments["by"])]++
	return said("done")
}

func said(text string) object {
	return object{"content": []any{object{"type": "text", "text": text}}}
}

// wrapped is the answer of a tool that says it as a value.
func wrapped(answer any) any {
	result, ok := answer.(object)
	if !ok {
		return answer
	}
	return object{"content": []any{}, "structuredContent": result}
}

func (y *yard) refuse(code string, missing []string) any {
	record := object{"code": code, "message": "no", "category": "auth_required"}
	if missing != nil {
		record["details"], record["suggestion"] = object{"required_scope": missing[0]}, "Ask the owner of the yard."
	}
	switch {
	case y.refusals && y.record:
		return &fakeserver.Error{Code: 1001, Message: "no", Data: object{"error": record}}
	case y.refusals:
		return &fakeserver.Error{Code: 1001, Message: "no"}
	}
	refusal := said("You may not.")
	refusal["isError"] = true
	if y.record {
		refusal["_meta"] = object{"error": record}
	}
	return refusal
}

// token is read from one place alone.
func (y *yard) token(params object) (string, bool) {
	from := params
	if !y.beside {
		from, _ = params["_meta"].(object)
	}
	token, given := from["session_token"].(string)
	return token, given
}

func (y *yard) opens(token string) []string {
	now := time.Now()
	for i, v := range y.opened {
		unused := y.idle > 0 && now.Sub(v.used) > time.Duration(y.idle)*time.Second
		if v.token == token && now.Before(v.expires) && !unused {
			y.opened[i].used = now
			return v.scopes
		}
	}
	return nil
}

func (y *yard) check(params object) any {
	tool, _ := params["tool"].(string)
	if tool == "" {
		return &fakeserver.Error{Code: -32602, Message: "which tool?"}
	}
	if !slices.Contains([]string{"show", "book", "close", "tally"}, tool) {
		return &fakeserver.Error{Code: -32602, Message: "no such tool"}
	}
	held := texts(params["scopes_held"])
	if y.byRights {
		held = y.may()
	}
	arguments, _ := params["parameters"].(object)
	missing := []string{}
	for _, scope := range y.needs(tool, arguments) {
		if !slices.Contains(held, scope) {
			missing = append(missing, scope)
		}
	}
	answer := object{"allowed": len(missing) == 0, "missing_scopes": missing}
	if len(missing) > 0 {
		answer["reason"], answer["elevation_url"] = "Needs "+strings.Join(missing, ", "), "http://127.0.0.1:1/ask"
	}
	for _, name := range y.omit {
		delete(answer, name)
	}
	if y.texts {
		answer["missing"] = missing
		delete(answer, "missing_scopes")
	}
	return answer
}

func (y *yard) negotiate(params object) any {
	if y.texts {
		params = maps.Clone(params)
		params["requested_scopes"] = params["scopes"]
	}
	if _, ok := params["requested_scopes"].([]any); !ok {
		return &fakeserver.Error{Code: -32602, Message: "which scopes?"}
	}
	granted, denied := []string{}, []any{}
	for _, scope := range texts(params["requested_scopes"]) {
		if slices.Contains([]string{"see", "book"}, scope) {
			granted = append(granted, scope)
		} else {
			denied = append(denied, object{"scope": scope, "reason": "never"})
		}
	}
	ttl := 3600.0
	if wished, ok := params["ttl_seconds"].(float64); ok {
		ttl = min(ttl, wished)
	}
	now := time.Now()
	if y.alone {
		y.opened = nil
	}
	v := visit{"visit." + rand.Text(), granted, now.Add(time.Duration(ttl) * time.Second), now}
	y.opened = append(y.opened, v)
	session := object{"token": v.token, "scopes": granted, "expires_at": v.expires.Format(time.RFC3339Nano)}
	if y.idle > 0 {
		session["inactivity_timeout_seconds"] = y.idle
	}
	if y.texts {
		return object{"granted": granted, "denied": denied, "session": session}
	}
	return object{"granted_scopes": granted, "denied_scopes": denied, "session": session}
}

func texts(v any) []string {
	all, _ := v.([]any)
	found := []string{}
	for _, each := range all {
		text, _ := each.(string)
		found = append(found, text)
	}
	return found
}
