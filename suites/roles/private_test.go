package roles_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// What only the case itself can see needs no lock.
func TestPrivate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		observe roles.Fields
		want    bool
	}{
		"narrowed": {roles.Fields{"tool": "list", "arguments": map[string]any{"ship": "kit-${nonce}"}}, true},
		"wide":     {roles.Fields{"tool": "list", "pointer": "/x"}, false},
		"none":     {nil, false},
	} {
		fields := roles.Fields{"tool": "book"}
		if row.observe != nil {
			fields["observe"] = row.observe
		}
		if got := (roles.Filled{Fields: fields}).Private(); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// A role is shared where another one counts what its tool does to anybody. Observers are called by both and change
// nothing, and one that sees the effects of its own calls only is not disturbed.
func TestShared(t *testing.T) {
	t.Parallel()
	count, own := roles.Fields{"tool": "count"}, roles.Fields{"tool": "count", "arguments": map[string]any{"ship": "kit-${nonce}"}}
	scrap := func(observe roles.Fields) roles.Filled {
		return roles.Filled{Name: roles.Gated, Fields: roles.Fields{"tool": "scrap", "observe": observe}}
	}
	other := func(tool string) roles.Filled {
		return roles.Filled{Name: roles.InputRequired, Fields: roles.Fields{"steps": []roles.Fields{{"tool": tool}}}}
	}
	for name, row := range map[string]struct {
		filled []roles.Filled
		want   []roles.Name
	}{
		"one tool":     {[]roles.Filled{scrap(count), other("scrap")}, []roles.Name{roles.InputRequired}},
		"another tool": {[]roles.Filled{scrap(count), other("sink")}, nil},
		"the observer": {[]roles.Filled{scrap(count), other("count")}, nil},
		"narrowed":     {[]roles.Filled{scrap(own), other("scrap")}, nil},
		"alone":        {[]roles.Filled{scrap(count)}, nil},
	} {
		var specs []roles.Spec
		for _, f := range row.filled {
			specs = append(specs, roles.Spec{Name: f.Name})
		}
		if got := roles.NewSet(specs, row.filled...).Shared(); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
