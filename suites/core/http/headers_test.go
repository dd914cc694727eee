package http_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestLawfulHeaders: gateways may change requests and answers in many ways, and a server
// may be stricter than it has to be.
func TestLawfulHeaders(t *testing.T) {
	t.Parallel()
	serve := func(which func(*http.Request) bool, then http.HandlerFunc) fault.HTTP {
		return fault.HTTP{Serve: func(w http.ResponseWriter, r *http.Request) bool {
			if which(r) {
				then(w, r)
				return true
			}
			return false
		}}
	}
	allowed := func(r *http.Request) bool {
		if r.Header.Get("Origin") == "https://app.example" {
			r.Header.Del("Origin")
		}
		return false
	}
	foreign := func(r *http.Request) bool { return r.Header.Get("Origin") != "" }
	status := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, status) }
	}
	stateless, newest := requirements.R20260728, requirements.R20251125
	for name, row := range map[string]struct {
		fault  fault.Fault
		at     requirements.Revision
		warned []string
	}{
		"an allow list with a foreign page": {fault: fault.Fault{HTTP: serve(allowed, nil)}, at: newest},
		"no page at all, without a body":    {fault: fault.Fault{HTTP: serve(foreign, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })}, at: stateless},
		"no page at all, before a status was fixed": {
			fault: fault.Fault{HTTP: serve(foreign, status(http.StatusBadRequest, "no"))}, at: requirements.R20250618,
		},
		"a login before anything": {fault: fault.Fault{HTTP: serve(foreign, status(http.StatusUnauthorized, "who are you?"))}, at: newest},
		"answers in streams, through a proxy that takes its own header out": {fault: fault.Fault{HTTP: fault.HTTP{
			AlwaysStream: true, Head: func(_ fault.Exchange, status int, header http.Header) int {
				header.Del("X-Accel-Buffering")
				header.Set("Server", "nginx/1.29")
				return status
			},
		}}, at: stateless},
		"more headers, and others in the answer": {fault: fault.Fault{HTTP: fault.HTTP{
			Serve: func(w http.ResponseWriter, r *http.Request) bool {
				r.Header.Set("X-Forwarded-For", "192.0.2.7")
				r.Header.Set("Via", "1.1 gateway")
				w.Header().Set("Access-Control-Allow-Origin", "*")
				w.Header().Set("X-Request-Id", "4711")
				return false
			},
		}}, at: stateless},
		"a handshake era that hands out sessions to anybody": {fault: fault.Fault{HTTP: fault.HTTP{EchoSession: true}}, at: stateless},
		"HTTP+SSE at the same path": {fault: fault.WithoutHandshake(fault.Fault{HTTP: serve(
			func(r *http.Request) bool { return r.Method != http.MethodPost }, olderTransport,
		)}), at: stateless},
		"a path with a slash at its end": {fault: fault.Fault{HTTP: serve(
			func(r *http.Request) bool { return r.URL.Path == "/" }, status(http.StatusNotFound, "no such page"),
		)}, at: stateless},
		"a gateway that rejects by status alone": {fault: fault.Fault{HTTP: serve(
			func(r *http.Request) bool {
				return r.Header.Get("Mcp-Protocol-Version") == string(stateless) && r.Header.Get("Mcp-Method") == ""
			},
			status(http.StatusBadRequest, "Mcp-Method is missing"),
		)}, at: stateless, warned: []string{"http/header-mismatch-error-missing"}},
		"no bodies in chunks": {fault: fault.Fault{HTTP: serve(
			func(r *http.Request) bool { return r.ContentLength < 0 }, status(http.StatusLengthRequired, "Content-Length is missing"),
		)}, at: stateless},
		"a rate limit for what is odd": {fault: fault.Fault{HTTP: serve(
			func(r *http.Request) bool {
				name := r.Header.Get("Mcp-Name")
				return strings.HasPrefix(name, "=?") || r.Header.Get("Mcp-Param-Mcp-Conform") != ""
			},
			status(http.StatusTooManyRequests, "slow down"),
		)}, at: stateless},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := proof.Config(t)
			cfg.Revisions = config.Revisions{Dates: []string{string(row.at)}}
			cfg.Transport = config.Transport(requirements.HTTP)
			report := proof.Judge(t, plan.Plan{
				Config: cfg, Local: inprocess.Server(&row.fault), Seed: 1, Timeout: 20 * time.Second,
				Selected: func(s suite.Suite, c suite.Case) bool {
					return slices.Contains([]string{"http", "security"}, s.Name) && lawful.WithoutLoad(s, c)
				},
			})
			lawful.NothingSaid(t, report, row.warned...)
		})
	}
}

// olderTransport answers GET with the beginning of a stream of HTTP+SSE.
func olderTransport(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: endpoint\ndata: /messages?session=1\n\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// TestMorePaddingThanDue: RFC 4648 lets a decoder ignore superfluous padding.
func TestMorePaddingThanDue(t *testing.T) {
	t.Parallel()
	excess := fault.Fault{HTTP: fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
		text, begins := strings.CutPrefix(r.Header.Get("Mcp-Name"), "=?base64?")
		text, ends := strings.CutSuffix(text, "?=")
		if begins && ends {
			for strings.HasSuffix(text, "=") && len(text)%4 != 0 {
				text = strings.TrimSuffix(text, "=")
			}
			r.Header.Set("Mcp-Name", "=?base64?"+text+"?=")
		}
		return false
	}}}
	cfg := config.Default()
	cfg.Roles = roles.NewSet(roles.Known(), roles.Filled{
		Name: roles.ReadOnlyTool, Source: roles.Config, Fields: roles.Fields{"tool": "test_image_content"}, // no padding is due
	})
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
	cfg.Transport = config.HTTP
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: inprocess.Server(&excess), Seed: 1, Timeout: 20 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return strings.HasPrefix(c.ID, "http/base64-") },
	})
	lawful.NothingSaid(t, report)
}
