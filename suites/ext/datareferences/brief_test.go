package datareferences_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const brief = asTool + `
    export-short: {tool: tool_1, arguments: {text: brief}}
`

// hurried serves its data while a reference lives, for an hour or briefly. So many of the
// brief ones are over before the first request for their data has arrived.
func (s shelf) hurried(late int, offers ...string) *fakeserver.Server {
	const data = "berth,fee\nA1,12\n"
	var host atomic.Value
	var ends sync.Map
	var giving sync.Mutex
	life := time.Hour
	s.put = func(result, reference object) {
		end := time.Now().Add(life)
		ends.Store(fmt.Sprint(reference["ref_id"]), end)
		reference["size_bytes"], reference["expires_at"] = len(data), end.UTC().Format(time.RFC3339Nano)
		reference["access_url"] = fmt.Sprintf("http://%s/data/%s", host.Load(), reference["ref_id"])
		result["_meta"] = object{"data_reference": reference}
	}
	server := s.server(offers...)
	server.Answer["tools/call"] = func(r fakeserver.Request) any {
		giving.Lock()
		defer giving.Unlock()
		life = time.Hour
		if arguments, _ := r.Params["arguments"].(object); arguments["text"] == "brief" {
			arguments["text"], life = "log", time.Second
			if late > 0 {
				late, life = late-1, 0
			}
		}
		return s.call(r)
	}
	server.HTTP.Around = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, asked := strings.CutPrefix(r.URL.Path, "/data/")
			end, known := ends.Load(id)
			switch {
			case !asked:
				host.Store(r.Host)
				next.ServeHTTP(w, r)
			case !known:
				http.NotFound(w, r)
			case !time.Now().Before(end.(time.Time)):
				http.Error(w, "gone", http.StatusGone)
			default:
				w.Header().Set("Content-Type", "text/csv; charset=utf-8")
				_, _ = io.WriteString(w, data)
			}
		})
	}
	return server
}

// On a busy machine some references may end before the kit has asked for their data.
func TestReferencesThatEndBeforeTheFirstLook(t *testing.T) {
	lawful.Servers(t, "ext-data-references", []lawful.Row{{
		Name: "references that have ended when their data is asked for", Config: brief, Over: requirements.HTTP,
		Server: shelf{}.hurried(3, "ext:data_references"), Judged: []string{"ext-data-references/expired-refused"},
	}})
}
