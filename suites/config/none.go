package config

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A None is a role of the file, or a field of one, that the server has nothing for.
type None struct {
	Key  string // such as roles.failure.request
	Line int
}

const none = "none"

func isNone(n *node) bool { return n.kind == text && n.text == none }

// mayBeNone reports whether a field can hold the word none in place of its value. Where
// none can be a value, such as the name of a tool, it is that value. An effect that nobody
// can see is there all the same, so no observe is none.
func mayBeNone(f roles.Field) bool {
	if f.Required {
		return false
	}
	switch f.Kind {
	case roles.KindCall, roles.KindAction, roles.KindObject, roles.KindPart, roles.KindSteps, roles.KindFlagCall,
		roles.KindNumber, roles.KindDuration, roles.KindTexts:
		return true
	case roles.KindArguments:
		return f.Of == "" // other arguments than those of the call
	case roles.KindText, roles.KindTemplate, roles.KindTool, roles.KindPrompt, roles.KindResource, roles.KindFile, roles.KindPointer,
		roles.KindArgv, roles.KindFlag, roles.KindMap, roles.KindHeaders, roles.KindVariables, roles.KindToken, roles.KindAny,
		roles.KindObserve:
	}
	return false
}

// SaysNone finds what the file says of the path of a role, such as "role:failure.request":
// the server has nothing for it, or nothing for a role or field around it.
func (c Config) SaysNone(path string) (n None, said bool) {
	key := roles.Key(strings.TrimPrefix(path, "role:"))
	for _, n := range c.None {
		if key == n.Key || strings.HasPrefix(key, n.Key+".") {
			return n, true
		}
	}
	return None{}, false
}
