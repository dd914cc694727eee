package server_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// A desk books berths over stdio and describes the results in few words.
type desk struct {
	*peer
	revision string
}

func newDesk(t *testing.T, revision string, o server.Options) desk {
	t.Helper()
	p := newPeer(t, made(t, o))
	p.open(revision)
	return desk{p, revision}
}

// book sends one call with the members of _meta, and says whether the call was run,
// replayed or refused.
func (d desk) book(arguments, meta string) string {
	d.t.Helper()
	d.send(spell(d.revision, `@tools/call {"name":"book_berth","arguments":{`+arguments+`},"_meta":{`+meta+`}}`))
	got := d.next()
	if told := tell(got); told != "id 1 ok" {
		return told
	}
	m, _ := result(d.t, got)["_meta"].(map[string]any)
	if m["was_replay"] == true {
		return "replay of " + booking(result(d.t, got))
	}
	return booking(result(d.t, got))
}

func booking(result map[string]any) string {
	return fmt.Sprint(result["content"].([]any)[1].(map[string]any)["text"])
}

const berthA4 = `"vessel":"X","berth":"A4"`

// The cases of the kit about keys do not show these.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		now := time.Date(2026, 8, 20, 10, 0, 3, 0, time.UTC)
		d := newDesk(t, revision, server.Options{Now: func() time.Time { return now }})
		for _, row := range []struct{ name, arguments, meta, want string }{
			{"first", berthA4, `"idempotency_key":"k"`, "BK-1"},
			{"repeat in another order", `"berth":"A4","vessel":"X"`, `"idempotency_key":"k"`, "replay of BK-1"},
			{"prefixed key", berthA4, `"io.github.mcp-extension-proposals/idempotency_key":"k"`, "replay of BK-1"},
			{"both keys", berthA4, `"idempotency_key":"k","io.github.mcp-extension-proposals/idempotency_key":"k"`, "replay of BK-1"},
			{"two keys", berthA4, `"idempotency_key":"k","io.github.mcp-extension-proposals/idempotency_key":"l"`, "id 1 -32602"},
			{"endless ttl", berthA4, `"idempotency_key":"e","idempotency_ttl_seconds":9000000000000000000`, "BK-2"},
		} {
			if got := d.book(row.arguments, row.meta); got != row.want {
				t.Errorf("%s: %s: got %s, want %s", revision, row.name, got, row.want)
			}
		}
	}
}

func TestIdempotencyMetadata(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		now := time.Date(2026, 8, 20, 10, 0, 3, 0, time.UTC)
		d := newDesk(t, revision, server.Options{Now: func() time.Time { return now }})
		for _, replay := range []bool{false, true, true} {
			d.send(spell(revision, `@tools/call {"name":"book_berth","arguments":{`+berthA4+`},"_meta":{"idempotency_key":"k"}}`))
			meta := result(t, d.next())["_meta"].(map[string]any)
			for _, prefix := range []string{"", "io.github.mcp-extension-proposals/"} {
				want := map[string]any{"idempotency_key": "k", "was_replay": replay, "original_timestamp": "2026-08-20T10:00:03.000000Z"}
				for name, value := range want {
					if prefix != "" && revision != modern {
						value = nil
					}
					if got := meta[prefix+name]; got != value {
						t.Errorf("%s: %s%s is %v, want %v", revision, prefix, name, got, value)
					}
				}
			}
			now = now.Add(time.Minute)
		}
	}
}

func TestIdempotencyOfParallelCalls(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	session := s.open("2025-11-25")
	var mu sync.Mutex
	told := map[string]int{}
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Go(func() {
			body := request("2025-11-25", fmt.Sprint(i+1), "tools/call",
				`"name":"book_berth","arguments":{`+berthA4+`},"_meta":{"idempotency_key":"k"}`)
			got := answerOf(t, s.do("POST", body, session...))
			mu.Lock()
			defer mu.Unlock()
			told[got]++
		})
	}
	calls.Wait()
	if told["BK-1"] != 1 || told["replay of BK-1"] != 7 {
		t.Errorf("got %v", told)
	}
}

func TestIdempotencyKeyInAHeader(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	body := request("2025-11-25", "1", "tools/call", `"name":"book_berth","arguments":{`+berthA4+`}`)
	if got := answerOf(t, s.do("POST", body, append(s.open("2025-11-25"), "X-Idempotency-Key: a b")...)); got != "id 1 -32602" {
		t.Errorf("a key with a space: %s", got)
	}
}
