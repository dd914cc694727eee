// Package garbage tells a server whose process ends at any line that is no message from
// one that ends at a special text. The first one has one defect, which one case reports.
package garbage

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Line is a line that is no message.
const Line = "this line is not a message"

// LeaveToOne ends a case as not seen where Line ends a process of the server as well:
// stdio/survives-garbage-line reports that. The caller has seen a process end.
func LeaveToOne(c *probe.Client) {
	if c.Transport() != requirements.Stdio {
		return
	}
	other := c.Opened()
	other.Quiet()
	other.Send(Line)
	c.NotSeenIf(other.Barrier().Died(), "any line without a message ends the process; stdio/survives-garbage-line judges that")
}
