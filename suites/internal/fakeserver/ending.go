package fakeserver

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
)

// Ending listens, and ends at the first request whose body fits, as a process that crashes does.
// The caller closes it.
func Ending(inner http.Handler, fits func(body []byte) bool) *httptest.Server {
	var listening *httptest.Server
	var over atomic.Bool // other connections may take a while to close
	listening = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Body = io.NopCloser(bytes.NewReader(body)); !over.Load() && !fits(body) {
			inner.ServeHTTP(w, r)
			return
		}
		if over.CompareAndSwap(false, true) {
			_ = listening.Listener.Close()
			go listening.CloseClientConnections()
		}
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}))
	return listening
}
