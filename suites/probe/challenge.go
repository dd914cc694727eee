package probe

import (
	"net/http"
	"strings"
)

// A Challenge names the scheme in which a server wants credentials, and the reason.
type Challenge struct {
	Scheme string            // lower case, such as "bearer"
	Params map[string]string // names in lower case
}

// Challenges reads the challenges in WWW-Authenticate headers. One header may hold
// several, joined by commas like their parameters. Unreadable challenges are left out.
func Challenges(h http.Header) []Challenge {
	var all []Challenge
	for _, value := range h.Values("WWW-Authenticate") {
		for _, item := range listItems(value) {
			scheme, rest, param := split(item)
			if scheme != "" {
				all = append(all, Challenge{Scheme: scheme, Params: map[string]string{}})
			}
			name, text, ok := strings.Cut(rest, "=")
			if !ok || !param || len(all) == 0 {
				continue
			}
			name = strings.ToLower(strings.TrimSpace(name))
			if params := all[len(all)-1].Params; name != "" {
				params[name] = unquoted(strings.TrimSpace(text))
			}
		}
	}
	return all
}

// split takes the scheme off an item of the list, where the item begins a
// challenge: a token and a blank, or a token alone.
func split(item string) (scheme, rest string, param bool) {
	word, rest, blank := strings.Cut(item, " ")
	equals := strings.Contains(word, "=")
	switch {
	case equals, blank && strings.HasPrefix(strings.TrimSpace(rest), "="):
		return "", item, true
	case !blank:
		return strings.ToLower(word), "", false
	default:
		return strings.ToLower(word), strings.TrimSpace(rest), true
	}
}

// listItems cuts a header at its commas, but not within quotes.
func listItems(value string) []string {
	var items []string
	quoted, escaped, from := false, false, 0
	add := func(to int) {
		if item := strings.TrimSpace(value[from:to]); item != "" {
			items = append(items, item)
		}
		from = to + 1
	}
	for i := range len(value) {
		switch c := value[i]; {
		case escaped:
			escaped = false
		case c == '\\' && quoted:
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			add(i)
		}
	}
	add(len(value))
	return items
}

func unquoted(s string) string {
	inner, ok := strings.CutPrefix(s, `"`)
	if !ok {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(inner) && inner[i] != '"'; i++ {
		if inner[i] == '\\' && i+1 < len(inner) {
			i++
		}
		b.WriteByte(inner[i])
	}
	return b.String()
}

// Bearer returns the first challenge with the scheme bearer.
func Bearer(of []Challenge) (Challenge, bool) {
	for _, c := range of {
		if c.Scheme == "bearer" {
			return c, true
		}
	}
	return Challenge{}, false
}

// Naming is the Bearer challenge, or else one of another scheme that names protected
// resource metadata: RFC 9728 lets other schemes for tokens have the parameter.
func Naming(of []Challenge) (Challenge, bool) {
	if c, ok := Bearer(of); ok {
		return c, true
	}
	for _, c := range of {
		if c.Params["resource_metadata"] != "" {
			return c, true
		}
	}
	return Challenge{}, false
}

// Challenges are the challenges in the answer's headers.
func (r *Reply) Challenges() []Challenge {
	if r.head == nil || r.head.HTTP == nil {
		return nil
	}
	return Challenges(r.head.HTTP.Header)
}
