package http_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestRepeatedEventIDsAreShown: a finding about event ids shows the ids of both events.
func TestRepeatedEventIDsAreShown(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
		Sessions: true, Message: func(w http.ResponseWriter, text string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "id: first\ndata: %s\n\n", text)
		},
	}}
	report := judgedHere(t, config.Default(), server.Handler(), "http/event-id-unique", "http/stream-closed", "tools/list-answered")
	want(t, report, "http/event-id-unique", reports.Fail, `"first" is the id of two events`)
	shown := 0
	for _, f := range report.Findings {
		for _, frame := range f.Frames {
			if f.Case == "http/event-id-unique" && strings.Contains(frame.Text, "id: first\ndata: {") {
				shown++
			}
		}
	}
	if shown != 2 {
		t.Errorf("%d events with their ids are shown, want 2", shown)
	}
}

// TestToldFromBeginning: a server that has one stream for every GET may begin it anew each time;
// then an event comes again under its id. Another event must not have the id.
func TestToldFromBeginning(t *testing.T) {
	t.Parallel()
	const roles = "roles: {client-request: {sampling: {tool: tool_0}, roots: {tool: tool_0}, elicitation: {tool: tool_0}}}"
	for _, row := range []struct {
		name string
		data func(opened int64) string
		want reports.Status
	}{
		{"the same event again", func(int64) string { return "notifications/harbour/open" }, reports.Pass},
		{"another event", func(opened int64) string { return fmt.Sprintf("notifications/harbour/open/%d", opened) }, reports.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Parse(config.FileName, []byte(roles), func(string) (string, bool) { return "", false }, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			var opened atomic.Int64
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1), HTTP: fakeserver.HTTP{
				Sessions: true, Get: func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = fmt.Fprintf(w, "id: listening-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":%q}\n\n", row.data(opened.Add(1)))
					_ = http.NewResponseController(w).Flush()
					<-r.Context().Done()
				},
			}}
			report := proof.Judged(t, plan.Plan{Config: cfg, Local: &plan.Local{Handler: server.Handler()}, Jobs: 1, Selected: func(
				_ suite.Suite, c suite.Case,
			) bool {
				return strings.HasSuffix(c.ID, "/only-if-declared") || c.ID == "http/event-id-unique"
			}})
			if opened.Load() < 2 {
				t.Fatalf("%d streams were opened by GET, want several", opened.Load())
			}
			want(t, report, "http/event-id-unique", row.want, "")
		})
	}
}
