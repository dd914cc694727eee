package suites_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// shy is a server over stdio that answers the handshake and refuses the rest.
func shy(_ context.Context, _ <-chan struct{}, in io.Reader, out, _ io.Writer) int {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"unknown method"}`
		if request.Method == "initialize" {
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"shy","version":"1"},"instructions":"hmm"}`
		}
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", request.ID, answer)
	}
	return 0
}

// Judge a server inside this program. Config.Target.Command or
// Config.Target.URL name one outside.
func ExampleJudge() {
	report, err := suites.Judge(context.Background(), suites.Plan{
		Config:   config.Default(),
		Local:    &suites.Local{Serve: shy},
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "ping" },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Target.Name, report.Verdict.Status)
	for _, f := range report.Findings {
		if f.Status == "fail" {
			fmt.Println(f.Case+":", f.Problem)
		}
	}
	// Output:
	// shy fail
	// ping/empty-result: the answer to ping is error {"code":-32601,"message":"unknown method"}, want a result
}

// Judge an http.Handler, here one of mcp-go, without a port.
func ExampleJudge_handler() {
	report, err := suites.Judge(context.Background(), suites.Plan{
		Config:   config.Default(),
		Local:    &suites.Local{Handler: server.NewStreamableHTTPServer(server.NewMCPServer("tides", "1.0.0")), Path: "/mcp"},
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "ping" },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Target.Name, report.Verdict.Status)
	// Output: tides pass
}

// greeting is a suite from outside this repository, with a rule and a role of
// its own.
func greeting() suite.Suite {
	return suite.Suite{
		Name:  "greeting",
		Title: "instructions greet the reader",
		Rules: []requirements.Requirement{{
			ID: "greeting-in-instructions", Area: "greeting",
			Clauses: []requirements.Clause{{
				Since: requirements.R20241105, Level: requirements.Must, Basis: requirements.Keyword,
				Page: "https://rules.example/greeting", Text: "Instructions begin with a greeting.",
			}},
		}},
		Roles: []roles.Spec{{
			Name: "greeting", Text: "the word to greet with",
			Fields: []roles.Field{{Name: "word", Kind: roles.KindText, Required: true}},
		}},
		Cases: []suite.Case{{
			ID:     "greeting/instructions",
			Title:  "instructions begin with a greeting",
			Checks: []requirements.ID{"greeting-in-instructions"},
			Needs:  []suite.Need{suite.Role("greeting")},
			Fix:    "begin the instructions with the greeting",
			Raw:    true, // the case opens the connection itself
			Run: func(c *probe.Client) error {
				reply := c.Initialize()
				word := c.Role("greeting").Fields().Text("word")
				return reply.Want("/result/instructions", probe.That("a string that begins with "+word, func(v any) bool {
					text, ok := v.(string)
					return ok && strings.HasPrefix(text, word)
				}))
			},
		}},
	}
}

// Your own suite brings its rules and its roles. Plan.Suites takes it alone, or
// after suites.All().
func ExampleJudge_ownSuite() {
	mine := []suite.Suite{greeting()}
	cfg, err := config.Parse("mcp-conform.yaml", []byte("roles: {greeting: {word: Hello}}"),
		func(string) (string, bool) { return "", false }, config.Known{Roles: suites.Roles(mine)})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := suites.Judge(context.Background(), suites.Plan{Config: cfg, Suites: mine, Local: &suites.Local{Serve: shy}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f.Status, f.Case)
		fmt.Println(f.Problem)
		fmt.Println(f.Rule, f.Link)
	}
	// Output:
	// fail greeting/instructions
	// $.result.instructions is "hmm", want a string that begins with Hello
	// Instructions begin with a greeting. https://rules.example/greeting
}
