// Package proposal holds what the extension proposals have in common: where
// their dialects put things, what counts as a refusal, and their schemas.
package proposal

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Prefix is the canonical prefix of keys that belong to the proposals.
const Prefix = protocol.ProposalPrefix

// Fits expects a value to fit a definition of an extension's schema. The place of the value
// is written as problems show it.
func Fits(m probe.Message, extension, definition, place string, value any) probe.Opinion {
	set, err := m.Frame.Schemas.Extension(extension)
	if err != nil {
		return probe.Failed(err)
	}
	if faults := set.Validate(definition, value); len(faults) > 0 {
		first := faults[0]
		return probe.Breaks("%s%s is %s, want %s", place, strings.ReplaceAll(first.Pointer, "/", "."), first.Got, first.Want)
	}
	return probe.Kept()
}

// Undeclared excuses that a server leaves out what is only for clients which declare an
// extension: without sessions, it cannot know what was declared in the handshake. It is
// nil where it can.
func Undeclared(c *probe.Client) {
	if c.Transport() != requirements.HTTP || !protocol.HasHandshake(string(c.Revision())) || c.Survey().Traits[probe.Sessions] {
		return
	}
	c.Undecide("the server has no sessions, and cannot know from this request that the client declared the extension")
}

// Declares reports whether the output schema of a listed tool has a property of
// this name: then such a property of its answers is the tool's own.
func Declares(c *probe.Client, tool, property string) bool {
	return declares(c.Survey(), tool, property)
}

func declares(s *probe.Survey, tool, property string) bool {
	for _, item := range s.Lists[protocol.Tools().Method] {
		if listed := probe.ObjectOf(item); listed["name"] == tool {
			_, ok := probe.ObjectOf(probe.ObjectOf(listed["outputSchema"])["properties"])[property]
			return ok
		}
	}
	return false
}

// Tolerance is how far two clocks may lie apart.
const Tolerance = 5 * time.Second

// Pause lets time pass. It ends early only with the connection.
func Pause(c *probe.Client, d time.Duration) {
	most := c.Waits().Max
	c.UndecideIf(d > most, fmt.Sprintf("this takes a wait of %s, and wait.max is %s", d, most))
	c.Await(c.Mark(), d, func(probe.Seen) bool { return false })
}

// Moment reads a timestamp; RFC 3339 allows small letters.
func Moment(v any) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.ToUpper(probe.TextOf(v)))
	return at, err == nil
}

// Clock is the time that the server gives its answer, or otherwise where it does
// not tell.
func Clock(reply *probe.Reply, otherwise time.Time) time.Time {
	if at, err := http.ParseTime(reply.Header("Date")); err == nil {
		return at
	}
	return otherwise
}

// Steady is a value without properties that name a request or a moment, which a
// server may write anew into a stored answer.
func Steady(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, value := range v {
			if !fleeting().MatchString(name) {
				kept[name] = Steady(value)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, value := range v {
			kept[i] = Steady(value)
		}
		return kept
	default:
		return v
	}
}

// fleeting names what differs from one answer to the next by nature.
var fleeting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:^(request|trace|correlation|span)[_-]?id$|timestamp|` +
		`^(date|time|now|server[_-]?info|quota|rate[_-]?limit|remaining)$|[_-]at$|confirmation[_-]?token)|[a-z]At$`)
})

// Lasting is a tool's answer without what is told anew each time.
func Lasting(reply *probe.Reply) any {
	result, _ := reply.Result()
	return Steady(probe.Payload(result))
}
