package discover_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
)

// Openings that met the same but for a time or a port have a common cause; different
// openings, and answers, have none.
func TestCause(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		tried []string
		want  string
	}{
		"silence": {[]string{"initialize 2025-11-25: no answer within 9.7s", "server/discover: no answer within 11.7s"}, "no answer within 9.7s"},
		"resets": {[]string{"initialize 2025-11-25: the end of the connection: read 127.0.0.1:41: reset",
			"server/discover: the end of the connection: read 127.0.0.1:52: reset"}, "the end of the connection: read 127.0.0.1:41: reset"},
		"several": {[]string{"initialize 2025-11-25: no answer within 9.7s", "server/discover: HTTP status 404"}, "no known revision was agreed on"},
		"several lines": {[]string{"initialize 2025-11-25: no answer within 2s; what came instead is a message over 9 lines, want it on one: {}",
			"server/discover: no answer within 2s; what came instead is a message over 8 lines, want it on one: { }"},
			"the server writes a message over several lines, want it on one line"},
		"errors":  {[]string{"initialize 2025-11-25, server/discover: error -32600"}, "no known revision was agreed on"},
		"results": {[]string{"initialize 2025-11-25, server/discover: result {}"}, "no known revision was agreed on"},
	} {
		said := strings.Split((&discover.Found{Tried: row.tried}).Unspoken(), "\n")
		if !strings.HasSuffix(said[0], row.want) {
			t.Errorf("%s: got %q, want %q", name, said[0], row.want)
		}
		if diff := cmp.Diff("  "+strings.Join(row.tried, "\n  "), strings.Join(said[1:], "\n")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
