package frame

import (
	"net/http"
	"strings"
)

// An HTTPRequest is a request as it crosses the wire, for callers that send
// requests no HTTP library would: nobody checks it.
type HTTPRequest struct {
	Line   string   // the request line, without its end
	Fields []string // "name: value", in order, without their ends
	Body   string
}

// Set replaces the fields with that name, in any case, by the given lines;
// without any lines it removes them. New fields come last.
func (r *HTTPRequest) Set(name string, fields ...string) {
	var kept []string
	for _, field := range r.Fields {
		if !strings.EqualFold(fieldName(field), name) {
			kept = append(kept, field)
			continue
		}
		kept = append(kept, fields...)
		fields = nil
	}
	r.Fields = append(kept, fields...)
}

// Value is the value of the first field with that name, without surrounding
// blanks; empty where there is no such field.
func (r *HTTPRequest) Value(name string) string {
	for _, field := range r.Fields {
		if strings.EqualFold(fieldName(field), name) {
			_, value, _ := strings.Cut(field, ":")
			return strings.Trim(value, " \t")
		}
	}
	return ""
}

// String is the request, byte for byte.
func (r *HTTPRequest) String() string {
	var b strings.Builder
	b.WriteString(r.Line + "\r\n")
	for _, field := range r.Fields {
		b.WriteString(field + "\r\n")
	}
	b.WriteString("\r\n" + r.Body)
	return b.String()
}

// HTTP is the part of the request outside its body, as far as it can be parsed:
// names and values as they were written, with the blanks around values.
func (r *HTTPRequest) HTTP() *HTTP {
	method, rest, _ := strings.Cut(r.Line, " ")
	path := rest
	if i := strings.LastIndexByte(rest, ' '); i >= 0 {
		path = rest[:i]
	}
	header := http.Header{}
	for _, field := range r.Fields {
		name, value, _ := strings.Cut(field, ":")
		value = strings.TrimPrefix(value, " ")
		header[name] = append(header[name], value)
	}
	return &HTTP{Method: method, Path: path, Header: header}
}

func fieldName(field string) string {
	name, _, _ := strings.Cut(field, ":")
	return strings.TrimSpace(name)
}
