package hostile_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"time"
)

// bodies are HTTP answers with a hostile body.
func bodies() []animal {
	return []animal{
		{name: "HTML with status 200 for everything", handler: always(200, "<!doctype html><script>alert(1)</script>"+evil, "Content-Type", "text/html"), exit: []int{3}},
		{name: "HTML that says it is JSON", handler: always(200, "<!doctype html><script>alert(1)</script>", "Content-Type", "application/json"), exit: []int{3}},
		{name: "500 with an attack for everything", handler: always(500, evil, "Content-Type", "text/plain"), exit: []int{3}},
		{name: "204 for everything", handler: always(204, ""), exit: []int{3}},
		{name: "nothing, with status 200, for everything", handler: always(200, "", "Content-Type", "application/json"), exit: []int{3}},
		{name: "an attack in the content type", handler: always(200, "{}", "Content-Type", "application/json; charset=\"</script>]]>\"; x=::error::"), exit: []int{3}},
		{name: "a gzip bomb", handler: always(200, bomb(), "Content-Type", "application/json", "Content-Encoding", "gzip"), exit: []int{3}},
		{name: "endless JSON", handler: over(func(w http.ResponseWriter, _ *http.Request, _ int, _ string) {
			w.Header().Set("Content-Type", "application/json")
			for text := `{"jsonrpc":"2.0","id":1,"result":{"a":"`; push(w, text); text = strings.Repeat("a", 16<<10) {
			}
		}), exit: []int{3}},
		{name: "endless JSON after the handshake", handler: over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			if strings.Contains(body, "protocolVersion") || body == "" {
				plainly(w, status, body)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			for text := `{"jsonrpc":"2.0","id":1,"result":{"a":"`; push(w, text); text = strings.Repeat("a", 16<<10) {
			}
		}), exit: []int{1, 3}},
		{name: "endless blanks before the JSON", handler: over(func(w http.ResponseWriter, _ *http.Request, _ int, _ string) {
			w.Header().Set("Content-Type", "application/json")
			for push(w, strings.Repeat(" \n", 8<<10)) {
			}
		}), exit: []int{3}},
		{name: "a drip-fed body", handler: over(drip), exit: []int{3}},
		{name: "hangs after the head", handler: over(func(w http.ResponseWriter, r *http.Request, _ int, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}), exit: []int{3}},
		{name: "hangs before the head", handler: over(func(_ http.ResponseWriter, r *http.Request, _ int, _ string) { <-r.Context().Done() }), exit: []int{3}},
		{name: "two messages in one body", handler: over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			plainly(w, status, body+body)
		}), exit: []int{1}, says: "http/json-single-object"},
		{name: "a body behind 202", handler: over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			if body == "" {
				body = `{"jsonrpc":"2.0","id":1,"result":{}}`
			}
			plainly(w, status, body)
		}), exit: []int{0, 1}},
		{name: "UTF-16 in JSON", handler: over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			w.Header().Set("Content-Type", "application/json; charset=utf-16")
			plainly(w, status, strings.Join(strings.Split(body, ""), "\x00"))
		}), exit: []int{3}},
		{name: "a byte order mark before each body", handler: over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			plainly(w, status, strings.Replace(body, "{", "\xef\xbb\xbf{", 1))
		}), exit: []int{0}, says: "jsonrpc/utf8"},
	}
}

// bomb is some KiB that unpack to 16 MiB.
func bomb() string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range 16 {
		_, _ = w.Write(block) // writing to memory cannot fail
	}
	_ = w.Close()
	return b.String()
}

// drip sends a body byte by byte.
func drip(w http.ResponseWriter, r *http.Request, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	for i := range body {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
		if !push(w, body[i:i+1]) {
			return
		}
	}
}
