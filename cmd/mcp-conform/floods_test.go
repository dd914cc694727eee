package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
)

// flood answers the opening messages, reports the first ping at RENDEZVOUS, and then
// sends the kind of text in its first argument for ever. With a second argument it
// serves HTTP at that address.
func flood() {
	pieces := map[string]string{
		"notifications": `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`,
		"requests":      `{"jsonrpc":"2.0","id":7,"method":"ping"}`,
		"lines":         "",
	}
	piece := pieces[os.Args[1]] + "\n"
	if len(os.Args) > 2 {
		floodHTTP(map[string]string{"events": "event: e\ndata: d\n\n", "comments": ": x\n", "notifications": "data: " + piece + "\n"}[os.Args[1]])
		return
	}
	leaveTrace()
	signal.Ignore(syscall.SIGTERM, os.Interrupt)
	answer(func(method string) any {
		if method == "ping" {
			arrive()
			endlessly(os.Stdout, piece)
		}
		return opening(method)
	})
}

// endlessly writes a text until the kit reads no more, half the size of a pipe at a
// time.
func endlessly(w io.Writer, text string) {
	for many := []byte(strings.Repeat(text, 32<<10/len(text))); ; {
		if _, err := w.Write(many); err != nil {
			return
		}
	}
}

func floodHTTP(piece string) {
	leaveTrace()
	http.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		m, ok := readRequest(r)
		switch {
		case !ok:
			w.WriteHeader(http.StatusAccepted)
			return
		case m.Method == "ping" && string(m.ID) != "0":
			arrive()
			w.Header().Set("Content-Type", "text/event-stream")
			endlessly(w, piece)
			return
		}
		reply(w, m, opening(m.Method))
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[2], nil))
}

// opening answers the opening messages for a server without tools.
func opening(method string) any {
	switch method {
	case "initialize":
		return handshake("2025-11-25")
	case "tools/list":
		return map[string]any{"tools": []any{}}
	case "ping":
		return map[string]any{}
	}
	return nil
}

// runAway answers all methods but the one in its first argument. It leaves a process
// behind that has left its group and ignores every signal that can be ignored.
func runAway() {
	signal.Ignore(syscall.SIGTERM, os.Interrupt, syscall.SIGHUP)
	leaveTrace()
	if os.Getenv("RUNAWAY") != "" {
		fmt.Println("there")
		select {}
	}
	leave()
	answer(func(method string) any {
		if len(os.Args) > 1 && method == os.Args[1] {
			arrive()
			return silence{}
		}
		return opening(method)
	})
	if len(os.Args) > 1 {
		select {} // the end of its input does not end it
	}
}

// leave starts the process that stays behind, and waits until it runs.
func leave() {
	other := exec.CommandContext(context.Background(), os.Args[0])
	other.Env = append(os.Environ(), "RUNAWAY=1")
	detach(other)
	out, err := other.StdoutPipe()
	if err = errors.Join(err, other.Start()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = bufio.NewReader(out).ReadString('\n')
}
