package discover

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Prefix is the canonical prefix of the extension proposals' keys.
const Prefix = protocol.ProposalPrefix

// tokens names the claim keys of the extensions that are not claimed by their
// own name.
func tokens() map[string]string {
	return map[string]string{
		"intent": "intent_hints", "cost-latency": "cost_latency", "confirmation": "human_in_the_loop",
		"progress": "progress_notifications", "data-references": "data_references",
		"multimodal": "multimodal_signatures", "structured-errors": "structured_errors",
		"server-discovery": "server_recommendations", "session-state": "session_state", "push": "subscribe_notify",
	}
}

// Token is the bare name under which an extension is claimed.
func Token(extension string) string {
	if token, ok := tokens()[extension]; ok {
		return token
	}
	return extension
}

// claims reads where the server says that it offers an extension. A key under
// a prefix that the core protocol reserves is no claim.
func (l Look) claims(s *probe.Survey) {
	// Who offers transactions offers idempotency, whether or not the former are
	// asked about.
	const whole, part = "transactions", "idempotency"
	looked := l.Extensions
	if slices.Contains(looked, part) && !slices.Contains(looked, whole) {
		looked = append(slices.Clone(looked), whole)
	}
	for _, extension := range looked {
		token := Token(extension)
		claim := func(strength probe.Strength, where string) {
			if was, ok := s.Claims[extension]; !ok || weight(strength) > weight(was.Strength) {
				s.Claims[extension] = probe.Claim{Strength: strength, Where: where}
			}
		}
		switch listed := s.Capabilities["extensions"].(type) {
		case map[string]any:
			byKey(listed, token, "capabilities.extensions", claim)
		case []any:
			for _, name := range listed {
				if name == token {
					claim(probe.Explicit, "capabilities.extensions, as a list")
				}
			}
		}
		experimental := object(s.Capabilities["experimental"])
		byKey(experimental, token, "capabilities.experimental", claim)
		if given(experimental[token]) {
			claim(probe.Weak, "capabilities.experimental."+token)
		}
		if given(object(s.Capabilities["tools"])[token]) {
			claim(probe.Weak, "capabilities.tools."+token)
		}
	}
	if t, ok := s.Claims[whole]; ok && slices.Contains(looked, part) && weight(t.Strength) > weight(s.Claims[part].Strength) {
		s.Claims[part] = probe.Claim{Strength: t.Strength, Where: t.Where + ", by transactions"}
	}
	if !slices.Contains(l.Extensions, whole) {
		delete(s.Claims, whole)
	}
	for _, extension := range l.Extensions {
		l.configured(s, extension)
	}
}

// given tells a member that is there from one that says no.
func given(v any) bool { return v != nil && v != false }

func byKey(keys map[string]any, token, where string, claim func(probe.Strength, string)) {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		prefix, name, ok := strings.Cut(key, "/")
		switch {
		case !given(keys[key]):
		case key == Prefix+token:
			claim(probe.Explicit, where)
		case ok && name == token && !reserved(prefix):
			claim(probe.Weak, where+" under "+prefix)
		}
	}
}

// reserved tells whether a prefix belongs to the core protocol: its second
// label is mcp or modelcontextprotocol.
func reserved(prefix string) bool {
	labels := strings.Split(prefix, ".")
	return len(labels) > 1 && (labels[1] == "mcp" || labels[1] == "modelcontextprotocol")
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
	case l.Suppressed[extension]:
		delete(s.Claims, extension)
	case l.Forced[extension]:
		s.Claims[extension] = probe.Claim{Strength: probe.Explicit, Where: "the configuration"}
	}
}
