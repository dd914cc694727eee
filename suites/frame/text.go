package frame

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Text returns the whole frame for people, redacted: the request line and the
// header of HTTP, the payload, the end of a connection. It is not escaped for
// any medium and may hold invalid UTF-8.
func (f Frame) Text() string {
	parts := make([]string, 0, 3)
	if f.HTTP != nil {
		parts = append(parts, f.HTTP.text())
	}
	if f.End != nil {
		parts = append(parts, f.End.text(f.Hide))
	} else if len(f.Raw()) > 0 {
		parts = append(parts, string(f.Raw()))
	}
	return f.Hide(strings.Join(parts, "\n\n"))
}

// Payload returns only the bytes of the frame for people, redacted: Text
// without the HTTP part.
func (f Frame) Payload() string { return f.Hide(string(f.Raw())) }

// Hide redacts a text taken from the frame, before the text is cut. The text
// may end in the middle of a secret, as a cut frame does.
func (f Frame) Hide(s string) string {
	if f.hide == nil {
		return s
	}
	const cut = "..."
	return strings.TrimSuffix(f.hide(s+cut), cut)
}

func (h *HTTP) text() string {
	var b strings.Builder
	if h.Status != 0 {
		fmt.Fprintf(&b, "%s %d", h.Proto, h.Status)
	} else {
		fmt.Fprintf(&b, "%s %s", h.Method, h.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Header)) {
		for _, value := range h.Header[name] {
			fmt.Fprintf(&b, "\n%s: %s", name, hidden(name, value))
		}
	}
	return b.String()
}

// hidden keeps the scheme of a credential, which often matters, and drops the
// rest, even without a configured redaction.
func hidden(name, value string) string {
	const mark = "[redacted]"
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization":
		if scheme, _, more := strings.Cut(value, " "); more {
			return scheme + " " + mark
		}
		return mark
	case "cookie", "set-cookie":
		return mark
	}
	return value
}

func (e *End) text(hide func(string) string) string {
	var parts []string
	switch {
	case e.Signal != "":
		parts = append(parts, "ended by signal: "+e.Signal)
	case e.Exited:
		parts = append(parts, fmt.Sprintf("exited with code %d", e.ExitCode))
	}
	if e.Err != "" {
		parts = append(parts, e.Err)
	}
	if len(parts) == 0 {
		parts = append(parts, "closed")
	}
	if len(e.Unterminated) > 0 {
		parts = append(parts, "stdout without a newline: "+hide(string(e.Unterminated)))
	}
	if e.Stderr != "" {
		parts = append(parts, "stderr: "+strings.TrimRight(e.Stderr, "\n"))
	}
	return strings.Join(parts, "\n")
}

// Event returns a frame that shows every line of the server-sent event, instead of only
// the message in it. Other frames are returned as they are.
func (f Frame) Event() Frame {
	if f.SSE == nil || len(f.SSE.Lines) == 0 {
		return f
	}
	text := strings.Join(f.SSE.Lines, "\n")
	f.Kind, f.body, f.Size = KindEvent, &body{raw: []byte(text)}, len(text)
	return f
}
