package config_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// The word none says that a server has nothing for a role, or for a field of one.
func TestNone(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		yaml, path, key string
		line            int
	}{
		"a role":             {"roles:\n  schema-tool: none", "role:schema-tool", "roles.schema-tool", 2},
		"its fields too":     {"roles:\n  rate-limit: none", "role:rate-limit.repeat", "roles.rate-limit", 2},
		"another role":       {"roles:\n  schema-tool: none", "role:slow-tool", "", 0},
		"a similar name":     {"roles:\n  resource: none", "role:resource-x", "", 0},
		"a call":             {"roles: {client-request: {\n sampling: none}}", "role:client-request.sampling", "roles.client-request.sampling", 2},
		"not its role":       {"roles: {client-request: {sampling: none}}", "role:client-request", "", 0},
		"not its neighbour":  {"roles: {client-request: {sampling: none}}", "role:client-request.sampling-tools", "", 0},
		"a number":           {"roles: {rate-limit: {tool: a, repeat: none}}", "role:rate-limit.repeat", "roles.rate-limit.repeat", 1},
		"an object":          {"roles: {failure: {request: none}}", "role:failure.request", "roles.failure.request", 1},
		"an identity":        {"principals: {second: none}", "role:principals.second", "principals.second", 1},
		"all identities":     {"principals: none", "role:principals.second", "principals", 1},
		"a tool of the name": {"roles: {slow-tool: {tool: none}}", "role:slow-tool", "", 0},
	} {
		got, said := parse(t, row.yaml).SaysNone(row.path)
		if want := (config.None{Key: row.key, Line: row.line}); got != want || said != (row.key != "") {
			t.Errorf("%s: got %v, %v", name, got, said)
		}
	}
	if c := parse(t, "roles: {failure: {tool: a, request: none}}"); !c.Roles.Has("role:failure.tool") {
		t.Error("the rest of a role with a none is lost")
	}
	if slow, _ := parse(t, "roles: {slow-tool: {tool: none}}").Roles.Role(roles.SlowTool); slow.Fields.Text("tool") != "none" {
		t.Errorf("the name of a tool is lost: %v", slow.Fields)
	}
}

// An effect that nobody can see is there all the same, and a role needs its own call.
func TestNoneIsNoValue(t *testing.T) {
	t.Parallel()
	for _, yaml := range []string{
		"roles: {state-change: {tool: a, observe: none}}", "roles: {session-state: {first: none}}", "roles: {slow-tool: {tool: a, arguments: none}}",
	} {
		if _, err := config.Parse("a.yaml", []byte(yaml), environment, config.Known{Roles: roles.Known()}); err == nil {
			t.Errorf("%s is read", yaml)
		}
	}
}
