package dialects

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// Prefix is the canonical prefix of names in _meta.
const Prefix = "io.github.mcp-extension-proposals/"

// An Object is a JSON object.
type Object = map[string]any

// Child is an object within another, put there if it is missing.
func Child(o Object, name string) Object {
	inner, _ := o[name].(Object)
	if inner == nil {
		inner = Object{}
		o[name] = inner
	}
	return inner
}

// A Translator stands in front of the reference server and speaks another dialect than
// the server does. Each direction of a connection over stdio is one goroutine's.
type Translator struct {
	Options server.Options
	In      func(message Object)      // changes what the client says
	Out     func(message Object) bool // changes what the server says; false leaves it out
}

func (tr Translator) local(t *testing.T) *plan.Local {
	t.Helper()
	shared, err := server.New(tr.Options)
	if err != nil {
		t.Fatal(err)
	}
	return &plan.Local{Path: "/mcp", Serve: tr.serve, Handler: tr.handler(shared.Handler())}
}

// serve stands in for a process, which has a server of its own.
func (tr Translator) serve(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
	own, err := server.New(tr.Options)
	if err != nil {
		return 1
	}
	stdin, feed := io.Pipe()
	drain, stdout := io.Pipe()
	done := make(chan struct{})
	go func() { lines(in, feed, tr.in); _ = feed.Close() }()
	go func() { lines(drain, out, tr.out); close(done) }()
	code := own.ServeStdio(ctx, term, stdin, stdout, errw)
	_, _ = stdin.Close(), stdout.Close()
	<-done
	return code
}

func lines(from io.Reader, to io.Writer, change func([]byte) []byte) {
	reader := bufio.NewReader(from)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return
		}
		if line = change(bytes.TrimSpace(line)); line == nil {
			continue
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			return
		}
	}
}

func (tr Translator) handler(behind http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		inner := r.Clone(r.Context())
		inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(tr.in(body))), -1
		answer := httptest.NewRecorder()
		behind.ServeHTTP(answer, inner)
		for name, values := range answer.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(tr.out(answer.Body.Bytes()))
	})
}

func (tr Translator) in(raw []byte) []byte {
	if tr.In == nil {
		return raw
	}
	return changed(raw, func(m Object) bool { tr.In(m); return true })
}

func (tr Translator) out(raw []byte) []byte {
	if tr.Out == nil {
		return raw
	}
	return changed(raw, tr.Out)
}

// changed is one message after a change, or nil where it is left out. What is no message
// passes as it is.
func changed(raw []byte, change func(Object) bool) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var message Object
	if decoder.Decode(&message) != nil {
		return raw
	}
	if !change(message) {
		return nil
	}
	text, err := json.Marshal(message)
	if err != nil {
		return raw
	}
	return text
}
