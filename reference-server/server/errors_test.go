package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// recorded is what an answer tells in its record; nil where it has none.
func recorded(t *testing.T, line string) map[string]any {
	t.Helper()
	var m struct {
		Error  struct{ Data map[string]any }
		Result struct {
			Meta map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	if m.Error.Data["category"] != nil {
		return m.Error.Data
	}
	record, _ := m.Result.Meta["error"].(map[string]any)
	return record
}

// Failures of all kinds have a record beside what the protocol says, and only that
// where the extension is switched off.
func TestFailuresHaveRecords(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		told := newPeer(t, made(t, server.Options{}))
		plain := newPeer(t, made(t, server.Options{Extensions: []string{"idempotency"}}))
		told.open(revision)
		plain.open(revision)
		notFound := "RESOURCE_NOT_FOUND permanent"
		for _, row := range []struct{ name, method, params, want string }{
			{"unknown method", "harbour/close", ``, "UNSUPPORTED_OPERATION permanent"},
			{"unknown tool", "tools/call", `"name":"no_such_tool"`, "INVALID_INPUT invalid_input"},
			{"invalid arguments", "tools/call", `"name":"find_berth","arguments":{}`, "INVALID_INPUT invalid_input"},
			{"unknown booking", "tools/call", `"name":"release_berth","arguments":{"booking":"BK-0"}`, notFound},
			{"unknown resource", "resources/read", `"uri":"harbour://nowhere"`, notFound},
			{"failing tool", "tools/call", `"name":"test_error_handling"`, "SERVER_ERROR permanent"},
			{"busy channel", "tools/call", `"name":"pilot_boat","arguments":{"channel":16}`, "SERVER_UNAVAILABLE transient"},
			{"free channel", "tools/call", `"name":"pilot_boat"`, ""},
		} {
			line := request(revision, "7", row.method, row.params)
			told.send(line)
			plain.send(line)
			with, without := told.next(), plain.next()
			record := recorded(t, with)
			got := ""
			if record != nil {
				got, _ = record["code"].(string)
				category, _ := record["category"].(string)
				got += " " + category
			}
			if got != row.want {
				t.Errorf("%s at %s: %q, want %q", row.name, revision, got, row.want)
			}
			if _, timed := record["retry_after_seconds"]; timed != strings.HasSuffix(row.want, "transient") {
				t.Errorf("%s at %s states a time: %v", row.name, revision, timed)
			}
			if tell(with) != tell(without) || recorded(t, without) != nil {
				t.Errorf("%s at %s: without the extension it is %s, and with it %s", row.name, revision, without, with)
			}
		}
	}
}

// A station answers three times in a row, and the wait that it states is true.
func TestStationsHaveLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 20, 10, 0, 3, 0, time.UTC)
	p := newPeer(t, made(t, server.Options{Now: func() time.Time { return now }}))
	p.open("2025-11-25")
	ask := func(station string) map[string]any {
		p.send(request("2025-11-25", "7", "tools/call", `"name":"weather_report","arguments":{"station":"`+station+`"}`))
		return recorded(t, p.next())
	}
	for i := range 3 {
		if record := ask("mole"); record != nil {
			t.Fatalf("call %d is refused: %v", i+1, record)
		}
	}
	now = now.Add(300 * time.Millisecond)
	if record := ask("mole"); record["code"] != "RATE_LIMIT_EXCEEDED" || record["retry_after_seconds"] != float64(1) {
		t.Errorf("the fourth call is told %v", record)
	}
	if record := ask("lock"); record != nil {
		t.Errorf("another station is told %v", record)
	}
	now = now.Add(700 * time.Millisecond)
	if record := ask("mole"); record == nil {
		t.Error("it answers before the wait is over")
	}
	now = now.Add(300 * time.Millisecond)
	if record := ask("mole"); record != nil {
		t.Errorf("after the wait it is told %v", record)
	}
}
