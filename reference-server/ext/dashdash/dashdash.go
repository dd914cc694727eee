// Package dashdash serves the dashdash metadata: who the server is and when to use it in
// the answer to the opening, what each tool and resource does beside its entry in the
// list, and a guide for models by ai_help.
package dashdash

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Key is the name of the extension among the capabilities and in _meta.
const Key = "io.github.visionik/dashdash"

// Options are the options of the extension.
type Options struct {
	Fault *fault.Fault // nil keeps every rule
}

// Switches make the extension misbehave for a fault. The zero Switches keep every rule.
// For a wrong answer alone a fault needs no switch: it changes the answer.
type Switches struct {
	Name  string // of the server, in all places
	Level string // the access level, in all places

	NoSections bool // ai_help ignores section
}

// New returns the extension.
func New(o Options) core.Extension {
	g := &guide{}
	if o.Fault != nil {
		g.faults, _ = o.Fault.Ext.(Switches) // zero if Ext holds another extension's switches
	}
	return core.Extension{
		Name: "dashdash", Key: Key, Serve: g.serve, List: list,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){"ai_help": g.help},
	}
}

type guide struct{ faults Switches }

// serve adds the block to the answer of the opening, and the time to wait to a refusal
// for too many calls.
func (g *guide) serve(t *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	result, failure := next()
	switch {
	case failure != nil:
		return nil, limited(t, failure)
	case t.Method() == "initialize":
		result["dashdash"] = g.block(t)
	case t.Method() == "server/discover":
		result.Object("_meta")[Key] = g.block(t)
	case result["isError"] == true:
		if data := wait(t); data != nil {
			result.Object("_meta")["error"] = data
		}
	}
	return result, failure
}

// limited is the error with the time to wait; several requests may share an error.
func limited(t *core.Turn, failure *core.Error) *core.Error {
	data := wait(t)
	if data == nil || failure.Data != nil {
		return failure
	}
	told := *failure
	told.Data = data
	return &told
}

func wait(t *core.Turn) map[string]any {
	why, said := t.Refusal()
	if !said || why.Category != core.RateLimited {
		return nil
	}
	return map[string]any{"code": why.Code, "retryAfter": int((why.RetryAfter + time.Second - 1) / time.Second)}
}

const (
	about   = "Plans berths, tides and fees of a small harbour. Use when the user asks to book, release or look up a berth."
	version = "0.2.0"
	home    = "https://harbour.example"
)

// block describes the server. Each answer gets one of its own, which a fault may change.
func (g *guide) block(t *core.Turn) map[string]any {
	return map[string]any{
		"specVersion":       version,
		"identity":          map[string]any{"name": g.name(t), "description": about, "emoji": "⚓"},
		"accessLevel":       g.level(),
		"alternativeAccess": map[string]any{"cliUrl": home + "/cli", "apiUrl": nil, "webUrl": home + "/app"},
		"install":           map[string]any{"npm": "@harbour/office", "docker": "harbour/office:1"},
		"requires": map[string]any{
			"auth": []any{"bearer-token"}, "env": []any{"HARBOUR_KEY"}, "scopes": []any{"read:berths", "write:berths"},
		},
		"invocation": map[string]any{"modelInvocable": true, "userInvocable": true, "allowedTools": []any{"mcp"}},
		"rateLimit":  "100000000/day", "homepage": home, "repository": "https://git.example/harbour/office",
		"statusPage": "https://status.harbour.example", "contentVersion": "7", "lastUpdated": "2026-08-01",
	}
}

func (g *guide) name(t *core.Turn) string {
	if g.faults.Name != "" {
		return g.faults.Name
	}
	return t.Identity().Name
}

func (g *guide) level() string {
	if g.faults.Level != "" {
		return g.faults.Level
	}
	return "full"
}
