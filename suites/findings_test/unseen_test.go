package findings_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
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
