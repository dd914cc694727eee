package http_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
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
