package idempotency

import "github.com/mcp-conform/mcp-conform/suites/suite"

// FewKeys is the suite with the case on the bound of the store alone, which sends two
// hundred keys instead of many thousand.
func FewKeys() suite.Suite {
	s := Suite()
	for _, c := range s.Cases {
		if c.ID == "ext-idempotency/store-bounded" {
			c.Run = on(storeBounded(2))
			s.Cases = []suite.Case{c}
			break
		}
	}
	return s
}
