package discover_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A later revision that is listed and served may have requests of another form.
func TestLawful(t *testing.T) {
	t.Parallel()
	const later = "2027-02-11"
	lawful.Stateless(t, "a later revision", lawful.Contents, &fault.Fault{
		Without: server.Extensions(),
		Reply:   fault.Set("server/discover", "/result/supportedVersions", []any{later, string(requirements.R20260728)}),
		Inbound: fault.When(func(x fault.Exchange) bool {
			return fault.Meta(x.Params, "protocolVersion") == later
		}).Refuse(-32602, "a member of this revision is missing"),
	})
}
