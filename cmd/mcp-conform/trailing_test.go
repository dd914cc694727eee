package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// trail serves Streamable HTTP at the given address, and sends more bytes behind each
// answer than it announces.
func trail() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			os.Exit(1)
		}
		go trailOn(conn)
	}
}

func trailOn(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		body, _ := io.ReadAll(r.Body)
		reply, result := "", "{}"
		if json.Unmarshal(body, &m) == nil && m.ID != nil {
			if m.Method == "initialize" {
				text, _ := json.Marshal(handshake("2025-11-25"))
				result = string(text)
			}
			reply = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(reply), reply)
		fmt.Fprint(conn, "behind-the-answer")
	}
}
