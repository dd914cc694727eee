package errors_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/errors"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type object = dialects.Object

// child is an object within another, or nil.
func child(o object, name string) object {
	inner, _ := o[name].(object)
	return inner
}

func page() dialects.Page {
	return dialects.Page{
		Suites: []suite.Suite{errors.Suite()}, Extensions: []string{"structured-errors"}, NotedBy: "record-of-failure",
		Config: func(c *config.Config) { c.Transport = config.HTTP },
	}
}

// telling is the reference server with a change of all that it says.
func telling(change func(message object)) dialects.Translator {
	return dialects.Translator{Out: func(message object) bool {
		if change != nil {
			change(message)
		}
		return true
	}}
}

// taken takes the record out of the canonical places of an answer; nil where it has
// none.
func taken(message object) (record object, inError bool) {
	if failure := child(message, "error"); failure != nil {
		if data := child(failure, "data"); data["category"] != nil {
			delete(failure, "data")
			return data, true
		}
		return nil, false
	}
	meta := child(child(message, "result"), "_meta")
	record = child(meta, "error")
	delete(meta, "error")
	delete(meta, dialects.Prefix+"error")
	return record, false
}

// put makes a change of a way to tell a tool error; JSON-RPC errors have theirs in
// data.error.
func put(tell func(result, record object)) func(object) {
	return func(message object) {
		switch record, inError := taken(message); {
		case record == nil:
		case inError:
			child(message, "error")["data"] = object{"error": record}
		default:
			tell(child(message, "result"), record)
		}
	}
}

// spoke lists the cases that did not pass, and why.
func spoke(report reports.Report) map[string]string {
	said := map[string]string{}
	for _, f := range report.Findings {
		if f.Status != reports.Pass && f.Status != reports.Skip {
			said[strings.TrimPrefix(f.Case, "ext-structured-errors/")] = string(f.Status)
		}
	}
	return said
}

// edited makes a change of the record of each failure.
func edited(change func(record object)) func(object) {
	return func(message object) {
		meta := child(child(message, "result"), "_meta")
		for _, record := range []object{child(child(message, "error"), "data"), child(meta, "error"), child(meta, dialects.Prefix+"error")} {
			if record["category"] != nil {
				change(record)
			}
		}
	}
}

// What the proposal allows, in any of its forms, is neither failed nor warned.
func TestLawfulForms(t *testing.T) {
	t.Parallel()
	page().Dialects(t, []dialects.Row{
		{Name: "canonical"},
		{Name: "beside the content", Unseen: "places-agree", Noted: "result.error, an older form",
			Server: telling(put(func(result, record object) { result["error"] = record }))},
		{Name: "in the structured content", Unseen: "places-agree", Noted: "structuredContent.error, an older form",
			Server: telling(put(func(result, record object) { result["structuredContent"] = object{"error": record} }))},
		{Name: "as structured content", Unseen: "places-agree", Noted: "structuredContent, an older form",
			Server: telling(put(func(result, record object) { result["structuredContent"] = record }))},
		{Name: "as text", Noted: "the JSON of the first text block, error, an older form", Server: telling(put(func(result, record object) {
			text, _ := json.Marshal(object{"error": record})
			result["content"] = []any{object{"type": "text", "text": string(text)}}
		}))},
		{Name: "prefixed alone", Unseen: "places-agree", Server: telling(func(message object) {
			if meta := child(child(message, "result"), "_meta"); meta[dialects.Prefix+"error"] != nil {
				delete(meta, "error")
			}
		})},
		{Name: "only what is mandatory", Unseen: "user-actionable-type suggestion-type details-type documentation-url " +
			"details-no-internals details-no-secrets suggestion-safe", Server: telling(edited(func(record object) {
			for _, name := range []string{"user_actionable", "suggestion", "details", "documentation_url"} {
				delete(record, name)
			}
		}))},
		{Name: "codes of its own", Unseen: "code-fits-category", Server: telling(edited(func(record object) { record["code"] = "HARBOUR_4" }))},
		{Name: "a rate limit as transient", Server: telling(edited(func(record object) {
			if record["category"] == "rate_limited" {
				record["category"] = "transient"
			}
		}))},
		{Name: "further properties, here and beside", Server: telling(edited(func(record object) {
			record["trace_id"], record["retryAfter"] = "4f1d", record["retry_after_seconds"]
		}))},
		{Name: "details that name public things", Server: telling(edited(func(record object) {
			record["details"] = object{"see": "https://harbour.example/home/berths", "at": "2026-07-28T12:30:00Z", "address": "203.0.113.7", "idempotency_key": "op-1"}
			record["suggestion"] = "Send it under a different idempotency key; never disable TLS."
		}))},
	})
}

// How much a slip counts depends on how the server claims the extension, and on what
// the configuration says.
func TestSeverity(t *testing.T) {
	t.Parallel()
	unclaimed := func(message object) { delete(child(child(message, "result"), "capabilities"), "extensions") }
	nameless := edited(func(record object) { record["category"] = "fatal" })
	leaking := edited(func(record object) { record["details"] = object{"upstream": "10.0.3.7"} })
	for _, row := range []struct {
		name   string
		change func(message object)
		config func(*config.Config)
		want   map[string]string
	}{
		{name: "claimed", change: leaking, want: map[string]string{"details-no-internals": "fail"}},
		{name: "not in production", change: leaking, config: func(c *config.Config) { c.Production = false }, want: map[string]string{"details-no-internals": "warn"}},
		{name: "seen among the errors, and not claimed", change: func(message object) { unclaimed(message); leaking(message) },
			want: map[string]string{"details-no-internals": "warn"}},
		{name: "suppressed", change: nameless, config: func(c *config.Config) { c.Claims.Suppressed = []string{"structured-errors"} }, want: map[string]string{}},
		{name: "a secret of the configuration", want: map[string]string{"details-no-secrets": "fail"}, config: func(c *config.Config) {
			c.Checked = []string{"barnacle-17"}
		}, change: edited(func(record object) { record["details"] = object{"code": "barnacle-17"} })},
		{name: "more than the kit looks through", want: map[string]string{"details-no-internals": "error", "details-no-secrets": "error"},
			change: edited(func(record object) { record["details"] = object{"log": strings.Repeat("the berth is free. ", 20_000)} })},
		{name: "an echo", want: map[string]string{}, change: edited(func(record object) { record["details"] = object{"sent": "{metres:14} BK-0"} })},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			report := page().Judge(t, telling(row.change), row.config)
			if diff := cmp.Diff(row.want, spoke(report)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The kit is a good client itself: it calls again only when the stated time is over,
// and repeats what is permanent only where repeating is what is judged.
func TestTheKitWaits(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var weather []time.Time
	releases := 0
	report := page().Judge(t, dialects.Translator{In: func(request object) {
		mu.Lock()
		defer mu.Unlock()
		switch child(request, "params")["name"] {
		case "weather_report":
			weather = append(weather, time.Now())
		case "release_berth":
			releases++
		}
	}}, func(c *config.Config) { c.Revisions = config.Revisions{Dates: []string{"2026-07-28"}} })
	if said := spoke(report); len(said) > 0 {
		t.Errorf("%v", said)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(weather) != 5 || releases != 1 {
		t.Fatalf("%d reports and %d releases were asked for, want 5 and 1", len(weather), releases)
	}
	if gap := weather[4].Sub(weather[3]); gap < time.Second {
		t.Errorf("the kit called again %s after it was told to wait a second", gap)
	}
}
