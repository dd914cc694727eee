package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// crash is the end of a process that said something, with a secret hidden.
func crash(stderr string) frame.Frame {
	f := frame.New(frame.Received, frame.KindEnd, nil)
	f.End = &frame.End{Exited: true, ExitCode: 1, Stderr: stderr}
	return f.Redacted(func(s string) string { return strings.ReplaceAll(s, "hush-hush", "[redacted]") })
}

// The last ten lines of a crash stand in its finding, and secrets are hidden
// before anything is cut.
func TestEvidenceOfACrash(t *testing.T) {
	var said []string
	for i := range 30 {
		said = append(said, fmt.Sprintf("line %d", i))
	}
	said[25] = "the key is hush-hush"
	said[27] = strings.Repeat("x", widthOfLine*3/4-4) + "hush-hush" + strings.Repeat("y", 50_000)
	got := Frames([]frame.Frame{crash(strings.Join(said, "\n") + "\n")})
	if len(got) != 1 || got[0].Kind != "end" {
		t.Fatalf("got %+v, want one frame, an end", got)
	}
	lines := strings.Split(got[0].Text, "\n")
	cut := lines[9]
	lines[9] = "..."
	want := []string{"exited with code 1", "stderr, the last 10 lines:", "line 20", "line 21", "line 22", "line 23", "line 24",
		"the key is [redacted]", "line 26", "...", "line 28", "line 29"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(cut) > widthOfLine+40 || strings.Contains(cut, "hush") {
		t.Errorf("a long line is shown as %s", cut)
	}
}

func TestEvidenceOfAShortCrash(t *testing.T) {
	usage := strings.Repeat("  --flag\n", 10)
	for stderr, want := range map[string]string{
		"":            "exited with code 1",
		"boom\n":      "exited with code 1\nstderr: boom",
		"why\n\tat\n": "exited with code 1\nstderr, the last 2 lines:\nwhy\n    at",
		"Error: no port\n" + usage: "exited with code 1\nstderr, the last line that names an error, and the last 10 lines:\n" +
			"Error: no port\n" + strings.TrimSuffix(usage, "\n"),
	} {
		if got := Frames([]frame.Frame{crash(stderr)})[0].Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestStderrOfFindingsIsBounded(t *testing.T) {
	var s Stderr
	message := frame.New(frame.Sent, frame.KindMessage, []byte("{}"))
	if got := s.Of([]frame.Frame{message}); got != "" {
		t.Errorf("a finding without an end has %q", got)
	}
	if got := s.Of([]frame.Frame{message, crash("the key is hush-hush\n")}); got != "the key is [redacted]\n" {
		t.Errorf("got %q", got)
	}
	long := strings.Repeat("a line that is neither short nor long\n", 1<<10)
	kept := 0
	for range 2 * stderrOfRuns / len(long) {
		kept += len(s.Of([]frame.Frame{crash(long)}))
	}
	if kept > stderrOfRuns+stderrOfRuns/4 {
		t.Errorf("%d bytes are kept, want about %d", kept, stderrOfRuns)
	}
	if got := s.Of([]frame.Frame{crash(long)}); !strings.HasPrefix(got, "(cut: ") || !strings.HasSuffix(got, "nor long") {
		t.Errorf("beyond the bound, a finding keeps %q", got)
	}
}
