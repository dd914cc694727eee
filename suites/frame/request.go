package frame

import (
	"net/http"
	"strings"
)

// An HTTPRequest is a request as it stands on the wire, for whoever wants to send
// what no HTTP library would: nothing in it is checked.
type HTTPRequest struct {
	Line   string   // the request line, without its end
	Fields []string // "name: value", in order, without their ends
	Body   string
}

// Set puts fields, as they are to stand there, in place of those with that name in
// any case; without any they are taken out. New ones stand last.
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

// Value is the value of the first field with that name, without the blanks around
// it; empty where there is none.
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

// HTTP is what of the request stands outside its body, as far as it can be told
// apart: names stand as they were written, values with the blanks around them.
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
