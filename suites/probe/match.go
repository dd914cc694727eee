package probe

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/onsi/gomega/types"
)

// Absent stands for a missing property.
type Absent struct{}

// Show writes a value for a problem: as JSON, cut to a line.
func Show(v any) string {
	if _, ok := v.(Absent); ok {
		return "absent"
	}
	return clip(JSON(v))
}

// A Matcher is a Gomega matcher that says in a few words what it wants.
type Matcher struct {
	want string
	fits func(any) bool
}

// Match reports whether the value fits.
func (m Matcher) Match(actual any) (bool, error) { return m.fits(actual), nil }

// FailureMessage says what the matcher wants.
func (m Matcher) FailureMessage(any) string { return m.want }

// NegatedFailureMessage says what the matcher does not want.
func (m Matcher) NegatedFailureMessage(any) string { return "not " + m.want }

// That makes a matcher of a description and a test.
func That(want string, fits func(any) bool) Matcher { return Matcher{want, fits} }

// AString matches any string.
func AString() Matcher {
	return That("a string", func(v any) bool { _, ok := v.(string); return ok })
}

// AnObject matches any object.
func AnObject() Matcher {
	return That("an object", func(v any) bool { _, ok := v.(map[string]any); return ok })
}

// AnArray matches any array.
func AnArray() Matcher {
	return That("an array", func(v any) bool { _, ok := v.([]any); return ok })
}

// Equal matches the same JSON value; 1 and 1.0 are the same number.
func Equal(want any) Matcher {
	return That(Show(want), func(v any) bool { return Same(v, want) })
}

// Missing matches a missing property.
func Missing() Matcher {
	return That("no such property", func(v any) bool { _, ok := v.(Absent); return ok })
}

// OrMissing matches the values of m, and a missing property.
func OrMissing(m Matcher) Matcher {
	return That(m.want+", or no such property", func(v any) bool {
		_, absent := v.(Absent)
		return absent || m.fits(v)
	})
}

// Same compares two JSON values, numbers by value.
func Same(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// maxExactInteger is the largest integer up to which float64 tells all integers apart.
const maxExactInteger = 1 << 53

// plain converts a value to one form for comparison.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			if n < -maxExactInteger || n > maxExactInteger {
				return v.String()
			}
			return float64(n)
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case int:
		return float64(v)
	case Object:
		return plain(map[string]any(v))
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, value := range v {
			m[name] = plain(value)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, value := range v {
			l[i] = plain(value)
		}
		return l
	}
	return v
}

func describe(m types.GomegaMatcher, v any, err error) string {
	if err != nil {
		return fmt.Sprintf("something else (%s)", oneLine(err.Error()))
	}
	return oneLine(m.FailureMessage(v))
}

// oneLine joins the lines of explanations by Gomega's own matchers.
func oneLine(s string) string { return clip(strings.Join(strings.Fields(s), " ")) }
