package hostile_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/badge"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/reports/junit"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// worded drops the findings that no server can influence: passes without notes, and
// skips for a reason that the kit knows by itself. They are most of a report, and are
// written alike for every server. The others are counted again.
func worded(t *testing.T, r reports.Report) reports.Report {
	t.Helper()
	own := []reports.ReasonKind{reports.NotClaimed, reports.NotDeclared, reports.OtherTransport, reports.NoRole}
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f reports.Finding) bool {
		silent := f.Status == reports.Pass || f.Status == reports.Skip && slices.Contains(own, f.Reason.Kind)
		return silent && f.Problem == "" && len(f.Notes) == 0 && len(f.Frames) == 0 && f.Stderr == ""
	})
	r, _, err := reports.Merge([]reports.Part{{Report: r}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// survives writes a report in every form and looks for texts that would act on a reader.
func survives(t *testing.T, whole reports.Report) {
	t.Helper()
	r := worded(t, whole)
	write := func(name string, writer func(io.Writer) error) []byte {
		var b bytes.Buffer
		if err := writer(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return b.Bytes()
	}
	for name, opts := range map[string]text.Options{
		"text": {}, "verbose text": {Verbose: true}, "narrow text": {Width: 40}, "colored text": {Color: true, Verbose: true},
	} {
		written := write(name, func(w io.Writer) error { return text.Write(w, r, opts) })
		if opts.Color {
			written = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAll(written, nil)
		}
		wantHarmless(t, name, written)
	}
	var brief strings.Builder
	for _, f := range r.Findings {
		brief.WriteString(text.Brief(f, 0, false) + "\n")
	}
	wantHarmless(t, "brief text", []byte(brief.String()))

	file := write("junit", func(w io.Writer) error { return junit.Write(w, r, junit.Options{}) })
	wantHarmless(t, "junit", file)
	wantElements(t, "junit", file, "testsuites testsuite properties property testcase failure error skipped system-out system-err")
	data := write("json", func(w io.Writer) error { return jsonfile.Write(w, r) })
	wantHarmless(t, "json", data)
	if _, err := jsonfile.Read(bytes.NewReader(data)); err != nil {
		t.Errorf("json: what was written does not fit its schema: %v", err)
	}
	picture := write("badge", func(w io.Writer) error { return badge.SVG(w, r.Verdict) })
	wantHarmless(t, "badge", picture)
	wantElements(t, "badge", picture, "svg title linearGradient stop clipPath rect g text")
	endpoint := write("endpoint", func(w io.Writer) error { return badge.Endpoint(w, r.Verdict) })
	wantHarmless(t, "endpoint", endpoint)
	if !json.Valid(endpoint) {
		t.Errorf("endpoint: %s is no JSON", endpoint)
	}
}

// wantHarmless looks for texts that a terminal or the log of a build server obeys.
func wantHarmless(t *testing.T, name string, written []byte) {
	t.Helper()
	if !utf8.Valid(written) {
		t.Errorf("%s: there are bytes that are not UTF-8", name)
	}
	for line := range strings.Lines(string(written)) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s: %q acts on the terminal", name, around(line, i))
			return
		}
		start := strings.TrimLeft(line, " \t")
		for _, command := range []string{"::", "##[", "##vso[", "##teamcity["} {
			if strings.HasPrefix(start, command) {
				t.Errorf("%s: a build server obeys %q", name, around(line, 0))
				return
			}
		}
	}
}

func around(line string, at int) string { return line[max(0, at-40):min(len(line), at+40)] }

// wantElements checks that a document has only the elements of its form, so that no text
// of the server has become markup.
func wantElements(t *testing.T, name string, document []byte, known string) {
	t.Helper()
	elements := map[string]bool{}
	for element := range strings.FieldsSeq(known) {
		elements[element] = true
	}
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if start, ok := token.(xml.StartElement); ok && !elements[start.Name.Local] {
			t.Errorf("%s: there is an element %s", name, start.Name.Local)
		}
	}
}
