package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// excerptLimit is the number of characters of a value that a Fault shows.
const excerptLimit = 80

// excerpt writes a value as JSON and stops at the limit, so that a fault in a
// message of 16 MiB costs no more than one in a small message.
func excerpt(value any) string {
	w := excerptWriter{}
	w.write(value)
	return clip(w.text.String())
}

type excerptWriter struct{ text strings.Builder }

func (w *excerptWriter) full() bool { return w.text.Len() > 4*excerptLimit }

func (w *excerptWriter) write(value any) {
	switch v := value.(type) {
	case map[string]any:
		w.text.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if w.full() {
				return
			}
			if i > 0 {
				w.text.WriteByte(',')
			}
			w.scalar(cutRunes(name, excerptLimit))
			w.text.WriteByte(':')
			w.write(v[name])
		}
		w.text.WriteByte('}')
	case []any:
		w.text.WriteByte('[')
		for i, item := range v {
			if w.full() {
				return
			}
			if i > 0 {
				w.text.WriteByte(',')
			}
			w.write(item)
		}
		w.text.WriteByte(']')
	case string:
		w.scalar(cutRunes(v, excerptLimit))
	case json.Number:
		w.text.WriteString(cutRunes(v.String(), excerptLimit+1))
	default:
		w.scalar(value)
	}
}

func (w *excerptWriter) scalar(value any) {
	encoder := json.NewEncoder(&w.text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		fmt.Fprintf(&w.text, "a %T", value)
	}
}

// clip shortens text to the limit, the mark of the cut included.
func clip(text string) string {
	text = strings.ReplaceAll(text, "\n", "")
	if utf8.RuneCountInString(text) <= excerptLimit {
		return text
	}
	return cutRunes(text, excerptLimit-3) + "..."
}

func cutRunes(text string, limit int) string {
	seen := 0
	for i := range text {
		if seen == limit {
			return text[:i]
		}
		seen++
	}
	return text
}

// The library computes with exact fractions: 1e9999999 makes it panic, and a number of a
// million digits takes it minutes. Both are lawful JSON. Every double is within these
// limits.
const (
	digitLimit    = 400
	exponentLimit = 400
)

// bounded returns the tree with numbers of unreasonable size replaced by smaller ones of
// the same sign and kind, and tells whether it replaced any. It does not change the
// caller's tree.
func bounded(value any) (any, bool) {
	switch v := value.(type) {
	case json.Number:
		return boundedNumber(v)
	case []any:
		var copied []any
		for i, item := range v {
			if smaller, changed := bounded(item); changed {
				if copied == nil {
					copied = slices.Clone(v)
				}
				copied[i] = smaller
			}
		}
		if copied != nil {
			return copied, true
		}
	case map[string]any:
		var copied map[string]any
		for name, member := range v {
			if smaller, changed := bounded(member); changed {
				if copied == nil {
					copied = maps.Clone(v)
				}
				copied[name] = smaller
			}
		}
		if copied != nil {
			return copied, true
		}
	}
	return value, false
}

func boundedNumber(n json.Number) (json.Number, bool) {
	text := n.String()
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	shift, err := strconv.Atoi(exponent)
	tooFar := exponent != "" && (err != nil || shift > exponentLimit || shift < -exponentLimit)
	if !tooFar && len(text) <= digitLimit {
		return n, false
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if strings.Trim(whole+fraction, "0") == "" {
		return "0", true
	}
	switch {
	case strings.HasPrefix(exponent, "-") && tooFar:
		return json.Number(sign + "1e-" + strconv.Itoa(exponentLimit)), true
	case tooFar:
		return json.Number(sign + "1e" + strconv.Itoa(exponentLimit)), true
	case len(whole) > digitLimit:
		return json.Number(sign + whole[:digitLimit] + "e" + strconv.Itoa(min(len(whole)-digitLimit+shift, exponentLimit))), true
	}
	return json.Number(sign + whole + "." + cutRunes(fraction, digitLimit) + "e" + strconv.Itoa(shift)), true
}
