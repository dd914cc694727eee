package engine_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// minting is a case that asks for a token and complains with it.
func minting(id string) suite.Case {
	return suite.Case{ID: id, Lane: suite.Fresh, Run: func(c *probe.Client) error {
		return probe.Evidence{}.Violation("the token is %s", c.Mint("one two", "http://h/mcp"))
	}}
}

// A token comes from the command that the configuration names, and no report shows it.
func TestTokenCommand(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go env GOOS":                  "the token is [redacted]",
		"go version":                   "no token on a line of its own",
		"go nonsense":                  "exit code 2",
		"no-such-command-anywhere now": "no-such-command-anywhere",
		"":                             "is not set",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := plan(t, &fakeserver.Server{}, minting("try/mint"))
			p.Config = p.Config.With(roles.Filled{Name: roles.Principals, Source: roles.Config, Fields: roles.Fields{
				"token-command": strings.Fields(command), "client": roles.Fields{"register": true},
			}})
			_, found := gather(t, p)
			for _, f := range found {
				said := f.Problem
				if f.Reason != nil {
					said += f.Reason.Text
				}
				if !strings.Contains(said, want) {
					t.Errorf("got %s, want %s", said, want)
				}
			}
		})
	}
}

// A secret that comes to light in mid-run is hidden from then on.
func TestHiddenLate(t *testing.T) {
	t.Parallel()
	_, found := gather(t, plan(t, &fakeserver.Server{}, suite.Case{ID: "try/hide", Run: func(c *probe.Client) error {
		c.Hide("light-of-the-north-pier")
		return probe.Evidence{}.Violation("it is light-of-the-north-pier")
	}}))
	if got := found["try/hide"].Problem; strings.Contains(got, "pier") || !strings.HasPrefix(got, "it is ") {
		t.Errorf("the problem is %s", got)
	}
}
