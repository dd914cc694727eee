package idempotency_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const entries = `
roles:
  state-change:
    tool: enter
    arguments: {text: "kit-${nonce}"}
    other-arguments: {text: "kit-${nonce}-other"}
    invalid-arguments: {text: {}}
    observe: {tool: count, arguments: {text: "kit-${nonce}"}, mode: count}
`

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-idempotency", []lawful.Row{
		{Name: "claims idempotency, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:idempotency"), Tools: fakeserver.Tools(2),
		}},
		{
			Name:   "says nothing of a first call, and rejects what it may ignore",
			Config: entries, Over: requirements.Stdio, Server: (&logbook{}).server(),
		},
		{
			Name:   "ignores what is no time to live",
			Config: entries, Over: requirements.Stdio, Server: (&logbook{lenient: true}).server(),
			Judged: []string{"ext-idempotency/ttl-malformed-zero", "ext-idempotency/ttl-malformed-fraction"},
		},
	})
}

// A logbook counts entries, and keeps the answers to calls with a key.
type logbook struct {
	mu      sync.Mutex
	entries map[string]int
	kept    map[string]kept
	lenient bool // a malformed lifetime is none
}

type kept struct {
	call      string
	at, until time.Time
}

func (l *logbook) server() *fakeserver.Server {
	l.entries, l.kept = map[string]int{}, map[string]kept{}
	s := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools", "ext:idempotency"),
		Tools:        []map[string]any{fakeserver.Tool("enter", false), fakeserver.Tool("count", true)},
	}
	s.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		usual := s.Call(r)
		result, ok := usual.(map[string]any)
		if !ok || result["isError"] == true {
			return usual
		}
		arguments, _ := r.Params["arguments"].(map[string]any)
		text, _ := arguments["text"].(string)
		l.mu.Lock()
		defer l.mu.Unlock()
		if r.Params["name"] == "count" {
			return fakeserver.Text(fmt.Sprint(l.entries[text]))
		}
		return l.enter(r, text)
	}}
	return s
}

// enter runs a call, or answers from what is kept.
func (l *logbook) enter(r fakeserver.Request, text string) any {
	meta, _ := r.Params["_meta"].(map[string]any)
	key, keyed := meta["idempotency_key"]
	result := fakeserver.Text("entered")
	if !keyed {
		l.entries[text]++
		return result
	}
	name, _ := key.(string)
	ttl, ok := lifetime(meta)
	if !ok && l.lenient {
		ttl, ok = day, true
	}
	if !ok || !regexp.MustCompile(`^[A-Za-z0-9_:.-]{1,128}$`).MatchString(name) {
		return &fakeserver.Error{Code: -32602, Message: "the key or its lifetime is malformed"}
	}
	call, _ := json.Marshal([]any{r.Params["name"], r.Params["arguments"]})
	before, known := l.kept[name]
	switch {
	case known && time.Now().Before(before.until) && before.call != string(call):
		return &fakeserver.Error{Code: -32602, Message: "IDEMPOTENCY_CONFLICT"}
	case known && time.Now().Before(before.until):
		result["_meta"] = map[string]any{
			"idempotency_key": name, "was_replay": true, "original_timestamp": before.at.UTC().Format(time.RFC3339Nano),
		}
	default:
		l.entries[text]++
		l.kept[name] = kept{string(call), time.Now(), time.Now().Add(ttl)}
		result["_meta"] = map[string]any{"idempotency_key": name}
	}
	return result
}

const day = 24 * time.Hour

// lifetime is that of a key: a day, if the call does not say it.
func lifetime(meta map[string]any) (time.Duration, bool) {
	given, ok := meta["idempotency_ttl_seconds"]
	if !ok {
		return day, true
	}
	seconds, ok := given.(float64)
	return time.Duration(seconds) * time.Second, ok && seconds > 0 && seconds == float64(int(seconds))
}

// Where the tool itself asks the user, no confirmation comes with a second call.
func TestLawfulQuestion(t *testing.T) {
	t.Parallel()
	lawful.Stateless(t, "asks by elicitation", func(_ suite.Suite, c suite.Case) bool { return c.ID == "ext-idempotency/after-question" },
		&fault.Fault{Ext: confirmation.Switches{AsksUser: true}})
}
