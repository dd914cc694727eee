package jsonfile_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// endless repeats a text for ever and counts what is read of it.
type endless struct {
	text string
	read int64
}

func (e *endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = e.text[(e.read+int64(i))%int64(len(e.text))]
	}
	e.read += int64(len(into))
	return len(into), nil
}

// What has no end is not read for ever, and what cannot be a report only a little.
func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	for name, row := range map[string]struct {
		begin, again, want string
		most               int64
	}{
		"zeros":           {"", "\x00", "not a JSON object", 1 << 16},
		"text":            {"", "hello ", "not a JSON object", 1 << 16},
		"lists":           {"", "[", "not a JSON object", 1 << 16},
		"a long string":   {`{"format":1,"a":"`, "x", "more than 1048576 bytes", 2 * limit},
		"objects in each": {"", `{"a":`, "more than 1048576 bytes", 2 * limit},
		"blanks":          {"", " \n", "more than 1048576 bytes", 2 * limit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest := &endless{text: row.again}
			_, err := jsonfile.ReadWithin(io.MultiReader(strings.NewReader(row.begin), rest), limit)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			if rest.read > row.most {
				t.Errorf("%d bytes are read", rest.read)
			}
		})
	}
	deep := `{"format":1,"a":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + "}"
	if _, err := jsonfile.Read(strings.NewReader(deep)); err == nil || !strings.Contains(err.Error(), "not a JSON report") {
		t.Errorf("a deep report: %v", err)
	}
}

// A report is believed only where its verdict follows from its findings.
func TestReadRefusesContradictions(t *testing.T) {
	t.Parallel()
	passing, failing := samples.Pass, samples.EveryStatus
	first := func(r *reports.Report, as reports.Status, why *reports.Reason) {
		f := &r.Findings[0]
		f.Status, f.Reason, f.Problem = as, why, "x"
	}
	for name, row := range map[string]struct {
		of     func() reports.Report
		change func(*reports.Report)
		want   string
	}{
		"pass": {failing, func(r *reports.Report) { r.Verdict.Status = reports.Passed }, "the verdict is pass with exit code 1, and findings fail: 8"},
		"pass and its code": {failing, func(r *reports.Report) { r.Verdict.Status, r.Verdict.ExitCode = reports.Passed, 0 },
			"the verdict is pass with exit code 0, and findings fail: 8"},
		"the code":     {failing, func(r *reports.Report) { r.Verdict.ExitCode = 0 }, "the verdict is fail with exit code 0"},
		"unjudged":     {failing, func(r *reports.Report) { r.Verdict.Status, r.Verdict.ExitCode = reports.Unjudged, 3 }, "findings fail: 8"},
		"failed and 0": {passing, func(r *reports.Report) { r.Verdict.Status = reports.Failed }, "the verdict is fail with exit code 0"},
		"the grade":    {failing, func(r *reports.Report) { r.Verdict.Columns[0].Grade = "Full" }, `is "Full", and its findings allow ""`},
		"the counts": {failing, func(r *reports.Report) { r.Verdict.Columns[0].Counts.Fail = 0 },
			"the counts of 2025-11-25 over stdio are not those of its findings"},
		"no column":       {failing, func(r *reports.Report) { r.Verdict.Columns = nil }, "does not count the findings of 2025-11-25 over stdio"},
		"the suite":       {passing, func(r *reports.Report) { r.Suites[0].Counts.Pass = 99 }, `the counts of the suite "`},
		"a finding":       {passing, func(r *reports.Report) { first(r, reports.Fail, nil) }, "exit code 0, and findings fail: 1"},
		"an error":        {passing, func(r *reports.Report) { first(r, reports.Error, nil) }, "cases could not be judged: 1"},
		"strict warnings": {passing, func(r *reports.Report) { r.Run.Strict = true; first(r, reports.Warn, nil) }, "the run was strict"},
		"not judged":      {passing, func(r *reports.Report) { first(r, reports.Skip, &reports.Reason{Kind: reports.Blocked}) }, "was not judged"},
		"cut short": {passing, func(r *reports.Report) {
			first(r, reports.Skip, &reports.Reason{Kind: reports.Interrupted})
			r.Findings[0].Level = requirements.Should
		}, "the run was cut short"},
		"an extension": {passing, func(r *reports.Report) {
			r.Verdict.Extensions = []reports.ExtensionVerdict{{Name: "x", Claim: "weak", Status: reports.Passed}}
		}, `the verdict on the extension "x" does not follow`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := row.of()
			row.change(&r)
			if _, err := jsonfile.Read(bytes.NewReader(written(t, r))); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}
