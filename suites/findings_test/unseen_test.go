package findings_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestCasesSayWhyTheyDoNotApply: the reason of a case that looked by itself says what is so,
// and not that it was not seen.
func TestCasesSayWhyTheyDoNotApply(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1)}
	report := proof.Judge(t, suites.Plan{
		Config: config.Default(), Local: &suites.Local{Serve: server.Serve}, Seed: 1, Timeout: 20 * time.Second, Selected: lawful.Contents,
	})
	want := map[string]string{
		"errors/undeclared-tools": "does not apply: the server declares tools",
		"icons/theme":             "not seen: an icon with a theme",
	}
	for _, f := range report.Findings {
		text, ok := want[f.Case]
		if delete(want, f.Case); ok && (f.Reason == nil || f.Reason.String() != text) {
			t.Errorf("%s is %s %v, want %s", f.Case, f.Status, f.Reason, text)
		}
	}
	if len(want) > 0 {
		t.Errorf("not judged: %v", want)
	}
}

// A watcher that saw nothing says what it looked for.
func TestWatchersSayWhatWasNotSeen(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1)}
	report := proof.Judge(t, suites.Plan{
		Config: config.Default(), Local: &suites.Local{Serve: server.Serve}, Seed: 1, Timeout: 20 * time.Second, Selected: lawful.Contents,
	})
	want := map[string]string{
		"icons/theme": "an icon with a theme", "meta/object": "_meta in a message of the server",
		"tools/image-content": "content of the type image", "security/no-internals-in-logs": "a log message", "schema/annotations": "annotations of content",
		"tools/list-changed-schema": "notifications/tools/list_changed",
	}
	for _, f := range report.Findings {
		text, ok := want[f.Case]
		if delete(want, f.Case); ok && (f.Reason == nil || f.Reason.Kind != reports.NotSeen || f.Reason.Text != text) {
			t.Errorf("%s is %s %v, want not seen: %s", f.Case, f.Status, f.Reason, text)
		}
	}
	if len(want) > 0 {
		t.Errorf("not judged: %v", want)
	}
}

// A prompt that does not come shows nothing of what became of its argument, and the next value would not show more.
func TestPromptsThatDoNotCome(t *testing.T) {
	t.Parallel()
	for _, caseID := range []string{"prompts/template-hash", "prompts/path-dots"} {
		t.Run(caseID, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			server := &fakeserver.Server{
				Capabilities: fakeserver.Offers("prompts"),
				Prompts:      []map[string]any{{"name": "greet", "arguments": []any{map[string]any{"name": "who"}, map[string]any{"name": "when"}}}},
				Answer: fakeserver.Answers{"prompts/get": func(fakeserver.Request) any {
					asked.Add(1)
					return fakeserver.Silence{}
				}},
			}
			report := proof.Judge(t, suites.Plan{
				Config: config.Default(), Local: &suites.Local{Serve: server.Serve}, Seed: 1, Timeout: 300 * time.Millisecond,
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == caseID },
			})
			for _, f := range report.Findings {
				if f.Case == caseID && (f.Reason == nil || f.Reason.Kind != reports.Undecided || !strings.Contains(f.Reason.Text, "no answer")) {
					t.Errorf("got %s %v, want it undecided, since no prompt came", f.Status, f.Reason)
				}
			}
			if n := asked.Load(); n > 2 {
				t.Errorf("the prompt was asked for %d times", n)
			}
		})
	}
}
