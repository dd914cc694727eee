package refusals

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// MustBeAtOnce ends a case about the limit on a rate where its requests took too long: what
// is refused within a second may be served after it, and the machine may be busy.
func MustBeAtOnce(c *probe.Client, began time.Time) {
	c.UndecideIf(time.Since(began) > time.Second, "the requests took more than a second, and the limit may hold for no longer")
}
