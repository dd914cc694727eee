package server

import (
	"context"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// consentLife is how long a user may think about a question.
const consentLife = 5 * time.Second

// gates are the questions of the confirmation extension.
func gates() []confirmation.Gate {
	return []confirmation.Gate{
		{Tool: "scrap_vessel", Message: "{vessel} would be scrapped for good. Go ahead?", Risk: "destructive"},
		{Tool: "sink_vessel", Message: "{vessel} would be sunk for good. Go ahead?", Risk: "destructive"},
	}
}

// yardTools get rid of vessels. With the confirmation extension they do so with the consent of
// a user only.
func yardTools(gone *tally, f *fault.Fault) []tool {
	getRid := func(done string) func(context.Context, arguments) (*mcp.CallToolResult, error) {
		return func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
			if asks, runs := confirmation.AsksUser(f); asks {
				answer, err := elicit(ctx, a.text("vessel")+" would be "+done+" for good. Go ahead?", consentForm)
				if err != nil {
					return nil, err
				}
				if !runs(answer.Action) || answer.Action == "accept" && answer.Content["agreed"] != true {
					return plain("Nothing was done.")
				}
			}
			gone.add(a.text("vessel"))
			return plain(a.text("vessel") + " has been " + done + ".")
		}
	}
	return []tool{
		{
			name: "scrap_vessel", title: "Scrap a vessel", about: "Breaks a vessel up for good. Asks for confirmation first.", hint: destroys,
			input: `{"type":"object","properties":{
				"vessel":{"type":"string","description":"Name of the vessel.","minLength":1,"maxLength":200},
				"quay":{"type":"string","description":"Where the vessel lies. The royal quay takes more scopes.","enum":["north","south","royal"]}},
				"required":["vessel"],"additionalProperties":false}`,
			run: getRid("scrapped"),
		},
		{
			name: "sink_vessel", title: "Sink a vessel", about: "Sinks a vessel for good. Asks for confirmation first.", hint: destroys,
			input: `{"type":"object","properties":{"vessel":{"type":"string","minLength":1,"maxLength":200}},
				"required":["vessel"],"additionalProperties":false}`,
			run: getRid("sunk"),
		},
		{
			name: "count_scrapped", title: "Number of scrapped vessels",
			about: "Says how often a vessel of a name was scrapped or sunk. The answer is the bare number.", hint: reads,
			input: vesselOnly,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(gone.of(a.text("vessel"))))
			},
		},
	}
}
