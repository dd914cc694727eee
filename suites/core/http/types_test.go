package http_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// TestAnswersOfAForeignType: a server that sends everything behind the handshake as plain
// text gets one finding.
func TestAnswersOfAForeignType(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
		Sessions: true, Message: func(w http.ResponseWriter, text string) {
			kind := "text/plain"
			if strings.Contains(text, `"protocolVersion":`) {
				kind = "application/json"
			}
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		},
	}}
	var told []string
	for _, f := range lawful.Judge(t, &plan.Local{Handler: server.Handler()}, lawful.WithoutLoad).Findings {
		if f.Status == reports.Fail || f.Status == reports.Warn {
			told = append(told, f.Case)
		}
	}
	if !slices.Equal(told, []string{"http/response-type"}) {
		t.Errorf("findings of %v", told)
	}
}

// TestErrorsOfAForeignType: a server that sends its errors with another Content-Type has
// one defect, and gets one finding.
func TestErrorsOfAForeignType(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]reports.Status{http.StatusOK: reports.Fail, http.StatusBadRequest: reports.Warn} {
		server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{
			Sessions: true, Message: func(w http.ResponseWriter, text string) {
				kind, status := "application/json", status
				if strings.Contains(text, `"error":{`) {
					kind = "text/html"
				} else {
					status = http.StatusOK
				}
				w.Header().Set("Content-Type", kind)
				w.WriteHeader(status)
				_, _ = io.WriteString(w, text)
			},
		}}
		report := lawful.Judge(t, &plan.Local{Handler: server.Handler()}, lawful.WithoutLoad)
		told := map[string]reports.Status{}
		for _, f := range report.Findings {
			if f.Status == reports.Fail || f.Status == reports.Warn {
				told[f.Case] = f.Status
			}
		}
		if len(told) != 1 || told["http/response-type"] != want {
			t.Errorf("with status %d: %v", status, told)
		}
	}
}
