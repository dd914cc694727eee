package text_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t *testing.T, r reports.Report, opts text.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := text.Write(&out, r, opts); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			golden.Compare(t, s.Name+".txt", written(t, s.Report, text.Options{}), *update)
		})
	}
	every := samples.EveryStatus()
	golden.Compare(t, "every-status-verbose.txt", written(t, every, text.Options{Verbose: true}), *update)
	golden.Compare(t, "every-status-narrow.txt", written(t, every, text.Options{Width: 60}), *update)
	golden.Compare(t, "every-status-color.txt", written(t, every, text.Options{Color: true}), *update)
}

func TestHuge(t *testing.T) {
	got := written(t, samples.Huge(), text.Options{})
	lines := strings.SplitAfter(string(got), "\n")
	short := fmt.Sprintf("%d bytes, %d lines, sha256 %x\n\n%s", len(got), len(lines), sha256.Sum256(got), strings.Join(lines[:20], ""))
	golden.Compare(t, "huge.txt", []byte(short), *update)
}

// Links, commands and the place of a finding are never broken; all other lines keep to
// the width.
func TestWidth(t *testing.T) {
	for _, width := range []int{60, 100, 160} {
		for _, s := range samples.All() {
			for line := range strings.Lines(string(written(t, s.Report, text.Options{Width: width}))) {
				line = strings.TrimSuffix(line, "\n")
				whole := strings.Contains(line, "https://") || strings.HasPrefix(line, "  again")
				escapes := strings.Count(line, `\x23#`) + strings.Count(line, `\x3a:`)
				if got := layout.Width(line) - 3*escapes; got > width && !whole {
					t.Errorf("%s: %d columns, want at most %d: %s", s.Name, got, width, line)
				}
			}
		}
	}
}

func TestNothingActsOnTheTerminal(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		got := string(written(t, samples.Hostile(), text.Options{Verbose: verbose}))
		for _, r := range got {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%U stands in the report", r)
			}
		}
	}
}

// At every line break, the next line is neither a command to the log of a build nor a
// line of ours.
func TestNothingActsInTheLogOfABuild(t *testing.T) {
	commands := regexp.MustCompile(`##(vso|teamcity)?\[`)
	for width := 40; width < 140; width++ {
		for _, opts := range []text.Options{{Width: width}, {Width: width, Verbose: true}, {Width: width, Color: true}} {
			for line := range strings.Lines(string(written(t, samples.Hostile(), opts))) {
				if strings.HasPrefix(strings.TrimLeft(line, " \t"), "::") || commands.MatchString(line) ||
					strings.HasPrefix(line, "FAIL  forged") {
					t.Fatalf("%+v: a line of the server passes for one of ours: %q", opts, line)
				}
			}
		}
	}
}

func TestSameReportSameBytes(t *testing.T) {
	opts := text.Options{Color: true, Verbose: true}
	if !bytes.Equal(written(t, samples.EveryStatus(), opts), written(t, samples.EveryStatus(), opts)) {
		t.Error("two writings differ")
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	if err := text.Write(full{}, samples.Pass(), text.Options{}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}

// Ten megabytes in every text of a server take a few lines each.
func TestLargeStaysReadable(t *testing.T) {
	got := written(t, samples.Large(), text.Options{Width: 80})
	if lines := bytes.Count(got, []byte("\n")); len(got) > 32<<10 || lines > 250 {
		t.Errorf("%d bytes in %d lines", len(got), lines)
	}
}
