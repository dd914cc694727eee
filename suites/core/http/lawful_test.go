package http_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	at := func(name string, h fakeserver.HTTP) lawful.Row {
		return lawful.Row{Name: name, Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), HTTP: h}, Over: requirements.HTTP}
	}
	judged := func(row lawful.Row, id string) lawful.Row {
		row.Judged = []string{id}
		return row
	}
	plain := func(name string, h fakeserver.HTTP) lawful.Row {
		row := at(name, h)
		row.Server.Tools = fakeserver.Tools(2)
		return row
	}
	var mixed atomic.Int64
	lawful.Servers(t, "http", []lawful.Row{
		plain("event streams", fakeserver.HTTP{Events: true}),
		plain("sessions", fakeserver.HTTP{Sessions: true}),
		plain("errors with status 400", fakeserver.HTTP{Status: http.StatusBadRequest}),
		plain("content type with a charset", fakeserver.HTTP{ContentType: "application/json; charset=utf-8"}),
		plain("odd but visible session ids", fakeserver.HTTP{
			Sessions: true, SessionID: `!"#$%&'()*+,-./09:;<=>?@AZ[\]^_` + "`az{|}~",
		}),
		at("a gateway without an upstream", fakeserver.HTTP{Before: refusing(http.StatusBadGateway, "tools/call")}),
		at("a gateway that waits in vain", fakeserver.HTTP{Before: refusing(http.StatusGatewayTimeout, "tools/call")}),
		at("a gateway without patience", fakeserver.HTTP{Before: refusing(http.StatusRequestTimeout, "tools/call")}),
		at("a missing session id is a missing credential", fakeserver.HTTP{Sessions: true, Missing: http.StatusUnauthorized}),
		at("sessions that nobody has to name", fakeserver.HTTP{Sessions: true, Free: true}),
		at("sessions that clients cannot end", fakeserver.HTTP{Sessions: true, NoDelete: true}),
		at("an unknown session is a bad request", fakeserver.HTTP{Sessions: true, NoDelete: true, NotFound: http.StatusBadRequest}),
		at("notifications and responses are not accepted", fakeserver.HTTP{Before: refusing(http.StatusBadRequest,
			"notifications/cancelled", "notifications/progress", "notifications/x-unknown", "")}),
		at("JSON and event streams by turns", fakeserver.HTTP{Message: func(w http.ResponseWriter, text string) {
			if mixed.Add(1)%2 == 0 {
				asEvents(w, text)
				return
			}
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, text)
		}}),
		at("comments, empty events and events of its own", fakeserver.HTTP{Message: asEvents, Get: listens, Sessions: true}),
		at("chunks that end anywhere", fakeserver.HTTP{Message: func(w http.ResponseWriter, text string) {
			w.Header().Set("Content-Type", "application/json")
			for i := 0; i < len(text); i += 7 {
				_, _ = io.WriteString(w, text[i:min(i+7, len(text))])
				_ = http.NewResponseController(w).Flush()
			}
		}}),
		at("event ids, and nothing is replayed", fakeserver.HTTP{Sessions: true, Get: listens, Message: identified(&mixed)}),
		judged(at("one stream for every GET, told from its beginning", fakeserver.HTTP{
			Sessions: true, Get: fromBeginning, Message: identified(&mixed),
		}), "http/event-id-unique"),
		at("one stream by GET at a time", fakeserver.HTTP{Sessions: true, Get: single(refuseMethod), Events: true}),
		judged(at("one stream for all clients, and a conflict", fakeserver.HTTP{Get: single(conflict), Events: true}), "http/get-stream-or-405"),
	})
}

// refusing answers some methods by an HTTP status only.
func refusing(status int, methods ...string) func(http.ResponseWriter, []byte) bool {
	return func(w http.ResponseWriter, body []byte) bool {
		var r fakeserver.Request
		if json.Unmarshal(body, &r) != nil || !slices.Contains(methods, r.Method) {
			return false
		}
		w.WriteHeader(status)
		return true
	}
}

// asEvents answers by a stream that contains everything that may stand in a stream beside
// messages.
func asEvents(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = fmt.Fprintf(w, ": hello\n\n:\n\nretry: 5000\n\nevent: ping\ndata: 1\n\ndata:\n\nevent: message\r\ndata: %s\r\n\r\n: bye\n\n", text)
}

// identified answers by streams whose events have ids; the first event has empty data.
func identified(numbers *atomic.Int64) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "id: e%d\ndata:\n\nid: e%d\ndata: %s\n\n", numbers.Add(1), numbers.Add(1), text)
	}
}

// listens opens a stream that brings only comments.
func listens(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ": listening\n\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// fromBeginning opens a stream that brings its first event whenever it is opened.
func fromBeginning(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "id: listening-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/harbour/open\"}\n\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// single allows one such stream at a time for all of its clients.
func single(refuse http.HandlerFunc) http.HandlerFunc {
	var busy atomic.Bool
	return func(w http.ResponseWriter, r *http.Request) {
		if !busy.CompareAndSwap(false, true) {
			refuse(w, r)
			return
		}
		defer busy.Store(false)
		listens(w, r)
	}
}

func refuseMethod(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", "POST, DELETE")
	http.Error(w, "there is a stream already", http.StatusMethodNotAllowed)
}

func conflict(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "only one stream is allowed", http.StatusConflict)
}
