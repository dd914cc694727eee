package proposal

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Tolerance is how far two clocks may lie apart.
const Tolerance = 5 * time.Second

// Pause lets time pass. It ends early only with the connection.
func Pause(c *probe.Client, d time.Duration) {
	if most := c.Waits().Max; d > most {
		c.Undecide(fmt.Sprintf("this takes a wait of %s, and wait.max is %s", d, most))
	}
	c.Await(c.Mark(), d, func(probe.Seen) bool { return false })
}

// Moment reads a timestamp; RFC 3339 allows small letters.
func Moment(v any) (time.Time, bool) {
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	return at, err == nil
}

// Clock is the time that the server gives its answer, or otherwise where it does
// not tell.
func Clock(reply *probe.Reply, otherwise time.Time) time.Time {
	if at, err := http.ParseTime(reply.Header("Date")); err == nil {
		return at
	}
	return otherwise
}
