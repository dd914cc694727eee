package suites_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const (
	// logsAt names the address at which this program serves and logs credentials.
	logsAt = "MCP_CONFORM_TEST_LOGS_AT"
	minted = "minted-of-the-north-pier"
	// derived is not in the configuration either: a case makes it.
	derived = "derived-of-the-south-pier"
)

// serveAndLog logs the credentials of each request, and exits badly on request.
// As the token command, with an argument, it prints a token.
func serveAndLog(address string) {
	if len(os.Args) > 1 {
		fmt.Println(minted)
		return
	}
	handler := (&fakeserver.Server{}).Handler()
	server := &http.Server{Addr: address, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := r.Header.Get("Authorization")
		fmt.Fprintln(os.Stderr, r.Method, shown, strings.ToUpper(shown), url.QueryEscape(strings.ToUpper(shown)))
		if r.Header.Get("X-End") != "" {
			os.Exit(3)
		}
		handler.ServeHTTP(w, r)
	})}
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
}

// killing is a suite whose case shows the server two tokens that the
// configuration does not know, and then makes the server exit.
func killing(address string) suite.Suite {
	return suite.Suite{
		Name: "killing", Title: "a server ends",
		Rules: []requirements.Requirement{{ID: "killing-ends", Area: "killing", Clauses: []requirements.Clause{{
			Since: requirements.R20241105, Level: requirements.Must, Basis: requirements.Keyword,
			Page: "https://rules.example/killing", Text: "A server lives.",
		}}}},
		Cases: []suite.Case{{
			ID: "killing/ends", Title: "the server lives", Checks: []requirements.ID{"killing-ends"},
			Fix: "live", Lane: suite.Fresh,
			Run: func(c *probe.Client) error {
				token := c.Mint("berths", "http://h/mcp")
				c.Hide(derived)
				for _, shown := range []string{token, derived} {
					c.Call("ping", nil, probe.ShowingToken(shown))
				}
				c.Call("ping", nil, probe.WithHeader(http.Header{"X-End": {"now"}}))
				gone(c.Context(), address)
				c.Undecide("the server was shown " + token)
				return nil
			},
		}},
	}
}

// gone waits until nothing listens at an address.
func gone(ctx context.Context, address string) {
	for ctx.Err() == nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return
		}
		_ = conn.Close()
	}
}

// The report holds the log of a server that ended in mid-run, without the
// tokens of the run, which the configuration does not know.
func TestTokensOfTheRunAreHidden(t *testing.T) {
	t.Parallel()
	address, err := vacant.Address()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Target.URL, cfg.Target.Start = "http://"+address+"/mcp", []string{self}
	cfg.Target.Env = map[string]string{logsAt: address}
	cfg = cfg.With(roles.Filled{Name: roles.Principals, Source: roles.Config, Fields: roles.Fields{
		"token-command": []string{self, "token"},
	}})
	report, err := suites.Judge(t.Context(), suites.Plan{Config: cfg, Suites: []suite.Suite{killing(address)}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	all, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"report.json": string(all), "verdict": report.Verdict.Text, "stderr": report.Stderr} {
		if !strings.Contains(text, "[redacted]") || strings.Contains(strings.ToLower(text), "pier") {
			t.Errorf("%s: %s", where, text)
		}
	}
}
