package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
)

// openEarly serves Streamable HTTP at the given address as a gateway does that listens before
// the server behind it: the given number of requests get HTTP status 502, 503 and 504 in turn.
func openEarly() {
	early, _ := strconv.ParseInt(os.Args[2], 10, 64)
	var asked atomic.Int64
	err := http.ListenAndServe(os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := asked.Add(1); n <= early {
			http.Error(w, "", http.StatusBadGateway+int(n%3))
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := map[string]any{}
		if m.Method == "initialize" {
			result = handshake("2025-11-25")
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
