// Package jsonfile writes a report as JSON and reads it back. It refuses reports that do
// not fit the published schema, and drops unknown keys.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/reports"
)

// Write writes the report indented by two blanks, with a line break at the end. It
// escapes invisible characters, so that a terminal can show the file.
func Write(w io.Writer, r reports.Report) error {
	return Encode(w, document{reports.SchemaURL, complete(r)})
}

// Encode writes any value in the same form.
func Encode(w io.Writer, value any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err := w.Write(visible(out.Bytes()))
	return err
}

// A document is a report with the address of its schema.
type document struct {
	Schema string `json:"$schema"`
	reports.Report
}

// complete replaces nil lists: the schema wants a list, not null.
func complete(r reports.Report) reports.Report {
	list(&r.Target.Transports)
	list(&r.Target.Revisions)
	list(&r.Target.Eras)
	list(&r.Target.Extensions)
	list(&r.Verdict.Columns)
	list(&r.Suites)
	r.Rules = slices.Clone(r.Rules)
	list(&r.Rules)
	for i := range r.Rules {
		list(&r.Rules[i].Revisions)
	}
	r.Findings = slices.Clone(r.Findings)
	list(&r.Findings)
	for i := range r.Findings {
		list(&r.Findings[i].Requirements)
	}
	return r
}

func list[T any](s *[]T) {
	if *s == nil {
		*s = []T{}
	}
}

// visible escapes characters that encoding/json leaves raw. They all stand inside
// strings: elsewhere JSON has only ASCII and line breaks.
func visible(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		if c := data[0]; c < 0x7f {
			out, data = append(out, c), data[1:]
			continue
		}
		r, n := utf8.DecodeRune(data)
		switch {
		case unicode.IsPrint(r) && r != utf8.RuneError: // the encoder has escaped its replacement for broken UTF-8
			out = append(out, data[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		data = data[n:]
	}
	return out
}
