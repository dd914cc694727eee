package frame

import "strings"

// Apart returns the bytes on both sides of the id of a message: they are equal where the
// same is said a second time. Where there is no id that counts, all bytes stand before it.
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
