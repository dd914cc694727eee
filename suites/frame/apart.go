package frame

import "strings"

// Apart returns the bytes before and behind the id of a message: they are equal
// where a message repeats another under a new id. Without a numeric id all
// bytes stand before.
func (f Frame) Apart() (before, behind []byte) {
	raw := f.Raw()
	if f.Kind != KindMessage || f.Truncated || len(raw) == 0 {
		return raw, nil
	}
	m := f.Message()
	if !m.HasID || len(m.Problems) > 0 || m.Class == Batch || strings.Trim(m.ID, "0123456789") != "" {
		return raw, nil
	}
	return raw[:m.IDAt], raw[m.IDAt+len(m.ID):]
}
