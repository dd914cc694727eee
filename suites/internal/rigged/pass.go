package rigged

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// MethodOf is the method that a POST asks for. Its body can be read once more.
func MethodOf(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m Request
	if err != nil || json.Unmarshal(body, &m) != nil {
		return ""
	}
	return m.Method
}

// A Rewording is a response each line of which is changed on its way.
type Rewording struct {
	http.ResponseWriter
	line func(string) string
	rest []byte
}

// Reword changes the lines of a response, from which their ends are cut; the change puts
// ends in their place. Finish has to follow.
func Reword(w http.ResponseWriter, line func(string) string) *Rewording {
	return &Rewording{ResponseWriter: w, line: line}
}

// WriteHeader leaves out the length, which changes.
func (w *Rewording) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
}

// Write passes on the lines that are whole.
func (w *Rewording) Write(b []byte) (int, error) {
	w.Header().Del("Content-Length")
	w.rest = append(w.rest, b...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		w.rest = rest
		if _, err := io.WriteString(w.ResponseWriter, w.line(string(line))); err != nil {
			return 0, err
		}
	}
}

// Finish writes the last line, which no line break ends.
func (w *Rewording) Finish() {
	if len(w.rest) > 0 {
		_, _ = io.WriteString(w.ResponseWriter, w.line(string(w.rest)))
	}
}

// Unwrap lets the response be flushed.
func (w *Rewording) Unwrap() http.ResponseWriter { return w.ResponseWriter }
