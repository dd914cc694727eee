package hostile_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/broken"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A locked server whose OAuth documents never end is judged in less than a minute: the kit
// asks for them beside each other, and again only for the one that it blames.
func TestDocumentsWithoutEnd(t *testing.T) {
	for _, server := range broken.LockedServers() {
		t.Run(server.Name, func(t *testing.T) {
			bubble.Run(t, func(t *testing.T) {
				var mu sync.Mutex
				asked := map[string]int{}
				handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/mcp" {
						mu.Lock()
						asked[r.URL.Path]++
						mu.Unlock()
					}
					server.ServeHTTP(w, r)
				})
				began := time.Now()
				report, err := suites.Judge(t.Context(), suites.Plan{
					Config: config.Default(), Seed: 1, Local: plan.Rigged(suites.Local{Handler: handler, Path: "/mcp"}, plan.Rig{Within: true}),
				})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s, asked %v: %s", time.Since(began), asked, told(report))
				if took := time.Since(began); took > time.Minute {
					t.Errorf("the run took %s", took)
				}
				if !says(report, "does not end") {
					t.Error("no finding names the document")
				}
				for path, times := range asked {
					const named = "/.well-known/oauth-protected-resource/mcp" // asked again before it is blamed, on two connections
					if strings.HasPrefix(path, "/.well-known/") && times > 1 && path != named || times > 3 {
						t.Errorf("%s was asked %d times", path, times)
					}
				}
			})
		})
	}
}
