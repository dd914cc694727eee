package protocol

import (
	"slices"
	"strings"
)

// Capabilities returns what a server may declare that cases ask about, as paths
// whose properties are joined by dots.
func Capabilities() []string {
	return []string{
		"completions", "experimental", "extensions", "extensions." + TasksExtension, "logging", "prompts", "prompts.listChanged",
		"resources", "resources.listChanged", "resources.subscribe",
		"tasks", "tasks.cancel", "tasks.list", "tasks.requests", "tasks.requests.tools", "tasks.requests.tools.call",
		"tools", "tools.listChanged",
	}
}

// IsCapability reports whether a server can declare the path: one of those
// above, or an extension or an experiment of somebody else's.
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
