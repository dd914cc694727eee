package config

import (
	"fmt"
	"maps"
)

// AsFirst is the target as the kit judges it: without credentials of its own,
// it gets those of the first principal.
func (c Config) AsFirst() Target {
	t, first := c.Target, c.Principals.First
	if first == nil {
		return t
	}
	if !t.HasLogin() {
		t.Headers = maps.Clone(t.Headers)
		if t.Headers == nil {
			t.Headers = map[string]string{}
		}
		if first.Token != "" {
			t.Headers["Authorization"] = "Bearer " + first.Token
		}
		maps.Copy(t.Headers, first.Headers)
	}
	if len(chosen(t.Env, isCredentialVariable)) == 0 && len(first.Env) > 0 {
		t.Env = maps.Clone(t.Env)
		if t.Env == nil {
			t.Env = map[string]string{}
		}
		maps.Copy(t.Env, first.Env)
	}
	return t
}

// PlaceOf says where the file holds the credentials of a principal, as in
// "mcp-conform.yaml:12"; it is empty where no file does.
func (c Config) PlaceOf(principal string) string {
	line, ok := c.given[principal]
	if c.File == "" || !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.File, line)
}

// HasLogin reports whether the target's headers hold credentials.
func (t Target) HasLogin() bool { return len(chosen(t.Headers, isCredentialHeader)) > 0 }
