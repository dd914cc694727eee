package discover

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// claims reads the places where a server can say that it offers an extension. A key with
// a prefix that the core protocol reserves does not count.
func (l Look) claims(c *probe.Client) {
	s, looked := c.Survey(), l.looked()
	for _, e := range looked {
		declared(s, e)
	}
	for _, name := range l.Forced { // evidence may ask in each way that the configuration allows
		claim := s.Claims[name]
		claim.Configured = true
		s.Claims[name] = claim
	}
	for _, e := range looked {
		if e.Evidence == nil {
			continue
		}
		var strength probe.Strength
		var where string
		why := c.Try(func() { strength, where = e.Evidence(c) })
		// An answer that is larger than the kit reads shows nothing.
		if _, large := errors.AsType[*probe.Unreadable](why); why != nil && !large {
			c.Stop(why)
		}
		if weight(strength) > weight(s.Claims[e.Name].Strength) {
			s.Claims[e.Name] = probe.Claim{Strength: strength, Where: where, Configured: slices.Contains(l.Forced, e.Name)}
		}
	}
	imply(s, looked)
	asked := func(name string) bool {
		return slices.ContainsFunc(l.Extensions, func(e suite.Extension) bool { return e.Name == name })
	}
	maps.DeleteFunc(s.Claims, func(name string, _ probe.Claim) bool { return !asked(name) })
	for _, e := range l.Extensions {
		l.configured(s, e.Name)
	}
}

// looked lists the extensions of the Look, and the extensions that imply one of them: a
// claim of the latter counts as a claim of the former.
func (l Look) looked() []suite.Extension {
	looked := slices.Clone(l.Extensions)
	for _, e := range l.Extensions {
		for _, by := range e.ImpliedBy {
			by.Implies = append(slices.Clone(by.Implies), e.Name)
			looked = append(looked, by)
		}
	}
	return looked
}

// imply passes claims on to implied extensions, until nothing new is implied.
func imply(s *probe.Survey, looked []suite.Extension) {
	for again := true; again; {
		again = false
		for _, e := range looked {
			whole, ok := s.Claims[e.Name]
			for _, part := range e.Implies {
				if ok && weight(whole.Strength) > weight(s.Claims[part].Strength) {
					s.Claims[part] = probe.Claim{Strength: whole.Strength, Where: whole.Where + ", by " + e.Name}
					again = true
				}
			}
		}
	}
}

// declared reads the claims of one extension among the capabilities.
func declared(s *probe.Survey, e suite.Extension) {
	claim := func(strength probe.Strength, where string) {
		if was, ok := s.Claims[e.Name]; !ok || weight(strength) > weight(was.Strength) {
			s.Claims[e.Name] = probe.Claim{Strength: strength, Where: where}
		}
	}
	key := e.Key()
	_, token, _ := strings.Cut(key, "/")
	switch listed := s.Capabilities["extensions"].(type) {
	case map[string]any:
		byKey(listed, key, "capabilities.extensions", claim)
	case []any:
		for _, name := range listed {
			if name == token {
				claim(probe.Explicit, "capabilities.extensions, as a list")
			}
		}
	}
	experimental := probe.ObjectOf(s.Capabilities["experimental"])
	byKey(experimental, key, "capabilities.experimental", claim)
	if given(experimental[token]) {
		claim(probe.Weak, "capabilities.experimental."+token)
	}
	if given(probe.ObjectOf(s.Capabilities["tools"])[token]) {
		claim(probe.Weak, "capabilities.tools."+token)
	}
}

// given reports whether a member is present and does not say false.
func given(v any) bool { return v != nil && v != false }

func byKey(keys map[string]any, wanted, where string, claim func(probe.Strength, string)) {
	_, token, _ := strings.Cut(wanted, "/")
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		prefix, name, ok := strings.Cut(key, "/")
		switch {
		case !given(keys[key]):
		case key == wanted:
			claim(probe.Explicit, where)
		case ok && name == token && !protocol.Reserved(key):
			claim(probe.Weak, where+" under "+prefix)
		}
	}
}

func weight(s probe.Strength) int {
	switch s {
	case probe.Explicit:
		return 3
	case probe.Strong:
		return 2
	case probe.Weak:
		return 1
	default:
		return 0
	}
}

// configured lets the operator force a claim, or take it away.
func (l Look) configured(s *probe.Survey, extension string) {
	switch {
	case slices.Contains(l.Suppressed, extension):
		delete(s.Claims, extension)
	case slices.Contains(l.Forced, extension):
		s.Claims[extension] = probe.Claim{Strength: probe.Explicit, Where: "the configuration", Configured: true}
	}
}
