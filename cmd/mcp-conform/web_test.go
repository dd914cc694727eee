package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// web listens at PAGES: a web page, and MCP servers that refuse the first requests of
// the kit.
func web() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintln(w, "<h1>It works!</h1>")
	})
	mux.HandleFunc("/guarded", guarded)
	mux.HandleFunc("/open", serveMCP)
	mux.HandleFunc("/harbour/{fault}/mcp", harbour())
	mux.Handle("/moved", http.RedirectHandler("/open?from=moved", http.StatusTemporaryRedirect))
	return mux
}

// harbour serves like the reference server with a fault, or without one as "none": it is
// ready at once, while every process over stdio has to start.
func harbour() http.HandlerFunc {
	var mu sync.Mutex
	running := map[string]http.Handler{}
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("fault")
		mu.Lock()
		handler := running[name]
		if handler == nil {
			broken, err := findFault(strings.TrimPrefix(name, "none"))
			s, failed := server.New(server.Options{Fault: broken, PageSize: 5, Log: io.Discard})
			if err = errors.Join(err, failed); err != nil {
				mu.Unlock()
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
			handler = http.StripPrefix("/harbour/"+name, s.Handler())
			running[name] = handler
		}
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}
}

// guarded wants a token, and says so in JSON-RPC as well.
func guarded(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "Bearer harbour-token-first" {
		serveMCP(w, r)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="harbour"`)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = fmt.Fprintln(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"who are you?"}}`)
}

// serveMCP offers one tool over Streamable HTTP, without sessions.
func serveMCP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	switch err := json.NewDecoder(r.Body).Decode(&m); {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case err != nil || m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	switch m.Method {
	case "initialize":
		reply["result"] = handshake("2025-11-25")
	case "ping":
		reply["result"] = map[string]any{}
	case "tools/list":
		reply["result"] = map[string]any{"tools": []any{
			map[string]any{"name": "read_tide", "inputSchema": map[string]any{"type": "object"}},
		}}
	default:
		reply["error"] = map[string]any{"code": -32601, "message": "unknown method"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}
