package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// babble prints lines that are not messages.
func babble() {
	for line := bufio.NewScanner(os.Stdin); line.Scan(); {
		fmt.Println("server listening, have a nice day")
	}
}

// hang reads and never answers.
func hang() {
	leaveTrace()
	for line := bufio.NewScanner(os.Stdin); line.Scan(); {
	}
}

// stubborn never answers, and ends neither with its input nor at a signal to end.
func stubborn() {
	signal.Ignore(syscall.SIGTERM, os.Interrupt)
	leaveTrace()
	select {}
}

// leaveTrace writes the process id into a file of the folder TRACES.
func leaveTrace() {
	pid := strconv.Itoa(os.Getpid())
	if err := os.WriteFile(os.Getenv("TRACES")+"/"+pid, nil, 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// future agrees only to an unknown revision.
func future() {
	answer(func(method string) any {
		if method == "initialize" {
			return handshake("2199-01-01")
		}
		return nil
	})
}

// greet reports its first request at RENDEZVOUS, and never answers.
func greet() {
	leaveTrace()
	in := bufio.NewScanner(os.Stdin)
	if in.Scan() {
		arrive()
	}
	for in.Scan() {
	}
}

func arrive() {
	if conn, err := net.Dial("tcp", os.Getenv("RENDEZVOUS")); err == nil {
		_ = conn.Close()
	}
}

// stall reports its first ping at RENDEZVOUS, and never answers it.
func stall() {
	leaveTrace()
	told := false
	answer(func(method string) any {
		switch method {
		case "initialize":
			return handshake("2025-11-25")
		case "tools/list":
			return map[string]any{"tools": []any{}}
		case "ping":
			if !told {
				told = true
				arrive()
			}
			return silence{}
		}
		return nil
	})
}

// recite puts the environment and the directory into its name.
func recite() {
	dir, _ := os.Getwd()
	result := handshake("2025-11-25")
	result["capabilities"] = map[string]any{}
	result["serverInfo"] = map[string]any{
		"name": os.Getenv("RECITED") + "|" + strings.Join(os.Args[1:], " ") + "|" + dir[strings.LastIndexAny(dir, `/\`)+1:], "version": "1",
	}
	answer(func(method string) any {
		switch method {
		case "initialize":
			return result
		case "ping":
			return map[string]any{}
		}
		return nil
	})
}

// crash serves Streamable HTTP at the given address, and ends at the first ping of a
// session.
func crash() {
	http.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		m, ok := readRequest(r)
		result := map[string]any{}
		switch {
		case !ok:
			w.WriteHeader(http.StatusAccepted)
			return
		case len(os.Args) > 2 && m.Method == "initialize":
			fmt.Fprintln(os.Stderr, "crashing-server: no idea what a client is")
			os.Exit(9)
		case m.Method == "initialize":
			result = handshake("2025-11-25")
		case m.Method == "ping" && string(m.ID) != "0":
			fmt.Fprintln(os.Stderr, "crashing-server: no idea what a ping is")
			os.Exit(9)
		}
		reply(w, m, result)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[1], nil))
	os.Exit(1)
}

// secure serves HTTPS at the given address, with a certificate that nobody trusts.
func secure() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	_ = server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	select {}
}

// throw ends at every request but the first, like a program with an unexpected error: it
// prints the key that it got, the trace of a stack, and the version of its runtime.
func throw() {
	answer(func(method string) any {
		if method == "initialize" && len(os.Args) < 3 {
			return handshake("2025-11-25")
		}
		fmt.Fprintf(os.Stderr, "::error::throwing-server opens the door with %s\n", os.Args[1])
		for i := range 40 {
			fmt.Fprintf(os.Stderr, "looks at berth %d\n", i)
		}
		fmt.Fprintf(os.Stderr, "Error: no idea what %s is\n%s\nnode.js v22\n", method, strings.Repeat("    at f (index.js:1:1)\n", 10))
		os.Exit(9)
		return nil
	})
}

// A request is a request to a server over HTTP.
type request struct {
	ID     json.RawMessage
	Method string
}

// readRequest reads a request; ok is false for any other message.
func readRequest(r *http.Request) (m request, ok bool) {
	err := json.NewDecoder(r.Body).Decode(&m)
	return m, err == nil && r.Method == http.MethodPost && m.ID != nil
}

func reply(w http.ResponseWriter, m request, result any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

type silence struct{}

func handshake(revision string) map[string]any {
	return map[string]any{
		"protocolVersion": revision, "capabilities": map[string]any{"tools": map[string]any{}},
		"serverInfo": map[string]any{"name": "test", "version": "1"},
	}
}

// answer serves requests; a nil result is an error, the result silence means no answer.
func answer(result func(method string) any) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": m.ID}
		switch r := result(m.Method).(type) {
		case silence:
			continue
		case nil:
			reply["error"] = map[string]any{"code": -32601, "message": "unknown method"}
		default:
			reply["result"] = r
		}
		line, err := json.Marshal(reply)
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(string(line))
	}
}
