package fakeserver

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// MethodOf is the method in a POST. Its body can be read again.
func MethodOf(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m Request
	if err != nil || json.Unmarshal(body, &m) != nil {
		return ""
	}
	return m.Method
}

// A Rewording is a response whose lines are changed on their way.
type Rewording struct {
	http.ResponseWriter
	line func(string) string
	rest []byte
}

// Reword changes the lines of a response. The function gets each line without
// its end and has to add one. Finish has to follow.
func Reword(w http.ResponseWriter, line func(string) string) *Rewording {
	return &Rewording{ResponseWriter: w, line: line}
}

// WriteHeader leaves out the length, which changes.
func (w *Rewording) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
}

// Write passes complete lines on.
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

// Finish writes the last line, which has no line break.
func (w *Rewording) Finish() {
	if len(w.rest) > 0 {
		_, _ = io.WriteString(w.ResponseWriter, w.line(string(w.rest)))
	}
}

// Unwrap allows flushing the response.
func (w *Rewording) Unwrap() http.ResponseWriter { return w.ResponseWriter }
