package proposal

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Offers reports whether a server shows in any way that it has an extension, be it
// one that no suite judges: by a claim, or by its token under any prefix or none.
func Offers(c *probe.Client, name string) bool {
	s := c.Survey()
	if _, claimed := s.Claims[name]; claimed {
		return true
	}
	document := Manifest(c)
	listed, _ := document["supported_extensions"].([]any)
	for _, held := range []any{s.Capabilities["extensions"], s.Capabilities["experimental"], s.Capabilities["tools"], listed} {
		if slices.Contains(names(held), token(name)) {
			return true
		}
	}
	return false
}

// Tokens are the names that the extensions have behind their prefix, sorted.
func Tokens() []string {
	var all []string
	for _, e := range extensions() {
		all = append(all, last(e.Key()))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// token is the last part of the key of an extension.
func token(name string) string { return last(Extension(name).Key()) }

func last(key string) string {
	_, name, _ := strings.Cut(key, "/")
	return name
}

// names are the keys of an object, or the strings of an array, without prefixes.
func names(held any) []string {
	all := probe.Strings(held)
	if o, ok := held.(map[string]any); ok {
		all = slices.Collect(maps.Keys(o))
	}
	for i, name := range all {
		if _, last, prefixed := strings.Cut(name, "/"); prefixed {
			all[i] = last
		}
	}
	return all
}
