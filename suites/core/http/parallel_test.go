package http_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// A crossing exchanges the answers of calls that come at the same time, with their ids or
// without.
type crossing struct {
	inner http.Handler
	ids   bool
	mu    sync.Mutex
	last  *exchanged
}

type exchanged struct {
	text  string
	other string
}

func (x *crossing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked fakeserver.Request
	if json.Unmarshal(body, &asked) != nil || asked.Method != "tools/call" {
		x.inner.ServeHTTP(w, r)
		return
	}
	own := httptest.NewRecorder()
	x.inner.ServeHTTP(own, r)
	mine := &exchanged{text: own.Body.String()}
	x.mu.Lock()
	if before := x.last; before != nil {
		before.other, mine.other = mine.text, before.text
	}
	x.last = mine
	x.mu.Unlock()
	time.Sleep(5 * time.Millisecond)
	x.mu.Lock()
	if x.last == mine {
		x.last = nil
	}
	text := mine.text
	if mine.other != "" {
		text = mine.other
	}
	x.mu.Unlock()
	var answer map[string]any
	if !x.ids && json.Unmarshal([]byte(text), &answer) == nil {
		answer["id"] = asked.ID
		with, _ := json.Marshal(answer)
		text = string(with)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(own.Code)
	_, _ = io.WriteString(w, text)
}

// TestCrossedAnswers: each of two calls at the same time gets the answer to the other one.
func TestCrossedAnswers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		crosses bool
		ids     bool
		want    reports.Status
		says    string
	}{
		{"as they are", false, false, reports.Pass, ""},
		{"with their ids", true, true, reports.Fail, "is the response to tools/call"},
		{"with the ids of the requests", true, false, reports.Fail, "gets the result of tools/call"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
				HTTP: fakeserver.HTTP{Sessions: true}}
			server.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
				name, _ := r.Params["name"].(string)
				return fakeserver.Text(strings.ToUpper(name))
			}}
			handler := server.Handler()
			if row.crosses {
				handler = &crossing{inner: handler, ids: row.ids}
			}
			want(t, judgedHere(t, config.Default(), handler, "http/parallel-answers"), "http/parallel-answers", row.want, row.says)
		})
	}
}
