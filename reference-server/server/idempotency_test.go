package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// A desk books berths over stdio and says in few words what came of it.
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

// book sends one call with the members of _meta, and tells whether it was
// run, replayed or refused.
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

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 127)
	for _, revision := range revisions() {
		now := time.Date(2026, 8, 20, 10, 0, 3, 0, time.UTC)
		d := newDesk(t, revision, server.Options{Now: func() time.Time { return now }})
		refused := "id 1 tool error"
		if revision < "2025-11-25" {
			refused = "id 1 -32602"
		}
		for _, row := range []struct{ name, arguments, meta, want string }{
			{"without key", berthA4, ``, "BK-1"},
			{"without key again", berthA4, ``, "BK-2"},
			{"first", berthA4, `"idempotency_key":"k"`, "BK-3"},
			{"repeat", berthA4, `"idempotency_key":"k"`, "replay of BK-3"},
			{"repeat in another order", `"berth":"A4","vessel":"X"`, `"idempotency_key":"k"`, "replay of BK-3"},
			{"prefixed key", berthA4, `"io.github.mcp-extension-proposals/idempotency_key":"k"`, "replay of BK-3"},
			{"both keys", berthA4, `"idempotency_key":"k","io.github.mcp-extension-proposals/idempotency_key":"k"`, "replay of BK-3"},
			{"two keys", berthA4, `"idempotency_key":"k","io.github.mcp-extension-proposals/idempotency_key":"l"`, "id 1 -32602"},
			{"other arguments", `"vessel":"X","berth":"A5"`, `"idempotency_key":"k"`, "id 1 tool error"},
			{"other case", berthA4, `"idempotency_key":"K"`, "BK-4"},
			{"charset", berthA4, `"idempotency_key":"A-z_0:9.x"`, "BK-5"},
			{"longest", berthA4, `"idempotency_key":"` + long + `1"`, "BK-6"},
			{"longest but one character", berthA4, `"idempotency_key":"` + long + `2"`, "BK-7"},
			{"too long", berthA4, `"idempotency_key":"` + long + `12"`, "id 1 -32602"},
			{"empty", berthA4, `"idempotency_key":""`, "id 1 -32602"},
			{"blank", berthA4, `"idempotency_key":"a b"`, "id 1 -32602"},
			{"umlaut", berthA4, `"idempotency_key":"k\u00e4se"`, "id 1 -32602"},
			{"number", berthA4, `"idempotency_key":17`, "id 1 -32602"},
			{"text as ttl", berthA4, `"idempotency_key":"t","idempotency_ttl_seconds":"10"`, "id 1 -32602"},
			{"zero ttl", berthA4, `"idempotency_key":"t","idempotency_ttl_seconds":0`, "id 1 -32602"},
			{"negative ttl", berthA4, `"idempotency_key":"t","idempotency_ttl_seconds":-5`, "id 1 -32602"},
			{"broken ttl", berthA4, `"idempotency_key":"t","idempotency_ttl_seconds":1.5`, "id 1 -32602"},
			{"endless ttl", berthA4, `"idempotency_key":"e","idempotency_ttl_seconds":9000000000000000000`, "BK-8"},
			{"refused call", `"vessel":"X"`, `"idempotency_key":"r"`, refused},
			{"mended call", berthA4, `"idempotency_key":"r"`, "BK-9"},
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

func TestIdempotencyLifetime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 20, 10, 0, 3, 0, time.UTC)
	d := newDesk(t, "2025-11-25", server.Options{Now: func() time.Time { return now }})
	const key, short = `"idempotency_key":"k"`, `"idempotency_key":"s","idempotency_ttl_seconds":2`
	for _, step := range []struct {
		after      time.Duration
		meta, want string
	}{
		{0, key, "BK-1"},
		{0, short, "BK-2"},
		{time.Second, short, "replay of BK-2"},
		{time.Second, short, "BK-3"},
		{23 * time.Hour, key, "replay of BK-1"},
		{time.Hour, key, "BK-4"},
	} {
		now = now.Add(step.after)
		if got := d.book(berthA4, step.meta); got != step.want {
			t.Errorf("%s later: got %s, want %s", step.after, got, step.want)
		}
	}
}

func TestIdempotencyOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	book := func(meta string, as []string, headers ...string) string {
		body := request("2025-11-25", "1", "tools/call", `"name":"book_berth","arguments":{`+berthA4+`},"_meta":{`+meta+`}`)
		response := s.do("POST", body, append(s.open("2025-11-25", as...), headers...)...) // a new session each time
		return answerOf(t, response)
	}
	const key = `"idempotency_key":"k"`
	for _, row := range []struct{ name, meta, header, principal, want string }{
		{"first", key, "", "", "BK-1"},
		{"after reconnecting", key, "", "", "replay of BK-1"},
		{"by header", ``, "k", "", "replay of BK-1"},
		{"by both", key, "k", "", "replay of BK-1"},
		{"contradiction", key, "l", "", "id 1 -32602"},
		{"malformed header", ``, "a b", "", "id 1 -32602"},
		{"first by header", ``, "h", "", "BK-2"},
		{"as somebody", key, "", "one", "BK-3"},
		{"as somebody else", key, "", "two", "BK-4"},
		{"as somebody again", key, "", "one", "replay of BK-3"},
	} {
		var headers, as []string
		if row.header != "" {
			headers = append(headers, "X-Idempotency-Key: "+row.header)
		}
		if row.principal != "" {
			as = append(as, "Authorization: Bearer "+row.principal)
		}
		if got := book(row.meta, as, headers...); got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
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

func TestIdempotencyFaultsChangeOneThing(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		fault               idempotency.Switches
		first, repeat, then string // the last is another call under another key
	}{
		{idempotency.Switches{}, "BK-1", "replay of BK-1", "BK-2"},
		{idempotency.Switches{SecondEffect: true}, "BK-1", "replay of BK-1", "BK-3"},
		{idempotency.Switches{NoReplayFlag: true}, "BK-1", "BK-1", "BK-2"},
		{idempotency.Switches{ReplayFlagOnFirst: true}, "replay of BK-1", "replay of BK-1", "replay of BK-2"},
		{idempotency.Switches{IgnoreKey: true}, "BK-1", "BK-2", "BK-3"},
		{idempotency.Switches{RepeatInternal: true}, "BK-1", "id 1 -32603", "BK-2"},
		{idempotency.Switches{ShortDefault: true}, "BK-1", "BK-2", "BK-3"},
		{idempotency.Switches{ShortKeys: true}, "BK-1", "replay of BK-1", "BK-2"},
	} {
		d := newDesk(t, "2025-11-25", server.Options{Fault: &fault.Fault{Ext: row.fault}})
		got := []string{d.book(berthA4, `"idempotency_key":"k"`), d.book(berthA4, `"idempotency_key":"k"`),
			d.book(berthA4, `"idempotency_key":"l"`)}
		if want := []string{row.first, row.repeat, row.then}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: got %v, want %v", row.fault, got, want)
		}
	}
}
