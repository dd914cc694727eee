package suites_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A case that also blames a request without an answer runs only where its own rule holds:
// elsewhere it would hold the wrong answer against the rule on answers.
func TestAnswersWithTheirRule(t *testing.T) {
	t.Parallel()
	rules, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	const answer requirements.ID = "jsonrpc-single-response"
	for _, s := range suites.All() {
		for _, c := range s.Cases {
			own := slices.DeleteFunc(slices.Clone(c.Checks), func(id requirements.ID) bool { return id == answer })
			if len(own) == len(c.Checks) || len(own) == 0 {
				continue
			}
			at := c.Revisions
			if at == nil {
				at = requirements.Revisions()
			}
			for _, r := range at {
				if !slices.ContainsFunc(own, func(id requirements.ID) bool {
					rule, known := rules.Find(id)
					_, holds := rule.At(r)
					return !known || holds
				}) {
					t.Errorf("%s runs at %s, where none of %v holds", c.ID, r, own)
				}
			}
		}
	}
}
