package server

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
)

type promptCompleter struct{ stations *stations }

func (c promptCompleter) CompletePromptArgument(ctx context.Context, name string, a mcp.CompleteArgument,
	given mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range append(officePrompts(), fixturePrompts()...) {
		if p.name != name {
			continue
		}
		if !slices.Contains(slices.Concat(p.required, p.optional), a.Name) {
			return nil, unknownReference("the prompt has no such argument")
		}
		return c.complete(ctx, a, given)
	}
	return nil, unknownReference("there is no such prompt")
}

// quarantine is a measure that guests are not told of.
const quarantine = "quarantine"

// complete suggests values for an argument of a prompt. The depths come from the gauge that
// is broken, and a station is asked by radio as for its weather.
func (c promptCompleter) complete(ctx context.Context, a mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	found := suggest(a, given)
	switch a.Name {
	case "depth":
		return nil, errNoGauge
	case "measure":
		if core.From(ctx).Principal() == guest {
			found.Values = slices.DeleteFunc(found.Values, func(v string) bool { return v == quarantine })
			found.Total = len(found.Values)
		}
	case "station":
		if a.Value != "" && c.stations.ask("suggestions for "+a.Value) > 0 {
			return nil, &core.Error{Code: tooMany, Message: "The stations were asked too often; try again in a second."}
		}
	}
	return found, nil
}

// tooMany is the code for a client that asks too often.
const tooMany = 429

type resourceCompleter struct{}

func (resourceCompleter) CompleteResourceArgument(_ context.Context, uri string, a mcp.CompleteArgument,
	given mcp.CompleteContext) (*mcp.Completion, error) {
	templates := []string{"test://template/{id}/data"}
	for _, aspect := range aspects() {
		templates = append(templates, "harbour://berths/{berth}/"+aspect)
	}
	switch {
	case !slices.Contains(templates, uri):
		return nil, unknownReference("there is no such template")
	case !strings.Contains(uri, "{"+a.Name+"}"):
		return nil, unknownReference("the template has no such variable")
	}
	return suggest(a, given), nil
}

func unknownReference(text string) error {
	return &core.Error{Code: envelope.InvalidParams, Message: text}
}

// suggest lists the known values with the given prefix. A chosen pier narrows the
// berths.
func suggest(a mcp.CompleteArgument, given mcp.CompleteContext) *mcp.Completion {
	values := []string{}
	for _, value := range vocabulary(a.Name) {
		pier := given.Arguments["pier"]
		if strings.HasPrefix(value, a.Value) && (a.Name != "berth" || strings.HasPrefix(value, pier)) {
			values = append(values, value)
		}
	}
	return &mcp.Completion{Values: values, Total: len(values)}
}

func vocabulary(argument string) []string {
	switch argument {
	case "berth":
		var ids []string
		for _, b := range berths() {
			ids = append(ids, b.ID)
		}
		return ids
	case "pier":
		return []string{"A", "B"}
	case "measure":
		return []string{"lookout", quarantine}
	case "station":
		return []string{"lighthouse", "mole"}
	case "tone":
		return []string{"brief", "formal", "friendly"}
	case "vessel":
		return []string{"Albatros", "Nordlicht", "Seestern"}
	case "arg1", "arg2":
		return []string{"paris", "park", "party"}
	default:
		return nil
	}
}
