package lifecycle

import (
	"context"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func malformedCases() []suite.Case {
	var cases []suite.Case
	for _, variant := range []struct {
		slug, title string
		bend        func(probe.Object) probe.Object
	}{
		{"init-without-version", "an initialize without protocolVersion is answered in good order",
			func(params probe.Object) probe.Object { return params.Without("protocolVersion") }},
		{"init-without-client", "an initialize without clientInfo is answered in good order",
			func(params probe.Object) probe.Object { return params.Without("clientInfo") }},
		{"init-capabilities-text", "an initialize whose capabilities are a text is answered in good order",
			func(params probe.Object) probe.Object { return params.With("capabilities", "none") }},
	} {
		cases = append(cases, suite.Case{
			ID:     "lifecycle/" + variant.slug,
			Title:  variant.title,
			Checks: []requirements.ID{"lifecycle-init-malformed-params"},
			Fix:    "check the parameters of initialize before using them, and refuse bad ones with error -32602",
			Raw:    true,
			Lane:   suite.Fresh,
			Run: func(ctx context.Context, c *probe.Client) error {
				return malformed(ctx, c, variant.bend(c.InitializeParams(c.Revision())))
			},
		})
	}
	return cases
}

// Whatever comes back is in order, as long as something does and the next
// client is not made to pay for this one.
func malformed(ctx context.Context, c *probe.Client, params probe.Object) error {
	bad, err := c.Handshake(ctx, params)
	if err != nil {
		return err
	}
	if err := wantOrderly(bad); err != nil {
		return err
	}
	if _, served := bad.Result(); served {
		c.Note("the malformed initialize is answered with a result")
	} else if code, ok := bad.Code(); ok && code != probe.InvalidParams {
		c.Note(fmt.Sprintf("the malformed initialize is refused with code %d, where %d is usual", code, probe.InvalidParams))
	}
	next, err := c.Another(ctx)
	if err != nil {
		return err
	}
	good, err := next.Initialize(ctx)
	if err != nil {
		return err
	}
	if good.WantResult() != nil {
		return probe.Broken(append(bad.Evidence(), good.Evidence()...),
			"after a malformed initialize on another connection the answer to a good one is %s, want a result", good.Outcome())
	}
	return nil
}
