package stderrfile_test

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/stderrfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t *testing.T, r reports.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := stderrfile.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	r := samples.EveryStatus()
	trace := "/srv/index.js:6\n\tthrow new Error()\n\nError: bööm\r\n" + strings.Repeat("    at f (index.js:1:1)\n", 10) + "\nNode.js v22.1.0"
	for i, f := range r.Findings {
		switch f.Case {
		case "stdio/survives-text":
			r.Findings[i].Stderr = trace
		case "stdio/survives-half":
			r.Findings[i].Stderr = "another end\n"
		case "stdio/survives-odd":
			r.Findings[i].Stderr = trace
		case "stdio/survives-empty":
			r.Findings[i].Stderr = " \n"
		}
	}
	golden.Compare(t, "every-status.txt", written(t, r), *update)
	u := samples.Unjudged()
	u.Stderr = "Error: Cannot find module 'dist/index.js'\n"
	golden.Compare(t, "unjudged.txt", written(t, u), *update)
	for _, s := range samples.All() {
		if got := written(t, s.Report); len(got) > 0 {
			t.Errorf("%s: nothing was said, and %q is written", s.Name, got)
		}
	}
}

func TestNothingActsOnTheTerminal(t *testing.T) {
	r := samples.Hostile()
	for i := range r.Findings {
		r.Findings[i].Stderr = samples.Evil + strings.Repeat("x", i)
	}
	for _, c := range string(written(t, r)) {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Fatalf("%U stands in the file", c)
		}
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	r := samples.Unjudged()
	r.Stderr = "words"
	if err := stderrfile.Write(full{}, r); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}
