package authorization

import (
	"regexp"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func stdioCases() []suite.Case {
	return []suite.Case{{
		ID:     "authorization/not-on-stdio",
		Title:  "over stdio nobody is asked for an OAuth login",
		Checks: []requirements.ID{"authorization-not-on-stdio"},
		Needs:  []suite.Need{suite.Over(requirements.Stdio)},
		Fix:    "take credentials from the environment of the process",
		Sees:   "a message of the server",
		Watch:  probe.OnEach(notOnStdio),
	}}
}

// login matches the texts of servers that require a login. A missing key of another
// service reads differently.
var login = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\boauth\b|\bbearer token\b|www-authenticate|resource_metadata|\bauthorization header\b`)
})

// notOnStdio judges the opening and the lists only: a tool may lawfully need a login at
// another service.
func notOnStdio(m probe.Message) probe.Opinion {
	method := m.Request.Method
	switch {
	case !m.Responds() || m.Frame.Malformed:
		return probe.Nothing()
	case method != "initialize" && method != "server/discover" && !strings.HasSuffix(method, "/list"):
		return probe.Nothing()
	case m.Class != frame.Error:
		return probe.Kept()
	}
	text := probe.JSON(m.Value("/error"))
	if word := login().FindString(text); word != "" {
		return probe.Breaks("the error that answers %s asks for %s: %s", method, probe.Show(word), probe.Show(m.Value("/error")))
	}
	return probe.Kept()
}
