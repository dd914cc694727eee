// Package broken has servers that leave a client waiting, each with one defect, or slow
// and lawful. It says what the kit has to find, and how long it may take to find it.
package broken

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Server is one row: its defect, and what the kit has to make of it.
type Server struct {
	Name string
	// Finds are the cases that fail over stdio and over HTTP, by the transport; without an
	// entry none does.
	Finds map[requirements.Transport][]string
	Warns []string      // the cases that warn, nil: any
	Most  time.Duration // that the run may take
	// Lossy: chance decides which requests are lost, so a case that finds that some request
	// is not answered may fail as well.
	Lossy bool

	habit func() *habit
	edit  func(text string) string
}

// both are findings over either transport.
func both(cases ...string) map[requirements.Transport][]string {
	return map[requirements.Transport][]string{requirements.Stdio: cases, requirements.HTTP: cases}
}

// Servers lists the rows.
func Servers() []Server {
	return []Server{
		{Name: "clean", Most: 10 * time.Second},
		{Name: "no-list", Most: time.Minute, Finds: both("tools/list-answered"), habit: never("tools/list")},
		{Name: "no-call", Most: time.Minute, Finds: both("tools/call-answered"), habit: never("tools/call")},
		{Name: "no-ping", Most: time.Minute, Finds: both("ping/empty-result"), habit: never("ping")},
		{Name: "no-unknown", Most: time.Minute, Finds: both("jsonrpc/method-not-found"), habit: unknown},
		// Over HTTP it ignores requests of other connections as well, and so most openings.
		{Name: "one-at-a-time", Most: time.Minute, Lossy: true, Finds: both("jsonrpc/all-answered"), habit: func() *habit {
			return &habit{one: true, late: after(100 * time.Millisecond)}
		}},
		{Name: "drops-fifth", Most: time.Minute, Lossy: true, Finds: both("jsonrpc/all-answered"), habit: func() *habit {
			return &habit{drops: every(5)}
		}},
		{Name: "raw-newline", Most: time.Minute, Finds: map[requirements.Transport][]string{
			requirements.Stdio: {"stdio/no-embedded-newlines"}, requirements.HTTP: {"http/json-single-object"},
		}, edit: func(text string) string {
			return strings.Replace(text, `"name":"tool_0"`, "\"description\":\"first\nsecond\",\"name\":\"tool_0\"", 1)
		}},
		{Name: "integer-ids", Most: 90 * time.Second, Finds: both("jsonrpc/string-and-integer-ids"), habit: func() *habit {
			return &habit{stays: true, drops: texts, holds: func(line []byte) bool {
				r := read(line)
				return r.ID != nil && texts(r)
			}}
		}},
		{
			Name: "invalid-json", Most: time.Minute,
			Finds: map[requirements.Transport][]string{requirements.Stdio: {"jsonrpc/parse-error-truncated"}},
			habit: func() *habit { return &habit{stops: func(line []byte) bool { return !json.Valid(line) }} },
		},
		{
			Name: "slow", Most: 105 * time.Second, Warns: []string{"ping/prompt"},
			habit: func() *habit { return &habit{late: after(2 * time.Second)} },
		},
		{Name: "slow-tool", Most: 2 * time.Minute, habit: func() *habit {
			return &habit{late: func(r fakeserver.Request) time.Duration {
				if r.Method == "tools/call" {
					return 8 * time.Second
				}
				return 0
			}}
		}},
	}
}

// Find gives the row with a name.
func Find(name string) (Server, error) {
	for _, s := range Servers() {
		if s.Name == name {
			return s, nil
		}
	}
	return Server{}, fmt.Errorf("no server is called %q", name)
}

func (s Server) make() *fakeserver.Server {
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "prompts", "resources"), Tools: fakeserver.Reading(),
		Prompts:   []map[string]any{{"name": "greeting"}},
		Resources: []map[string]any{{"uri": "harbour://log", "name": "log"}}, Edit: s.edit}
}

// never is a server that leaves every request for a method without an answer.
func never(method string) func() *habit {
	return func() *habit {
		return &habit{drops: func(r fakeserver.Request) bool { return r.Method == method }}
	}
}

// unknown leaves requests for methods without an answer that the server does not have.
func unknown() *habit {
	return &habit{drops: func(r fakeserver.Request) bool {
		switch r.Method {
		case "initialize", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list",
			"resources/read":
			return false
		}
		return true
	}}
}

// texts reports whether the id of a request is no integer.
func texts(r fakeserver.Request) bool {
	_, err := strconv.Atoi(string(r.ID))
	return err != nil
}

// after is a server that takes the same time for every answer.
func after(d time.Duration) func(fakeserver.Request) time.Duration {
	return func(fakeserver.Request) time.Duration { return d }
}
