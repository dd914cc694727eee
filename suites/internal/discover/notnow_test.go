package discover_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A gateway that says "not now" both times leaves it open whether the revision is spoken.
func TestNotNow(t *testing.T) {
	t.Parallel()
	s := &fakeserver.Server{Revisions: []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}}
	s.HTTP.Before = func(w http.ResponseWriter, body []byte) bool {
		turned := strings.Contains(string(body), "2025-06-18")
		if turned {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return turned
	}
	found, err := overHTTP(t, s).Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close(t.Context())
	if want := []discover.NotNow{{Revision: "2025-06-18", Status: 503}}; !slices.Equal(found.NotNow, want) || len(found.Revisions()) != 3 {
		t.Errorf("%v, and the revisions %v", found.NotNow, found.Revisions())
	}
	if doubts := found.Doubts(true, true); len(doubts) != 1 || !strings.Contains(doubts[0], "2025-06-18 is not known, since HTTP status 503") {
		t.Error(doubts)
	}
	if doubts := found.Doubts(false, true); len(doubts) > 0 {
		t.Errorf("the newest revision is spoken, and yet: %s", doubts)
	}
	text := discover.NotSpoken(t.Context(), []string{"2025-06-18"}, []*discover.Found{found})
	if !strings.Contains(text, `"not now" when it was asked for 2025-06-18`) {
		t.Error(text)
	}
}

// What a gateway says in JSON is no error of the server.
func TestGatewayInJSON(t *testing.T) {
	t.Parallel()
	s := &fakeserver.Server{}
	s.HTTP.Before = func(w http.ResponseWriter, _ []byte) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"error":"no upstream is ready"}`))
		return true
	}
	found, err := overHTTP(t, s).Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close(t.Context())
	text := found.Unspoken()
	if !strings.Contains(text, "HTTP status 503") || !strings.Contains(text, "no upstream is ready") {
		t.Error(text)
	}
	if advice := discover.Advice(requirements.HTTP, text, ""); !strings.Contains(advice, "try again later") {
		t.Error(advice)
	}
}
