package operations_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/progress"
	"github.com/mcp-conform/mcp-conform/suites/ext/streaming"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const prefix = "io.github.mcp-extension-proposals/"

type object = map[string]any

// A translator stands in front of the reference server and speaks another dialect
// than it does. Each direction is one goroutine's; what both look at is behind a
// lock of the row.
type translator struct {
	in    func(message object)      // what the client says
	out   func(message object) bool // what the server says; false leaves it out
	fault *fault.Fault
}

// child is an object within another, put there if it is missing.
func child(o object, name string) object {
	inner, _ := o[name].(object)
	if inner == nil {
		inner = object{}
		o[name] = inner
	}
	return inner
}

func lines(from io.Reader, to io.Writer, change func(object) bool) {
	scanner := bufio.NewReader(from)
	for {
		line, err := scanner.ReadBytes('\n')
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		var message object
		if decoder.Decode(&message) == nil {
			if !change(message) {
				continue
			}
			if line, err = json.Marshal(message); err != nil {
				return
			}
			line = append(line, '\n')
		}
		if _, err := to.Write(line); err != nil {
			return
		}
	}
}

func (tr translator) serve(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
	own, err := server.New(server.Options{Fault: tr.fault, Extensions: []string{"progress", "streaming"}})
	if err != nil {
		return 1
	}
	stdin, feed := io.Pipe()
	drain, stdout := io.Pipe()
	done := make(chan struct{})
	go func() {
		lines(in, feed, func(m object) bool {
			if tr.in != nil {
				tr.in(m)
			}
			return true
		})
		_ = feed.Close()
	}()
	go func() {
		lines(drain, out, func(m object) bool { return tr.out == nil || tr.out(m) })
		close(done)
	}()
	code := own.ServeStdio(ctx, term, stdin, stdout, errw)
	_, _ = stdin.Close(), stdout.Close()
	<-done
	return code
}

func judged(t *testing.T, tr translator, change *strings.Replacer) reports.Report {
	t.Helper()
	// Shorter than the tool of the reference server takes for people.
	text := strings.Replace(string(referenceserver.Config), `arguments: {seconds: 1, label`, `arguments: {seconds: 0.3, label`, 1)
	if change != nil {
		was := text
		if text = change.Replace(text); text == was {
			t.Fatal("the configuration was not changed")
		}
	}
	cfg, err := config.Parse("mcp-conform.yaml", []byte(text), func(string) (string, bool) { return "", false },
		config.Known{Roles: suites.Roles(suites.All())})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target, cfg.Transport, cfg.Wait.Event = config.Default().Target, config.Stdio, 300*time.Millisecond
	return proof.Judged(t, suites.Plan{
		Config: cfg, Local: &suites.Local{Serve: tr.serve},
		Suites: []suite.Suite{progress.Suite(), streaming.Suite()},
	})
}
