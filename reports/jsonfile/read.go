package jsonfile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/mcp-conform/mcp-conform/reports"
)

// ErrFormat is the error of a report in another format.
var ErrFormat = errors.New("unknown report format")

// Limit is the most bytes that are read of a report.
const Limit = 256 << 20

// Read reads a report written by this version of the format. It skips unknown keys; an
// unknown value is an error that names its place. It believes no report that contradicts
// itself, and reads no more than Limit.
func Read(r io.Reader) (reports.Report, error) { return readWithin(r, Limit) }

func readWithin(r io.Reader, limit int64) (reports.Report, error) {
	data, err := load(r, limit)
	if err != nil {
		return reports.Report{}, err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return reports.Report{}, fmt.Errorf("not a JSON report: %w", located(data, err))
	}
	if err := checkFormat(tree); err != nil {
		return reports.Report{}, err
	}
	if err := validate(tree); err != nil {
		return reports.Report{}, fmt.Errorf("not a report of format %d: %w", reports.Format, err)
	}
	var report reports.Report
	if err := json.Unmarshal(data, &report); err != nil {
		return reports.Report{}, fmt.Errorf("not a report of format %d: %w", reports.Format, err)
	}
	if wrong := reports.Contradiction(report); wrong != "" {
		return reports.Report{}, fmt.Errorf("the report contradicts itself, so it is not as a run wrote it: %s", wrong)
	}
	return report, nil
}

// load reads all of a report. What does not begin like one may have no end, so it is not
// read further.
func load(r io.Reader, limit int64) ([]byte, error) {
	in := bufio.NewReader(io.LimitReader(r, limit+1))
	begin, _ := in.Peek(in.Size()) // ReadAll returns the error again
	if begin = bytes.TrimLeft(begin, " \t\r\n"); len(begin) > 0 && begin[0] != '{' {
		return nil, notObject()
	}
	data, err := io.ReadAll(in)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read report: %w", err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("it has more than %d bytes, the most that is read of a report", limit)
	}
	return data, nil
}

func notObject() error { return fmt.Errorf("%w: the file is not a JSON object", ErrFormat) }

// checkFormat goes first: in a file of another format, all other faults are
// consequences.
func checkFormat(tree any) error {
	object, ok := tree.(map[string]any)
	if !ok {
		return notObject()
	}
	got, ok := object["format"].(json.Number)
	if !ok {
		return fmt.Errorf("%w: the key \"format\" with a number is missing, so this is not a report of mcp-conform", ErrFormat)
	}
	if _, servers := object["servers"].([]any); servers && object["findings"] == nil {
		return errors.New("this is the index of a fleet; the reports of its servers are servers/NAME/report.json")
	}
	if got.String() != fmt.Sprint(reports.Format) {
		return fmt.Errorf("%w %s, this version reads format %d", ErrFormat, got, reports.Format)
	}
	return nil
}

func validate(tree any) error {
	schema, err := compiled()
	if err != nil {
		return err
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(tree); errors.As(err, &invalid) {
		return errors.New(first(invalid))
	}
	return nil
}

//nolint:gochecknoglobals // the schema never changes, and compiling it takes longer than judging most reports by it
var compiled = sync.OnceValues(compile)

func compile() (*jsonschema.Schema, error) {
	const name = "report.schema.json"
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(reports.Schema()))
	if err != nil {
		return nil, fmt.Errorf("read the report schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("add the report schema: %w", err)
	}
	return c.Compile(name)
}

// first states one fault that the validator found, the same one each time: it finds them
// in the order of a map. The other faults often follow from it.
func first(e *jsonschema.ValidationError) string {
	printer := message.NewPrinter(language.English)
	says := func(e *jsonschema.ValidationError) string {
		return fmt.Sprintf("at /%s: %s", strings.Join(e.InstanceLocation, "/"), e.ErrorKind.LocalizedString(printer))
	}
	for len(e.Causes) > 0 {
		e = slices.MinFunc(e.Causes, func(a, b *jsonschema.ValidationError) int {
			return cmp.Or(cmp.Compare(says(a), says(b)), cmp.Compare(a.SchemaURL, b.SchemaURL))
		})
	}
	return says(e)
}

// located adds line and column to a syntax error.
func located(data []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}
