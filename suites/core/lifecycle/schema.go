package lifecycle

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

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
	for _, s := range c.Since(0) {
		if s.Dir == frame.Received && s.Request.Method == "initialize" && s.Message().Class == frame.Result {
			return s
		}
	}
	return probe.Seen{}
}

func capabilityShapes(c *probe.Client) error {
	s := opening(c)
	capabilities, ok := at(s, "/result/capabilities").(map[string]any)
	if !ok {
		c.NotSeen("the initialize result has no object of capabilities")
	}
	return fits(c, s, "ServerCapabilities", "/result/capabilities", capabilities)
}

// serverInfoFields fills in name and version, which init-response judges.
func serverInfoFields(c *probe.Client) error {
	s := opening(c)
	info, ok := at(s, "/result/serverInfo").(map[string]any)
	if !ok {
		c.NotSeen("the initialize result has no object as serverInfo")
	}
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
