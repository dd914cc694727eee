package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"sync"
)

// proxies lists the proxies by the name that an entry gives.
func proxies() map[string]func(address string) http.Handler {
	return map[string]func(address string) http.Handler{
		"host-rewriting": func(address string) http.Handler { return forward(address) },
		"unsteady":       func(address string) http.Handler { return unsteady(forward(address)) },
	}
}

// forward sends every request on with the Host of the server behind it, so that the
// server sees no other Host. Events leave at once.
func forward(address string) http.Handler {
	return &httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // clients that hang up are part of what is tried
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", address, address
			r.Out.Header.Set("Via", "1.1 gateway")
		},
	}
}

// unsteady answers 502 now and then, like a gateway whose server was away for a moment.
// It lets calls and malformed messages through: their findings would come and go with
// the order of the cases.
func unsteady(next http.Handler) http.Handler {
	const every = 7
	var mu sync.Mutex
	seen := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		method := steady(r, body)
		mu.Lock()
		seen[method]++
		away := method != "" && seen[method]%every == 0
		mu.Unlock()
		if away {
			http.Error(w, "bad gateway", http.StatusBadGateway)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// steady is the method of a request that any server answers at any time, or empty.
func steady(r *http.Request, body []byte) string {
	var message struct{ Method string }
	if json.Unmarshal(body, &message) != nil {
		return ""
	}
	switch message.Method {
	case "initialize":
		return message.Method
	case "ping", "tools/list", "prompts/list", "resources/list", "notifications/initialized":
		if r.Header.Get("Mcp-Session-Id") != "" {
			return message.Method
		}
	}
	return ""
}
