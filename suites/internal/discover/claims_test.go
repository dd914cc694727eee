package discover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Where a claim may stand, and how strong it is there.
func TestClaims(t *testing.T) {
	t.Parallel()
	const prefix = "io.github.mcp-extension-proposals/"
	explicit := func(where string) probe.Claim { return probe.Claim{Strength: probe.Explicit, Where: where} }
	weak := func(where string) probe.Claim { return probe.Claim{Strength: probe.Weak, Where: where} }
	extensions := func(keys any) map[string]any { return map[string]any{"extensions": keys} }
	experimental := func(keys map[string]any) map[string]any { return map[string]any{"experimental": keys} }
	for name, row := range map[string]struct {
		capabilities map[string]any
		forced       []string
		suppressed   []string
		want         map[string]probe.Claim
	}{
		"nothing":              {nil, nil, nil, map[string]probe.Claim{}},
		"the key":              {extensions(map[string]any{prefix + "idempotency": map[string]any{}}), nil, nil, map[string]probe.Claim{"idempotency": explicit("capabilities.extensions")}},
		"by its token":         {extensions(map[string]any{prefix + "human_in_the_loop": map[string]any{}}), nil, nil, map[string]probe.Claim{"confirmation": explicit("capabilities.extensions")}},
		"not by its name":      {extensions(map[string]any{prefix + "confirmation": map[string]any{}}), nil, nil, map[string]probe.Claim{}},
		"another vendor":       {extensions(map[string]any{"com.example/idempotency": map[string]any{}}), nil, nil, map[string]probe.Claim{"idempotency": weak("capabilities.extensions under com.example")}},
		"two vendors":          {extensions(map[string]any{"com.b/idempotency": 1, "com.a/idempotency": 1, "com.c/idempotency": 1}), nil, nil, map[string]probe.Claim{"idempotency": weak("capabilities.extensions under com.a")}},
		"reserved":             {extensions(map[string]any{"io.modelcontextprotocol/idempotency": map[string]any{}, "com.mcp/idempotency": map[string]any{}, "dev.mcp.x/idempotency": map[string]any{}}), nil, nil, map[string]probe.Claim{}},
		"like a reserved one":  {extensions(map[string]any{"mcp.com/idempotency": map[string]any{}}), nil, nil, map[string]probe.Claim{"idempotency": weak("capabilities.extensions under mcp.com")}},
		"no prefix":            {extensions(map[string]any{"idempotency": map[string]any{}}), nil, nil, map[string]probe.Claim{}},
		"turned off":           {extensions(map[string]any{prefix + "idempotency": false, "com.example/idempotency": nil}), nil, nil, map[string]probe.Claim{}},
		"a list":               {extensions([]any{"idempotency", "other", 7}), nil, nil, map[string]probe.Claim{"idempotency": explicit("capabilities.extensions, as a list")}},
		"a text":               {extensions("idempotency"), nil, nil, map[string]probe.Claim{}},
		"experimental":         {experimental(map[string]any{prefix + "idempotency": map[string]any{}}), nil, nil, map[string]probe.Claim{"idempotency": explicit("capabilities.experimental")}},
		"experimental, bare":   {experimental(map[string]any{"idempotency": true}), nil, nil, map[string]probe.Claim{"idempotency": weak("capabilities.experimental.idempotency")}},
		"experimental, no":     {experimental(map[string]any{"idempotency": false}), nil, nil, map[string]probe.Claim{}},
		"below the tools":      {map[string]any{"tools": map[string]any{"idempotency": true}}, nil, nil, map[string]probe.Claim{"idempotency": weak("capabilities.tools.idempotency")}},
		"below the tools, no":  {map[string]any{"tools": map[string]any{"idempotency": false}}, nil, nil, map[string]probe.Claim{}},
		"the strongest counts": {map[string]any{"tools": map[string]any{"idempotency": true}, "experimental": map[string]any{prefix + "idempotency": map[string]any{}}}, nil, nil, map[string]probe.Claim{"idempotency": explicit("capabilities.experimental")}},
		"forced":               {nil, []string{"confirmation"}, nil, map[string]probe.Claim{"confirmation": {Strength: probe.Explicit, Where: "the configuration", Configured: true}}},
		"suppressed":           {extensions(map[string]any{prefix + "idempotency": map[string]any{}}), []string{"idempotency"}, []string{"idempotency"}, map[string]probe.Claim{}},
		"implied": {extensions(map[string]any{prefix + "transactions": map[string]any{}}), nil, nil, map[string]probe.Claim{
			"transactions": explicit("capabilities.extensions"), "idempotency": explicit("capabilities.extensions, by transactions")}},
		"implied and suppressed": {extensions(map[string]any{prefix + "transactions": map[string]any{}}), nil, []string{"idempotency"}, map[string]probe.Claim{
			"transactions": explicit("capabilities.extensions")}},
		"a prefix of its own": {extensions(map[string]any{"com.example/dash": map[string]any{}}), nil, nil, map[string]probe.Claim{
			"dash": explicit("capabilities.extensions")}},
		"not under its own": {extensions(map[string]any{prefix + "dash": map[string]any{}}), nil, nil, map[string]probe.Claim{
			"dash": weak("capabilities.extensions under io.github.mcp-extension-proposals")}},
		"not looked for": {extensions(map[string]any{prefix + "provenance": map[string]any{}}), nil, nil, map[string]probe.Claim{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := stdio(&fakeserver.Server{Capabilities: row.capabilities})
			l.Extensions = []suite.Extension{
				{Name: "idempotency"}, {Name: "confirmation", Token: "human_in_the_loop"},
				{Name: "transactions", Implies: []string{"idempotency"}}, {Name: "dash", Token: "com.example/dash"},
			}
			l.Forced, l.Suppressed = row.forced, row.suppressed
			s, client, err := l.Survey(t.Context(), requirements.R20251125, &discover.Found{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close(t.Context()) }()
			if diff := cmp.Diff(row.want, s.Claims); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What implies an extension counts although nobody asks about it, and is not
// reported itself.
func TestImpliedBy(t *testing.T) {
	t.Parallel()
	l := stdio(&fakeserver.Server{Capabilities: map[string]any{"experimental": map[string]any{"whole": true}}})
	l.Extensions = []suite.Extension{
		{Name: "part", Implies: []string{"crumb"}, ImpliedBy: []suite.Extension{{Name: "whole"}}}, {Name: "crumb"},
	}
	s, control, err := l.Survey(t.Context(), requirements.R20251125, &discover.Found{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = control.Close(t.Context()) }()
	want := map[string]probe.Claim{
		"part":  {Strength: probe.Weak, Where: "capabilities.experimental.whole, by whole"},
		"crumb": {Strength: probe.Weak, Where: "capabilities.experimental.whole, by whole, by part"},
	}
	if diff := cmp.Diff(want, s.Claims); diff != "" {
		t.Error(diff)
	}
}
