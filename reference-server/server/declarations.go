package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/schemas"
)

// declarationTools check the declarations of vessels against the caller's form.
func declarationTools() []tool {
	return []tool{{
		name: "check_declaration", title: "Check a declaration",
		about: "Checks a cargo declaration against a form, which is a JSON Schema. References out of the form are not followed.", hint: reads,
		input: `{"type":"object","properties":{
			"form":{"type":"object","default":{}},
			"declaration":{"type":"object","default":{"cargo":"grain"}}},
			"required":["form","declaration"],"additionalProperties":false}`,
		run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
			// The compiler bounds the work, and never reads another document.
			form, err := schemas.Compile(a["form"])
			if err != nil {
				return failed("The form cannot be used: " + err.Error())
			}
			faults, undecided := form.Validate(a["declaration"])
			switch {
			case undecided:
				return failed("The form takes too much work.")
			case len(faults) > 0:
				return plain("The declaration does not fit: " + faults[0].Pointer + " is " + faults[0].Got + ", want " + faults[0].Want)
			}
			return plain("The declaration fits.")
		},
	}}
}
