// Package gateways_test shows that the kit does not blame a good server for the gateway
// before it.
package gateways_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestMain(m *testing.M) { proof.Main(m) }

// A gateway stands between a client and a server.
type gateway func(http.Handler) http.Handler

// The kit does not blame a good server for the gateway before it. Ids and streams reach
// every case, headers and verbs only the cases about carriage. Of the rows that turn
// requests away at first, all extensions judge one, and the extensions with these
// methods judge the others.
func TestLawfulGateways(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no gateway stands in front of the reference server")
	}
	for _, row := range []struct {
		name string
		by   gateway
		at   requirements.Revision
		met  lawful.Selection
	}{
		{"ids of its own, restored", renumbering, requirements.R20251125, core},
		{"streams that end their lines in CR LF, with comments", wording, requirements.R20251125, core},
		{"streams of extensions that end their lines in CR LF, with comments", wording, requirements.R20251125, extensions},
		{"streams without a handshake that end their lines in CR LF", wording, requirements.R20260728, core},
		{"cookies, and headers for web pages", decorated, requirements.R20260728, lawful.Carriage},
		{"no GET and no DELETE", posting, requirements.R20250618, lawful.Carriage},
		{"not now, at the first attempt", notNow(http.StatusServiceUnavailable, ""), requirements.R20251125, extensions},
		{"too many requests, at the first attempt", notNow(http.StatusTooManyRequests, ""), requirements.R20260728, turnedAway},
		{"too many requests, in JSON", notNow(http.StatusTooManyRequests, `{"error":"rate_limited"}`), requirements.R20260728, turnedAway},
		{"not now, with the status in JSON", notNow(http.StatusServiceUnavailable, `{"error":{"code":503,"message":"no upstream"}}`),
			requirements.R20260728, turnedAway},
		{"a login, at the first attempt", notNow(http.StatusUnauthorized, ""), requirements.R20260728, turnedAway},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg, local := proof.Config(t), inprocess.Server(nil)
			cfg.Transport = config.HTTP
			cfg.Revisions = config.Revisions{Dates: []string{string(row.at)}}
			local.Serve, local.SSE, local.Handler = nil, "", row.by(local.Handler)
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
				Selected: func(s suite.Suite, c suite.Case) bool {
					if c.ID == "ext-streaming/resume-continues" {
						return true
					}
					return lawful.Prompt(s, c) && row.met(s, c)
				},
			})
			lawful.NothingSaid(t, report)
		})
	}
}

func core(s suite.Suite, _ suite.Case) bool { return s.Extension.Name == "" }

func extensions(s suite.Suite, _ suite.Case) bool { return s.Extension.Name != "" }

// turnedAway selects the extensions whose methods notNow turns away, and the pages that judge
// every message.
func turnedAway(s suite.Suite, _ suite.Case) bool {
	return slices.Contains([]string{"manifest", "transactions", "permissions", "streaming"}, s.Extension.Name) ||
		slices.Contains([]string{"jsonrpc", "schema"}, s.Name)
}

// The gateway lets in one handshake at a time and refuses every second one: the kit
// finds each revision.
func TestLimitedHandshakes(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	behind := inprocess.Server(nil)
	local := &suites.Local{Path: inprocess.Path, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if method := fakeserver.MethodOf(r); (method == "initialize" || method == "server/discover") && asked.Add(1) <= 3 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "slow down", http.StatusTooManyRequests)
			return
		}
		behind.Handler.ServeHTTP(w, r)
	})}
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{All: true}
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "ping" },
	})
	lawful.NothingSaid(t, report)
	if got, want := len(report.Verdict.Columns), len(requirements.Revisions()); got != want {
		t.Errorf("%d revisions were found, want %d: %s", got, want, report.Verdict.Text)
	}
}

// The gateway refuses two of three pings. The report says how many requests were refused
// that way, before the reader meets the cases that are undecided because of it.
func TestLimitedRequests(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	behind := inprocess.Server(nil)
	local := &suites.Local{Path: inprocess.Path, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fakeserver.MethodOf(r) == "ping" && asked.Add(1)%3 != 0 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		behind.Handler.ServeHTTP(w, r)
	})}
	cfg := proof.Config(t)
	cfg.Transport = config.HTTP
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	report := proof.Judge(t, suites.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "ping" || s.Name == "jsonrpc" },
	})
	lawful.NothingSaid(t, report)
	if text := report.Verdict.Text; !strings.Contains(text, "requests with HTTP status 429") {
		t.Errorf("the report says %q of %d refused pings", text, asked.Load()*2/3)
	}
}

// From the middle of the run on the gateway refuses everything. The report says so, and no
// case takes that for something that the server has not.
func TestShutGateways(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status int
		want   string
	}{
		{http.StatusUnauthorized, "requests with HTTP status 401: credentials that it took before"},
		{http.StatusForbidden, "requests with HTTP status 403: something refuses all"},
		{http.StatusServiceUnavailable, "requests with HTTP status 503, which says"},
	} {
		t.Run(fmt.Sprint(row.status), func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			local := inprocess.Server(nil)
			behind := local.Handler
			local.Serve, local.SSE, local.Handler = nil, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) > 150 {
					w.WriteHeader(row.status)
					return
				}
				behind.ServeHTTP(w, r)
			})
			cfg := proof.Config(t)
			cfg.Transport = config.HTTP
			cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: core})
			if text := report.Verdict.Text; !strings.Contains(text, row.want) {
				t.Errorf("the report says %q, want %q in it", text, row.want)
			}
			if row.status == http.StatusForbidden {
				return // that status may also be an answer to one request
			}
			lawful.NothingSaid(t, report)
			for _, f := range report.Findings {
				if f.Status == reports.Skip && f.Reason.Kind == reports.NotApplicable && strings.Contains(f.Reason.Text, fmt.Sprint(row.status)) {
					t.Errorf("%s does not apply: %s", f.Case, f.Reason.Text)
				}
			}
		})
	}
}

// The gateway lets in forty requests a second. With limits.rate it refuses none, and only
// cases that need many requests in a short time are left undecided.
func TestPacedRequests(t *testing.T) {
	t.Parallel()
	judge := func(rate, most int) (r reports.Report, refused int64) {
		var n atomic.Int64
		local := inprocess.Server(nil)
		local.Serve, local.SSE, local.Handler = nil, "", limiting(most, &n, local.Handler)
		cfg := proof.Config(t)
		cfg.Transport, cfg.Limits.Rate = config.HTTP, rate
		cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
		return proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: core}), n.Load()
	}
	free, _ := judge(0, math.MaxInt)
	paced, refused := judge(20, 40)
	lawful.NothingSaid(t, paced)
	if refused > 0 {
		t.Errorf("%d requests were refused", refused)
	}
	statuses := map[string]reports.Status{}
	for _, f := range free.Findings {
		statuses[f.Case] = f.Status
	}
	left := 0
	for _, f := range paced.Findings {
		if f.Status == statuses[f.Case] || f.Status == reports.Pass && statuses[f.Case] == reports.Skip {
			continue // where requests take longer, some watchers see more
		}
		if left++; f.Reason == nil || f.Reason.Kind != reports.Undecided || left > 5 {
			t.Errorf("%s: %s, without the gateway %s: %v", f.Case, f.Status, statuses[f.Case], f.Reason)
		}
	}
}

// limiting lets in so many requests in a second, and counts those that it refuses.
func limiting(most int, refused *atomic.Int64, behind http.Handler) http.Handler {
	var mu sync.Mutex
	var came []time.Time
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		came = slices.DeleteFunc(came, func(at time.Time) bool { return time.Since(at) > time.Second })
		full := len(came) >= most
		if !full {
			came = append(came, time.Now())
		}
		mu.Unlock()
		if full {
			refused.Add(1)
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		behind.ServeHTTP(w, r)
	})
}

// Behind the gateway a stream of the server begins late, as on a busy machine: what comes
// on it is judged all the same.
func TestLateStreams(t *testing.T) {
	t.Parallel()
	local := inprocess.Server(nil)
	behind := local.Handler
	local.Serve, local.SSE, local.Handler = nil, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			time.Sleep(700 * time.Millisecond)
		}
		behind.ServeHTTP(w, r)
	})
	cfg := proof.Config(t)
	cfg.Transport, cfg.Wait.Event = config.HTTP, 300*time.Millisecond
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: func(_ suite.Suite, c suite.Case) bool {
		return c.ID == "ext-push/delivers" || c.ID == "tools/list-changed-sent"
	}})
	if got := report.Verdict.Total(); got.Pass != 2 {
		t.Errorf("%d cases pass, want 2: %+v", got.Pass, report.Findings)
	}
}

// The gateway delays what comes while a tool runs: each cancellation until the tool is
// done, the first ping, or a call until its cancellation has come. None of it is the
// server's fault.
func TestDelays(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		method, id string
		which      []int64 // of the messages, from 1 on; nil for each
		late       time.Duration
	}{
		{"notifications/cancelled", "cancellation/no-response", nil, 3 * time.Second},
		{"tools/call", "cancellation/no-response", []int64{1, 3}, 600 * time.Millisecond},
		{"ping", "ping/while-busy", []int64{1}, 3 * time.Second},
	} {
		t.Run(row.method, func(t *testing.T) {
			t.Parallel()
			local := inprocess.Server(nil)
			behind := local.Handler
			var running atomic.Bool
			var came atomic.Int64
			local.Serve, local.SSE, local.Handler = nil, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				method := fakeserver.MethodOf(r)
				running.CompareAndSwap(false, method == "tools/call")
				if method == row.method && running.Load() {
					if n := came.Add(1); row.which == nil || slices.Contains(row.which, n) {
						time.Sleep(row.late)
					}
				}
				behind.ServeHTTP(w, r)
			})
			cfg := proof.Config(t)
			cfg.Transport, cfg.Wait.Event = config.HTTP, time.Second
			cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: func(_ suite.Suite, c suite.Case) bool {
				return c.ID == row.id
			}})
			lawful.NothingSaid(t, report)
			if came.Load() == 0 {
				t.Error("nothing was delayed")
			}
		})
	}
}

// notNow refuses the first request of each method of an extension, with a body of JSON or none.
func notNow(status int, body string) gateway {
	return func(behind http.Handler) http.Handler {
		var begun sync.Map
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch method := fakeserver.MethodOf(r); method {
			case "get_manifest", "transaction/begin", "permissions/check", "scopes/negotiate", "resume":
				if _, known := begun.LoadOrStore(method, true); !known {
					if body != "" {
						w.Header().Set("Content-Type", "application/json")
					}
					w.WriteHeader(status)
					_, _ = io.WriteString(w, body)
					return
				}
			}
			behind.ServeHTTP(w, r)
		})
	}
}

// decorated adds headers like a gateway.
func decorated(behind http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		for name, value := range map[string]string{
			"Set-Cookie": "lb=a; Path=/; HttpOnly", "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Mcp-Session-Id",
			"Vary": "Origin", "Alt-Svc": `h3=":443"`, "Connection": "close", "ETag": `"4711"`,
		} {
			w.Header().Set(name, value)
		}
		behind.ServeHTTP(w, r)
	})
}

// posting lets only POST through. Then no client can fetch lost messages again.
func posting(behind http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost || r.URL.Path != inprocess.Path {
			behind.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
	})
}

func wording(behind http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := fakeserver.Reword(w, func(line string) string {
			switch {
			case !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"):
				return line + "\n"
			case line == "":
				return "\r\n: still here\r\n\r\n:\r\n"
			}
			return line + "\r\n"
		})
		behind.ServeHTTP(out, r)
		out.Finish()
	})
}

// renumbering sends its own ids to the server, and the ids of the client back.
func renumbering(behind http.Handler) http.Handler {
	var last atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m map[string]json.RawMessage
		body, err := io.ReadAll(r.Body)
		id := json.RawMessage(nil)
		if err == nil && json.Unmarshal(body, &m) == nil && m["method"] != nil && m["id"] != nil && strings.IndexByte(`"0123456789`, m["id"][0]) >= 0 {
			id, m["id"] = m["id"], json.RawMessage(fmt.Sprintf(`"of-the-gateway-%d"`, last.Add(1)))
			own := string(m["id"])
			body, _ = json.Marshal(m)
			w = fakeserver.Reword(w, func(line string) string {
				return strings.Replace(line, `"id":`+own, `"id":`+string(id), 1) + "\n"
			})
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		behind.ServeHTTP(w, r)
		if rest, ok := w.(*fakeserver.Rewording); ok {
			rest.Finish()
		}
	})
}
