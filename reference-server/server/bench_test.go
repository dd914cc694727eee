package server_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// BenchmarkLists makes a server and reads its four lists to the end three times,
// as the cases of a trial do on a connection over stdio.
func BenchmarkLists(b *testing.B) {
	same := func(fault.Exchange, fault.Message) {}
	for _, row := range []struct {
		name  string
		fault *fault.Fault
	}{
		{"no fault", nil},
		{"reply", &fault.Fault{Reply: same}},
		{"list", &fault.Fault{List: func(_ fault.Exchange, items []fault.Message) []fault.Message { return items }}},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				readLists(b, row.fault)
			}
		})
	}
}

// BenchmarkNew makes a server, as each trial does.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := server.New(server.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRequests serves some requests over HTTP, without the network.
func BenchmarkRequests(b *testing.B) {
	s, err := server.New(server.Options{})
	if err != nil {
		b.Fatal(err)
	}
	handler := s.Handler()
	for _, row := range []struct{ method, name, params string }{
		{"server/discover", "", ""},
		{"tools/list", "", ""},
		{"tools/call", "find_berth", `"name":"find_berth","arguments":{"length":14}`},
		{"resources/read", "test://static-text", `"uri":"test://static-text"`},
	} {
		body := request(modern, "1", row.method, row.params)
		b.Run(row.method, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
				r.Header = http.Header{
					"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
					"Mcp-Protocol-Version": {modern}, "Mcp-Method": {row.method}, "Mcp-Name": {row.name},
				}
				w := httptest.NewRecorder()
				if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
}

func readLists(b *testing.B, f *fault.Fault) {
	s, err := server.New(server.Options{Fault: f})
	if err != nil {
		b.Fatal(err)
	}
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	go func() {
		s.ServeStdio(b.Context(), nil, stdin, stdout, io.Discard)
		_ = stdout.Close()
	}()
	answers := bufio.NewReader(out)
	ask := func(line string) string {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			b.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		return answer
	}
	for range 3 {
		for _, list := range []string{"tools", "resources", "resources/templates", "prompts"} {
			cursor := ""
			for {
				answer := ask(request(modern, "1", list+"/list", cursor))
				_, next, more := strings.Cut(answer, `"nextCursor":"`)
				if !more {
					break
				}
				next, _, _ = strings.Cut(next, `"`)
				cursor = `"cursor":"` + next + `"`
			}
		}
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, answers)
}
