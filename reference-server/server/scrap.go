package server

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A yard breaks vessels up.
type yard struct {
	mu       sync.Mutex
	scrapped []string         // vessels, the oldest first
	tokens   numbered[string] // the vessel of each token
}

// scrap breaks a vessel up if the token was issued for the vessel. A token is good for
// one vessel and one call.
func (y *yard) scrap(vessel, token string) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if token == "" || y.tokens.byID[token] != vessel {
		return false
	}
	delete(y.tokens.byID, token)
	if y.scrapped = append(y.scrapped, vessel); len(y.scrapped) > maxKept {
		y.scrapped = y.scrapped[1:]
	}
	return true
}

// ask issues a token for a vessel.
func (y *yard) ask(vessel string) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.tokens.add(vessel)
}

func (y *yard) count(vessel string) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	n := 0
	for _, scrapped := range y.scrapped {
		if scrapped == vessel {
			n++
		}
	}
	return n
}

// tools are those that break vessels up, with the consent of a user only.
func (y *yard) tools(f *fault.Fault) []tool {
	return []tool{
		{
			name: "scrap_vessel", title: "Scrap a vessel", about: "Breaks a vessel up for good. Asks for confirmation first.", hint: destroys,
			input: `{"type":"object","properties":{
				"vessel":{"type":"string","description":"Name of the vessel.","minLength":1,"maxLength":200}},
				"required":["vessel"],"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				t, vessel := core.From(ctx), a.text("vessel")
				if y.scrap(vessel, confirmation(t)) || transactions.SkipsGate(f, t) && y.scrap(vessel, y.ask(vessel)) {
					return plain(vessel + " has been scrapped.")
				}
				return gate(vessel+" would be scrapped for good. Go ahead?", y.ask(vessel)), nil
			},
		},
		{
			name: "count_scrapped", title: "Number of scrapped vessels",
			about: "Says how often a vessel of a name was scrapped. The answer is the bare number.", hint: reads,
			input: vesselOnly,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(y.count(a.text("vessel"))))
			},
		},
	}
}

// confirmation is the token of a call with the user's consent; empty without consent.
func confirmation(t *core.Turn) string {
	var yes bool
	var token string
	if json.Unmarshal(t.Meta("user_confirmed"), &yes) != nil || json.Unmarshal(t.Meta("confirmation_token"), &token) != nil || !yes {
		return ""
	}
	return token
}

// gate is the answer of a tool that asks for confirmation before it acts.
func gate(question, token string) *mcp.CallToolResult {
	result := mcp.NewToolResultText("Confirmation needed: " + question)
	result.Meta = &mcp.Meta{AdditionalFields: map[string]any{"confirmation": map[string]any{
		"status": "confirmation_required", "confirmation_message": question, "risk_level": "destructive", "confirmation_token": token,
	}}}
	return result
}
