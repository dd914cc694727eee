package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// offerLife is how long the offer of a crane holds: as long as the state that a client
// brings back with its answers.
const offerLife = 5 * time.Second

const (
	loadForm    = `{"type":"object","properties":{"load":{"type":"string","title":"What is moved"}},"required":["load"]}`
	payerForm   = `{"type":"object","properties":{"payer":{"type":"string","title":"Who pays"}},"required":["payer"]}`
	consentForm = `{"type":"object","properties":{
		"agreed":{"type":"boolean","title":"Hire the crane"},"remark":{"type":"string","title":"Remark"}},"required":["agreed"]}`
)

// craneTools hire cranes, each hire by two rounds of questions and only once.
func craneTools(hired *tally) []tool {
	return []tool{
		{
			name: "hire_crane", title: "Hire a crane", since: requirements.R20260728,
			about: "Hires a crane for a vessel. Asks who pays and what is moved, and then whether the user agrees.",
			input: `{"type":"object","properties":{"vessel":{"type":"string"},"hours":{"type":"integer","minimum":1,"maximum":24}},
				"required":["vessel","hours"],"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) { return hireCrane(ctx, a, hired) },
		},
		{
			name: "count_cranes", title: "Number of cranes", hint: reads, since: requirements.R20260728,
			about: "Says how many cranes a vessel has hired. The answer is the bare number.",
			input: `{"type":"object","properties":{"vessel":{"type":"string"}},"required":["vessel"],"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(hired.of(a.text("vessel"))))
			},
		},
	}
}

func hireCrane(ctx context.Context, a arguments, hired *tally) (*mcp.CallToolResult, error) {
	const nobody = "No crane is hired."
	turn := core.From(ctx)
	core.StatesLast(turn, offerLife)
	answers, err := core.AskTogether(turn, form("What shall the crane move?", loadForm), form("Who pays for the crane?", payerForm))
	if err != nil {
		return nil, err
	}
	var load, payer elicited
	if err := json.Unmarshal(answers[0], &load); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(answers[1], &payer); err != nil {
		return nil, err
	}
	if load.Action != "accept" || payer.Action != "accept" {
		return plain(nobody)
	}
	vessel, hours := a.text("vessel"), a.number("hours")
	consent, err := elicit(ctx, "A crane costs 120 an hour. Hire it for "+vessel+"?", consentForm)
	if err != nil {
		return nil, err
	}
	if consent.Action != "accept" || consent.Content["agreed"] != true {
		return plain(nobody)
	}
	if err := core.Once(turn); err != nil {
		return nil, err
	}
	hired.add(vessel)
	said := fmt.Sprintf("A crane is hired for %s, %.0f hours, to move %s. %s pays.", vessel, hours, load.text("load"), payer.text("payer"))
	return plain(strings.TrimSpace(said + " " + consent.text("remark")))
}

// form is a question to the user.
func form(message, schema string) core.Question {
	return core.Question{Method: "elicitation/create", Params: map[string]any{"message": message, "requestedSchema": json.RawMessage(schema)}}
}
