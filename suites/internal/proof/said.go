package proof

import (
	"encoding/json"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Said is the opinion of a case's watcher on a result, without a handshake.
func Said(t *testing.T, page suite.Suite, id, method string, result map[string]any) probe.Opinion {
	t.Helper()
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": result})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Cases {
		if c.ID == id && c.Watch != nil {
			version := map[string]any{protocol.MetaVersion: string(requirements.R20260728)}
			seen := probe.Seen{Revision: requirements.R20260728, Survey: &probe.Survey{}}
			request := probe.RequestText("1", method, probe.Object{"_meta": version})
			seen.Request = probe.Asked{Method: method, Frame: frame.New(frame.Sent, frame.KindMessage, []byte(request))}
			seen.Frame = frame.New(frame.Received, frame.KindMessage, answer)
			return c.Watch().See((&probe.Connection{}).See(seen))
		}
	}
	t.Fatalf("there is no watcher %s", id)
	return probe.Nothing()
}
