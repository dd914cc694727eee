package protocol

import (
	"slices"
	"strings"
)

// Capabilities returns the capabilities of servers that cases ask about, as
// paths of properties joined by dots.
func Capabilities() []string {
	return []string{
		"completions", "experimental", "extensions", "extensions." + TasksExtension, "logging", "prompts", "prompts.listChanged",
		"resources", "resources.listChanged", "resources.subscribe",
		"tasks", "tasks.cancel", "tasks.list", "tasks.requests", "tasks.requests.tools", "tasks.requests.tools.call",
		"tools", "tools.listChanged",
	}
}

// IsCapability reports whether a server can declare the path: one of
// Capabilities, or an extension or experiment of anybody.
func IsCapability(path string) bool {
	if slices.Contains(Capabilities(), path) {
		return true
	}
	key, ok := strings.CutPrefix(path, "extensions.")
	if ok {
		vendor, name, whole := strings.Cut(key, "/")
		return whole && vendor != "" && name != "" && !strings.HasPrefix(key, MetaPrefix)
	}
	key, ok = strings.CutPrefix(path, "experimental.")
	return ok && key != ""
}
