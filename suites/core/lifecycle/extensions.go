package lifecycle

import (
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/declared"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func extensionCases() []suite.Case {
	declares := []suite.Need{suite.Capability("extensions")}
	return []suite.Case{
		{
			ID:     "lifecycle/extension-identifiers",
			Title:  "extensions are declared under prefixed names",
			Checks: []requirements.ID{"lifecycle-extension-identifiers", "ext-degrade-capability-form"},
			Needs:  declares,
			// Earlier revisions do not define the property.
			Revisions: protocol.Stateless(),
			Fix:       "name each extension in capabilities.extensions with a prefix of dotted labels, a slash and a name",
			Run:       eachExtension(prefixed),
		},
		{
			ID:     "lifecycle/extension-settings",
			Title:  "each declared extension has an object of settings",
			Checks: []requirements.ID{"lifecycle-extension-settings-object", "ext-degrade-capability-form"},
			Needs:  declares,
			// Earlier revisions do not define the property.
			Revisions: protocol.Stateless(),
			Fix:       "give each extension in capabilities.extensions an object, an empty one if there is nothing to set",
			Run:       eachExtension(settled),
		},
		{
			ID:     "lifecycle/extension-fallback",
			Title:  "a client that did not declare the tasks extension never gets a task",
			Checks: []requirements.ID{"lifecycle-extension-fallback"},
			Needs:  declares,
			Fix:    "answer a call with a plain result, or error -32021, unless the request declares the tasks extension",
			Sees:   "an answer to a call of a tool",
			Watch:  probe.OnBinding(extensionFallback),
		},
	}
}

// eachExtension judges the extensions in the answer to server/discover one by one.
func eachExtension(judge func(name string, settings any) probe.Opinion) func(*probe.Client) error {
	return func(c *probe.Client) error {
		reply := c.Call("server/discover", nil)
		v, _ := reply.At("/result/capabilities/extensions")
		declared, ok := v.(map[string]any)
		c.NotSeenIf(!ok, "the declared extensions are not an object")
		for _, name := range slices.Sorted(maps.Keys(declared)) {
			if v := judge(name, declared[name]).Violation(); v != nil {
				return reply.Violation("%s", v.Problem)
			}
		}
		return nil
	}
}

// identifier is the grammar of keys in _meta, with a mandatory prefix.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^` + label + `(\.` + label + `)*/([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)
})

const label = `[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?` // a label of the prefix

func prefixed(name string, _ any) probe.Opinion {
	if !identifier().MatchString(name) {
		return probe.Breaks("$.result.capabilities.extensions has the key %s, want a prefix, a slash and a name", probe.Show(name))
	}
	return probe.Kept()
}

func settled(name string, settings any) probe.Opinion {
	if _, ok := settings.(map[string]any); !ok {
		return probe.Breaks("$.result.capabilities.extensions[%s] is %s, want an object", probe.Show(name), probe.Show(settings))
	}
	return probe.Kept()
}

// extensionFallback judges task results of calls: only the tasks extension changes the
// shape of results. The request tells whether the client declared the extension.
func extensionFallback(m probe.Message) probe.Opinion {
	if _, declared := m.Request.Extensions()[protocol.TasksExtension]; declared || m.Request.Method != "tools/call" || !m.Responds() {
		return probe.Nothing()
	}
	if m.Value("/result/resultType") == protocol.Task {
		return probe.Breaks("$.result.resultType is %q, and the request does not declare %s", protocol.Task, protocol.TasksExtension)
	}
	return probe.Kept()
}

// A capabilityWatcher remembers the capabilities that both sides declared in the
// handshake of its connection.
type capabilityWatcher struct {
	client, server map[string]any
	agreed         bool
}

// See judges the requests and notifications of the server. An answer to a method that
// could have caused one shows that there was an occasion.
func (w *capabilityWatcher) See(s *probe.WatchedFrame) probe.Opinion {
	said := probe.Nothing()
	for _, m := range s.Messages() {
		said = said.And(w.judge(m))
	}
	return said
}

func (w *capabilityWatcher) judge(m probe.Message) probe.Opinion {
	switch {
	case m.Class == frame.Result && m.Request.Method == "initialize":
		w.client, _ = m.Request.Params()["capabilities"].(map[string]any)
		w.server, _ = m.Value("/result/capabilities").(map[string]any)
		w.agreed = true
	case !w.agreed:
	case m.Class == frame.Request:
		return w.judgeRequest(m)
	case m.Class == frame.Notification:
		return w.judgeNotification(m)
	case uses(m):
		return probe.Kept()
	}
	return probe.Nothing()
}

// uses reports whether a message answers a valid call of a method that may cause requests
// or notifications.
func uses(m probe.Message) bool {
	return !m.Frame.Malformed && slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, m.Request.Method)
}

// judgeRequest passes over methods that the revision does not define; other cases judge
// those.
func (w *capabilityWatcher) judgeRequest(m probe.Message) probe.Opinion {
	method, known := protocol.MethodOf(protocol.Server, m.Method)
	switch {
	case !known || method.Capability == "" || !method.In(m.Revision):
		return probe.Nothing()
	case declared.In(w.client, method.Capability):
		return probe.Kept()
	}
	return probe.Breaks("the server sends %s to a client that did not declare %s", m.Method, method.Capability).
		Unless(questions.AskedUndeclared(m.Method))
}

func (w *capabilityWatcher) judgeNotification(m probe.Message) probe.Opinion {
	n, known := protocol.NotificationOf(m.Method)
	switch {
	case !known || n.Capability == "" || !slices.Contains(n.By, protocol.Server):
		return probe.Nothing()
	case m.Method == protocol.ToolsChanged && declared.In(w.server, "tools") && !declared.In(w.server, n.Capability):
		return probe.Nothing() // tools/list-changed-declared says it
	case m.Method == "notifications/message":
		return probe.Nothing() // logging/declared says it
	}
	return declared.Notified(m.Method, n.Capability, w.server)
}
