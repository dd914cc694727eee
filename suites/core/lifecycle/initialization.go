package lifecycle

import (
	"maps"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func initializationCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/init-response",
			Title:  "the initialize result has a revision, capabilities and the name and version of the server",
			Checks: []requirements.ID{"lifecycle-init-response-schema"},
			Proves: []suite.Need{suite.Opening()},
			Fix:    "answer initialize with protocolVersion, capabilities, and serverInfo with a name and a version, both strings",
			Owns:   []suite.Part{{Of: "initialize", At: "/protocolVersion"}, {Of: "initialize", At: "/serverInfo"}},
			Raw:    true,
			Run:    initResponse,
		},
		{
			ID:     "lifecycle/early-request",
			Title:  "initialize still works after a request that came before it",
			Checks: []requirements.ID{"lifecycle-init-phase-first"},
			Fix:    "reject what comes before initialize with an error, and still answer the initialize that follows",
			Lane:   suite.Waits, // the server may ignore the early request
			Raw:    true,
			Run:    earlyRequest,
		},
		{
			ID:     "lifecycle/before-initialized",
			Title:  "the server sends no requests but pings before notifications/initialized",
			Checks: []requirements.ID{"lifecycle-no-requests-before-initialized"},
			Fix:    "send roots/list, sampling and elicitation only after notifications/initialized has arrived",
			Lane:   suite.Waits,
			Raw:    true,
			Run:    beforeInitialized,
		},
	}
}

func initResponse(c *probe.Client) error {
	reply := c.Initialize()
	c.Must(reply.WantResult())
	for _, property := range []struct {
		at   string
		want probe.Matcher
	}{
		{"/result/protocolVersion", probe.AString()},
		{"/result/capabilities", probe.AnObject()},
		{"/result/serverInfo", probe.AnObject()},
		{"/result/serverInfo/name", probe.AString()},
		{"/result/serverInfo/version", probe.AString()},
	} {
		c.Must(reply.Want(property.at, property.want))
	}
	return nil
}

// earlyRequest fails only a server that can no longer be opened, because it took the
// early request for the opening. The rule on the order binds the client, and no sentence
// says what a server does with an early request: it may serve, reject or ignore the
// request, or even end, which gives a note.
func earlyRequest(c *probe.Client) error {
	mark, method := c.Mark(), c.PlainMethod()
	early := c.Ask(c.Compose(method, nil))
	if early.Died() {
		c.Note(method + " before initialize got " + early.Outcome())
		return nil
	}
	opening := c.Initialize()
	// A server that starts slowly answers both requests at once.
	for _, s := range c.Since(mark) {
		if s.Request.Method == method && s.Dir == frame.Received && s.Message().Class == frame.Result {
			c.Note(method + " is served before initialize")
		}
	}
	if opening.Died() {
		c.Note(method + " before initialize is rejected, and then initialize got " + opening.Outcome())
		return nil
	}
	if opening.WantResult() != nil {
		return probe.Shown(early, opening).Violation("initialize after an early %s got %s, want a result", method, opening.Outcome())
	}
	return nil
}

// beforeInitialized declares every capability of clients, so that a server that wants to
// send a request can do so.
func beforeInitialized(c *probe.Client) error {
	mark := c.Mark()
	reply := c.Handshake(c.InitializeParams(c.Revision()).With("capabilities", probe.Object{
		"roots":       probe.Object{"listChanged": true},
		"sampling":    probe.Object{},
		"elicitation": probe.Object{"form": probe.Object{}, "url": probe.Object{}},
	}))
	c.NotSeenIf(!reply.Served(), reply.AnswerTo("initialize from a client with every capability"))
	asked, found := c.Await(mark, c.Waits().Event, func(s probe.Seen) bool { return request(s) != "" })
	for _, s := range c.Since(mark) {
		if method := notification(s); method != "" {
			c.Note(method + " is sent before notifications/initialized")
		}
	}
	if found {
		return probe.Shown(asked).Violation("the server sends %s before notifications/initialized, want no requests but pings", request(asked))
	}
	return nil
}

// request is the method of the first request but ping in a frame of the server; empty if
// there is none. A request with the id null is left to
// jsonrpc/server-request-id-not-null.
func request(s probe.Seen) string {
	return method(s, func(m probe.Message) bool { return m.Asks() && m.ID != "null" && m.Method != "ping" })
}

// notification is the method of the first notification in a frame of the server.
func notification(s probe.Seen) string {
	return method(s, func(m probe.Message) bool { return m.Class == frame.Notification })
}

func method(s probe.Seen, fits func(probe.Message) bool) string {
	var reader probe.Reader
	for _, m := range reader.Messages(s) {
		if fits(m) {
			return m.Method
		}
	}
	return ""
}

// schemaCases judge the answer that opened the shared connection, so they send nothing.
func schemaCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/capability-shapes",
			Title:  "declared capabilities are objects with flags of the right type",
			Checks: []requirements.ID{"lifecycle-capability-shapes"},
			Fix:    "declare each capability as an object, and its listChanged and subscribe as booleans",
			Owns:   []suite.Part{{Of: "initialize", At: "/capabilities"}},
			Run:    capabilityShapes,
		},
		{
			ID:     "lifecycle/server-info-fields",
			Title:  "title, description, icons and website of the server have the right types",
			Checks: []requirements.ID{"lifecycle-serverinfo-fields"},
			Fix:    "give serverInfo strings as title, description and websiteUrl, and an array of objects as icons, or leave them out",
			// Earlier revisions have no optional property whose type could be wrong.
			Revisions: protocol.Between(requirements.R20250618, requirements.R20251125),
			Run:       serverInfoFields,
		},
		{
			ID:     "lifecycle/instructions",
			Title:  "the instructions in the initialize result are a string",
			Checks: []requirements.ID{"lifecycle-instructions-string"},
			Fix:    "return instructions as one string, or leave the property out",
			Owns:   []suite.Part{{Of: "initialize", At: "/instructions"}},
			Run:    instructions,
		},
	}
}

// opening is the answer that opened this connection.
func opening(c *probe.Client) probe.Seen {
	found, _ := c.Find(0, func(s probe.Seen) bool {
		return s.Dir == frame.Received && s.Request.Method == "initialize" && s.Message().Class == frame.Result
	})
	return found
}

func capabilityShapes(c *probe.Client) error {
	s := opening(c)
	capabilities, ok := at(s, "/result/capabilities").(map[string]any)
	c.NotSeenIf(!ok, "the initialize result has no object of capabilities")
	if tasks := capabilities["tasks"]; tasks != nil && tasks != false { // tasks/capability-shape judges what is declared
		capabilities = maps.Clone(capabilities)
		delete(capabilities, "tasks")
	}
	return fits(c, s, "ServerCapabilities", "/result/capabilities", capabilities)
}

// serverInfoFields fills in name and version, which init-response judges.
func serverInfoFields(c *probe.Client) error {
	s := opening(c)
	info, ok := at(s, "/result/serverInfo").(map[string]any)
	c.NotSeenIf(!ok, "the initialize result has no object as serverInfo")
	whole := probe.Object(info).With("name", "server").With("version", "0")
	return fits(c, s, "Implementation", "/result/serverInfo", map[string]any(whole))
}

func instructions(c *probe.Client) error {
	s := opening(c)
	given := at(s, "/result/instructions")
	switch given.(type) {
	case string, probe.Absent:
		return nil
	}
	return probe.Shown(s).Violation("$.result.instructions is %s, want a string", probe.Show(given))
}

func at(s probe.Seen, pointer string) any {
	if v, ok := s.Message().At(pointer); ok {
		return v
	}
	return probe.Absent{}
}

// fits expects a value of a frame to fit a definition of the schema.
func fits(c *probe.Client, s probe.Seen, definition, pointer string, value any) error {
	problem := c.SchemaProblem(definition, pointer, value)
	if problem == "" {
		return nil
	}
	return probe.Shown(s).Violation("%s", problem)
}
