package findings_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

// Two servers know the run of one seed by heart, and are broken for anything else: what the
// kit makes up comes from the seed, so that neither passes with another one.
func TestServersTaughtToOneSeed(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]struct {
		offers string
		method string
		key    func(params map[string]any) string // what the server recognizes
		served any                                // for whatever it does not know
		judge  string
	}{
		"by whole requests": {"tools", "tools/call", whole, map[string]any{"content": []any{}}, "tools/unknown-name"},
		"by the names that are asked for": {"resources", "resources/read", func(params map[string]any) string {
			uri, _ := params["uri"].(string)
			return uri
		}, map[string]any{"contents": []any{}}, "resources/not-found-code"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			learned, learning := map[string]bool{}, true
			taught := &fakeserver.Server{
				Revisions: []string{"2025-11-25"}, Capabilities: fakeserver.Offers(server.offers),
				Answer: fakeserver.Answers{server.method: func(r fakeserver.Request) any {
					mu.Lock()
					defer mu.Unlock()
					key := server.key(r.Params)
					if learning {
						learned[key] = true
					}
					if learned[key] {
						code := map[string]int{"tools": -32602, "resources": -32002}[server.offers]
						return &fakeserver.Error{Code: code, Message: "there is no such thing", Data: map[string]any{"uri": r.Params["uri"]}}
					}
					return server.served
				}},
			}
			found := func(seed uint64) bool {
				report := proof.Judge(t, suites.Plan{
					Config: config.Default(), Local: &suites.Local{Serve: taught.Serve}, Seed: seed, Timeout: 20 * time.Second, Selected: lawful.Contents,
				})
				return slices.Contains(blamed(report), server.judge)
			}
			const first, second = 1, 2
			if found(first) {
				t.Errorf("%s is found while the server learns", server.judge)
			}
			mu.Lock()
			learning = false
			mu.Unlock()
			if found(first) {
				t.Errorf("%s is found with the seed that the server knows: what is made up does not come from the seed alone", server.judge)
			}
			if !found(second) {
				t.Errorf("%s is not found with another seed: the server foresees what is made up", server.judge)
			}
		})
	}
}

// whole is a request without what only its client chooses.
func whole(params map[string]any) string {
	var b strings.Builder
	_ = json.NewEncoder(&b).Encode([]any{params["name"], params["arguments"]})
	return b.String()
}
