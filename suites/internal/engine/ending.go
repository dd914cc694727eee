package engine

import (
	"context"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An ending is what one trial showed of the processes of a column: whether they end soon
// whatever is asked, as one does that finds no database.
type ending struct{ tried, soon bool }

// A process that ended by itself once may take a part longer to do so the next time.
const (
	longerBy    = 500 * time.Millisecond
	longestLife = 15 * time.Second
)

// endsAlone reports whether a process that ended while a case waited for an answer ends as soon
// where nothing is asked. The caller lets one case at a time try it.
func (c *column) endsAlone(ctx context.Context, f reports.Finding) bool {
	if c.Transport != requirements.Stdio ||
		c.tolerance().Serial() || c.tolerance().Displaces() {
		return false
	}
	if c.ending.tried {
		return c.ending.soon
	}
	c.ending.tried = true
	life := time.Duration(0)
	for _, fr := range f.Frames {
		life = max(life, time.Duration(fr.AtMs)*time.Millisecond)
	}
	control, err := c.open(ctx)
	if err != nil {
		return false
	}
	c.ending.soon = probe.ExitsWithin(ctx, control, min(life+longerBy, longestLife))
	c.server.run.closeBehind(ctx, c.server, control)
	return c.ending.soon
}
