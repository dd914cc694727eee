package transactions_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/transactions"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const prefix = "io.github.mcp-extension-proposals/"

type object = map[string]any

// A translator changes the messages that go to the reference server, and those that
// come from it, so that it speaks another dialect.
type translator struct {
	request func(message, params, meta object)
	result  func(result, meta object)
}

func lines(from io.Reader, to io.Writer, change func(message object)) {
	scanner := bufio.NewScanner(from)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		decoder := json.NewDecoder(bytes.NewReader(scanner.Bytes()))
		decoder.UseNumber()
		var message object
		line := scanner.Bytes()
		if decoder.Decode(&message) == nil {
			change(message)
			line, _ = json.Marshal(message)
		}
		if _, err := to.Write(append(slices.Clone(line), '\n')); err != nil {
			return
		}
	}
}

func (tr translator) in(message object) {
	if params, ok := message["params"].(object); ok && tr.request != nil {
		meta, _ := params["_meta"].(object)
		tr.request(message, params, meta)
	}
}

func (tr translator) out(message object) {
	if result, ok := message["result"].(object); ok && tr.result != nil {
		meta, _ := result["_meta"].(object)
		tr.result(result, meta)
	}
}

func (tr translator) local() *suites.Local {
	return &suites.Local{Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		own, err := server.New(server.Options{})
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
	}}
}

func judged(t *testing.T, tr translator) reports.Report {
	t.Helper()
	cfg := proof.Config(t)
	cfg.Transport = config.Stdio
	return proof.Judged(t, suites.Plan{
		Config: cfg, Local: tr.local(), Suites: []suite.Suite{transactions.Suite()},
	})
}

// noMethod makes transaction/step a method that the server does not have.
func noMethod(message, _, _ object) {
	if message["method"] == "transaction/step" {
		message["method"] = "transaction/none"
	}
}

// Every form in which a server may take steps passes, and what it does not offer is
// not judged.
func TestForms(t *testing.T) {
	t.Parallel()
	method := strings.Fields(`compensation step-id-kept step-ok step-failed step-without-transaction step-without-id step-without-tool
		step-without-parameters unknown-transaction rollback-undoes confirmation-kept`)
	call := strings.Fields("compensation-call step-failed-call unknown-transaction-call rollback-undoes-call replay-once confirmation-kept-call")
	for _, row := range []struct {
		name   string
		server translator
		unseen []string
		noted  string
	}{
		{name: "both"},
		{name: "calls", unseen: method, server: translator{request: noMethod}},
		{name: "calls that name the transaction beside their arguments", unseen: method, noted: "params.transaction_id, an older form",
			server: translator{request: func(message, params, meta object) {
				noMethod(message, params, meta)
				if message["method"] != "tools/call" {
					return
				}
				for _, name := range []string{"transaction_id", "step_id"} {
					delete(meta, name)
					delete(meta, prefix+name)
					if value, ok := params[name]; ok {
						meta[name] = value
					}
				}
			}}},
		{name: "calls that nothing is said of", unseen: append(slices.Clone(method), "step-id-used"),
			server: translator{request: func(message, params, meta object) {
				noMethod(message, params, meta)
				delete(meta, "step_id")
				delete(meta, prefix+"step_id")
			}}},
		{name: "transaction/step", unseen: call, server: translator{request: func(message, _, meta object) {
			if message["method"] == "tools/call" {
				delete(meta, "transaction_id")
				delete(meta, prefix+"transaction_id")
			}
		}}},
		{name: "compensations in a group", server: translator{result: func(_, meta object) {
			if undo, ok := meta["compensation"]; ok {
				delete(meta, "compensation")
				delete(meta, prefix+"compensation")
				meta["transaction"] = object{"compensation": undo}
			}
		}}},
		{name: "errors of steps as strings", server: translator{result: func(result, _ object) {
			list, _ := result["steps_compensated"].([]any)
			for _, entry := range list {
				if e, ok := entry.(object); ok && e["error"] != nil {
					e["error"] = "no"
				}
			}
		}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			noted := row.noted == ""
			for _, f := range judged(t, row.server).Findings {
				slug := strings.TrimPrefix(f.Case, "ext-transactions/")
				if slug == "needs-idempotency" {
					continue // the suite of idempotency is left out here
				}
				unseen := f.Status == reports.Skip && f.Reason.Kind == reports.NotSeen
				if slices.Contains(row.unseen, slug) != unseen || !unseen && f.Status != reports.Pass {
					t.Errorf("%s %s: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
				}
				noted = noted || strings.Contains(strings.Join(f.Notes, "\n"), row.noted)
			}
			if !noted {
				t.Errorf("no note says %q", row.noted)
			}
		})
	}
}

// A server that claims transactions and takes steps in no form fails.
func TestStepsInNoForm(t *testing.T) {
	t.Parallel()
	report := judged(t, translator{request: func(message, params, meta object) {
		noMethod(message, params, meta)
		for _, name := range []string{"transaction_id", "step_id"} {
			delete(meta, name)
			delete(meta, prefix+name)
		}
	}})
	failed := map[string]bool{}
	for _, f := range report.Findings {
		if f.Status == reports.Fail {
			failed[f.Case] = true
		}
	}
	for _, id := range []string{"ext-transactions/compensation-call", "ext-transactions/rollback-undoes-call"} {
		if !failed[id] {
			t.Errorf("%s did not fail; failed are %v", id, failed)
		}
	}
}
