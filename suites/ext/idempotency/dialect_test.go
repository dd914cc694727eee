package idempotency_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const prefix = "io.github.mcp-extension-proposals/"

type object = map[string]any

// A translator stands in front of the reference server and speaks another
// dialect of the extension than it does.
type translator struct {
	params func(params, meta object)
	result func(result, meta object)
}

func child(o object, name string) object {
	inner, _ := o[name].(object)
	if inner == nil {
		inner = object{}
		o[name] = inner
	}
	return inner
}

// translate rewrites one message; what is none passes as it is.
func (tr translator) translate(raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var message object
	if decoder.Decode(&message) != nil {
		return raw
	}
	if params, ok := message["params"].(object); ok && message["method"] == "tools/call" && tr.params != nil {
		tr.params(params, child(params, "_meta"))
	}
	if result, ok := message["result"].(object); ok && tr.result != nil {
		if meta, ok := result["_meta"].(object); ok && meta["idempotency_key"] != nil {
			tr.result(result, meta)
		}
	}
	text, err := json.Marshal(message)
	if err != nil {
		return raw
	}
	return text
}

func (tr translator) lines(from io.Reader, to io.Writer) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if _, err := to.Write(append(tr.translate(bytes.TrimSpace(line)), '\n')); err != nil {
			return
		}
	}
}

func (tr translator) local(t *testing.T) *suites.Local {
	t.Helper()
	shared, err := server.New(server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	handler := shared.Handler()
	return &suites.Local{
		Path: "/mcp",
		Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			own, err := server.New(server.Options{})
			if err != nil {
				return 1
			}
			stdin, feed := io.Pipe()
			drain, stdout := io.Pipe()
			done := make(chan struct{})
			go func() { tr.lines(in, feed); _ = feed.Close() }()
			go func() { tr.lines(drain, out); close(done) }()
			code := own.ServeStdio(ctx, term, stdin, stdout, errw)
			_, _ = stdin.Close(), stdout.Close()
			<-done
			return code
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			inner := r.Clone(r.Context())
			inner.Body = io.NopCloser(bytes.NewReader(tr.translate(body)))
			inner.ContentLength = -1
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, inner)
			for name, values := range answer.Header() {
				if name != "Content-Length" {
					w.Header()[name] = values
				}
			}
			w.WriteHeader(answer.Code)
			_, _ = w.Write(tr.translate(answer.Body.Bytes()))
		}),
	}
}

// canonical takes the members of the draft out of the metadata.
func canonical(meta object) object {
	taken := object{}
	for _, name := range []string{"idempotency_key", "idempotency_ttl_seconds", "was_replay", "original_timestamp"} {
		if value, ok := meta[name]; ok {
			taken[name] = value
		}
		delete(meta, name)
		delete(meta, prefix+name)
	}
	return taken
}

func besideArguments(params, meta object) {
	canonical(meta)
	for _, name := range []string{"idempotency_key", "idempotency_ttl_seconds"} {
		if value, ok := params[name]; ok {
			meta[name] = value
		}
	}
}

func judged(t *testing.T, tr translator, over config.Transport, change func(*config.Config)) reports.Report {
	t.Helper()
	cfg := proof.Config(t)
	cfg.Transport = over
	if change != nil {
		change(&cfg)
	}
	return proof.Judged(t, suites.Plan{
		Config: cfg, Local: tr.local(t), Suites: []suite.Suite{idempotency.Suite()},
	})
}

// Every form in which a server may have been written passes; an older form is
// named in a note.
func TestDialects(t *testing.T) {
	t.Parallel()
	intoGroup := func(result, meta object) { result["idempotency"] = canonical(meta) }
	for _, row := range []struct {
		name      string
		server    translator
		over      config.Transport
		pinned    []string
		dialect   string
		noted     string // by the case about the replay flag
		undecided []string
	}{
		{name: "the draft", over: config.Stdio, dialect: "BP"},
		{
			name: "replays are marked, first calls are not", over: config.Stdio, dialect: "BP",
			server: translator{result: func(_, meta object) {
				if meta["was_replay"] == false {
					for _, name := range []string{"was_replay", "original_timestamp"} {
						delete(meta, name)
						delete(meta, prefix+name)
					}
				}
			}},
		},
		{
			name: "the example servers", over: config.Stdio, dialect: "IBP", noted: "was_replay stands in result.idempotency.was_replay",
			server: translator{params: besideArguments, result: intoGroup},
		},
		{
			name: "metadata in the answer's own text", over: config.Stdio, dialect: "BP", noted: "was_replay stands in structuredContent.was_replay",
			server: translator{result: func(result, meta object) {
				for name, value := range canonical(meta) {
					child(result, "structuredContent")[name] = value
				}
			}},
		},
		{
			name: "a pinned place", over: config.Stdio, pinned: []string{"I"}, dialect: "I", noted: "keys are read from params.idempotency_key",
			server: translator{params: besideArguments},
		},
		{
			name: "the header alone", over: config.HTTP, dialect: "HBPI", noted: "keys are read from the header",
			server: translator{params: func(_, meta object) { canonical(meta) }},
			undecided: strings.Fields(`key-malformed-empty key-malformed-letter key-malformed-number ttl-honoured ttl-malformed-text
				ttl-malformed-zero ttl-malformed-negative ttl-malformed-fraction header-shares-store placement-mismatch`),
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			report := judged(t, row.server, row.over, func(c *config.Config) {
				if row.pinned != nil {
					c.Dialects = map[string]config.Dialect{"idempotency": {Carriers: row.pinned}}
				}
			})
			if got := report.Target.Extensions[0].Dialect; got != row.dialect {
				t.Errorf("the dialect is %s, want %s", got, row.dialect)
			}
			for _, f := range report.Findings {
				slug := strings.TrimPrefix(f.Case, "ext-idempotency/")
				undecided := f.Status == reports.Skip && f.Reason.Kind == reports.Undecided
				passed := f.Status == reports.Pass || f.Status == reports.Skip && (f.Reason.Kind == reports.OtherTransport || f.Reason.Kind == reports.OptIn)
				if slices.Contains(row.undecided, slug) != undecided || !passed && !undecided {
					t.Errorf("%s %s: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
				}
				if slug == "replay-flag" && !strings.Contains(strings.Join(f.Notes, "\n"), row.noted) {
					t.Errorf("%s has the notes %q, want %q among them", f.Case, f.Notes, row.noted)
				}
			}
		})
	}
}

func TestPlacesThatDisagreeAreWorthAWarning(t *testing.T) {
	t.Parallel()
	report := judged(t, translator{result: func(result, meta object) { result["was_replay"] = meta["was_replay"] != true }}, config.Stdio, nil)
	for _, f := range report.Findings {
		if f.Case == "ext-idempotency/replay-flag" && (f.Status != reports.Warn || !strings.Contains(f.Problem, "want the same in both places")) {
			t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
		}
	}
}

func TestAnExtensionThatIsNotClaimedIsNotJudged(t *testing.T) {
	t.Parallel()
	report := judged(t, translator{}, config.Stdio, func(c *config.Config) { c.Claims.Suppressed = []string{"idempotency"} })
	for _, f := range report.Findings {
		if f.Status != reports.Skip || f.Reason.Kind != reports.NotClaimed {
			t.Errorf("%s %s: %+v", f.Status, f.Case, f.Reason)
		}
	}
}
