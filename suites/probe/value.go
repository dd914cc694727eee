package probe

import (
	"encoding/json"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// ObjectOf is a value as an object, nil for any other type.
func ObjectOf(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// ArrayOf is a value as an array, nil for any other type.
func ArrayOf(v any) []any {
	all, _ := v.([]any)
	return all
}

// TextOf is a value as a string, empty for any other type.
func TextOf(v any) string {
	text, _ := v.(string)
	return text
}

// Member is a property of an object, or Absent.
func Member(o map[string]any, name string) any {
	if v, ok := o[name]; ok {
		return v
	}
	return Absent{}
}

// HasCode reports whether the answer is an error with the code.
func (r *Reply) HasCode(code int) bool {
	got, ok := r.Code()
	return ok && got == code
}

// Wants expects a value at a pointer.
func (m Message) Wants(pointer string, want Matcher) Opinion {
	v := m.Value(pointer)
	if want.fits(v) {
		return Kept()
	}
	return Breaks("%s is %s, want %s", m.Where(pointer), Show(v), want.want)
}

// NumberOf is a value as a number; false for any other type.
func NumberOf(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// Succeeded reports whether the answer is a result that is not marked as an error.
func (r *Reply) Succeeded() bool {
	_, ok := r.Result()
	return ok && !r.ErrorFlag()
}

// Public reports whether a host is one of the internet: addresses of private networks, names
// without a dot, and names that the internet does not have belong to development or to a
// network of one's own.
func Public(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return !ip.IsPrivate() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && !ip.IsUnspecified()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return strings.Contains(host, ".") &&
		!slices.ContainsFunc([]string{"test", "localhost", "local", "internal", "lan", "corp", "home", "home.arpa"},
			func(kept string) bool { return strings.HasSuffix(host, "."+kept) })
}

// Loopback reports whether a host is the machine itself.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
