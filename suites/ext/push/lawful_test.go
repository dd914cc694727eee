package push_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/push"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type object = map[string]any

const config = `roles: {events: {types: [knock], filter: {door: a}, matching: {tool: knock, arguments: {door: a}},
other: {tool: knock, arguments: {door: b}}, second-type: {type: ring, tool: ring, arguments: {door: a}}}}`

const told = `roles: {events: {types: [knock], filter: {way: in}, matching: {tool: knock, arguments: {door: "a-${nonce}", way: in}},
other: {tool: knock, arguments: {door: "b-${nonce}", way: out}}, second-type: {type: ring, tool: ring, arguments: {door: a, way: in}}}}`

func TestLawful(t *testing.T) {
	rows := []lawful.Row{
		{Name: "older names, no optional properties, shorter lives", Server: (&doors{}).server(), Config: config, Over: requirements.Stdio},
		{Name: "the events of the demos", Server: (&doors{demo: true}).server(), Config: config, Over: requirements.Stdio, Warned: []string{"ext-push/event-shape"}},
		{Name: "nothing carries events", Server: polled(object{"subscription_id": "none", "status": "denied", "reason": "Ask again."}), Config: config},
		{Name: "nothing carries events, denied without a reason", Server: polled(object{"subscription_id": "none", "status": "denied"}),
			Judged: []string{"ext-push/denied-explained"}},
		{Name: "nothing carries events, in the words of the text", Server: polled(object{}), Judged: []string{"ext-push/denied-explained"}},
		{Name: "one stream for a session, which somebody else has opened", Server: (&doors{}).streaming(), Config: config, Over: requirements.HTTP,
			Judged: []string{"ext-push/delivers", "ext-push/event-shape", "ext-push/filter", "ext-push/order", "ext-push/independent"}},
		{Name: "two events for what happens, each with what it is about", Server: (&doors{parts: true}).server(), Config: told, Over: requirements.Stdio,
			Judged: []string{"ext-push/each-event", "ext-push/filter", "ext-push/id-reused"}},
		{Name: "claimed, and no events are named", Server: (&doors{}).server(), Over: requirements.Stdio},
	}
	lawful.Servers(t, "ext-push", rows)
}

// doors tells of knocks at doors. It knows its methods by their older names, and ends a
// subscription earlier than it is asked to.
type doors struct {
	demo  bool // events are in the form of the demos
	parts bool // there are two events of each kind, with a payload

	mu   bubblelock.Mutex
	at   io.Writer // the connection that is served
	kept []watch
	due  []string // what is to be sent on that connection
}

type watch struct {
	at     io.Writer
	id     string
	types  []string
	filter object
	ends   time.Time
}

func (d *doors) server() *fakeserver.Server {
	tools := []map[string]any{knocker("knock"), knocker("ring")}
	s := &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "ext:subscribe_notify"), Tools: tools}
	s.Answer = fakeserver.Answers{
		"subscribe": d.subscribe, "unsubscribe": d.unsubscribe,
		"tools/call": func(r fakeserver.Request) any {
			if arguments, ok := r.Params["arguments"].(object); ok && (r.Params["name"] == "knock" || r.Params["name"] == "ring") && arguments["door"] != nil {
				d.raise(r.Params["name"].(string), arguments)
			}
			return s.Call(r)
		},
	}
	s.Stdio.Line = func(line []byte, out io.Writer) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.at, d.due = out, nil
		for _, text := range slices.Concat([]string{s.Reply(line)}, d.due) {
			if text != "" {
				_, _ = io.WriteString(out, text+"\n")
			}
		}
		return true
	}
	return s
}

// A corridor is the one stream of a session.
type corridor struct {
	io.Writer
	lines chan string
	open  bool
	posts int
}

// streaming is the server over Streamable HTTP. Once a session is in use, somebody else has
// its stream.
func (d *doors) streaming() *fakeserver.Server {
	s := d.server()
	s.HTTP.Sessions = true
	sessions := map[string]*corridor{}
	of := func(r *http.Request) *corridor {
		id := r.Header.Get("Mcp-Session-Id")
		if sessions[id] == nil {
			sessions[id] = &corridor{lines: make(chan string, 64)}
		}
		return sessions[id]
	}
	s.HTTP.Around = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				next.ServeHTTP(w, r)
				return
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			c := of(r)
			c.posts++
			d.at, d.due = c, nil
			next.ServeHTTP(w, r)
			for _, text := range d.due {
				c.lines <- text
			}
		})
	}
	s.HTTP.Get = func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		c := of(r)
		taken := c.open || c.posts > 6
		c.open = c.open || !taken
		d.mu.Unlock()
		if taken {
			http.Error(w, "the session has a stream", http.StatusConflict)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case text := <-c.lines:
				_, _ = io.WriteString(w, "data: "+text+"\n\n")
			case <-r.Context().Done():
				d.mu.Lock()
				c.open = false
				d.mu.Unlock()
				return
			}
		}
	}
	return s
}

func knocker(name string) map[string]any {
	return object{"name": name, "inputSchema": object{
		"type": "object", "properties": object{"door": object{"type": "string"}}, "required": []any{"door"},
	}}
}

func (d *doors) subscribe(r fakeserver.Request) any {
	events, ok := r.Params["events"].([]any)
	types := probe.Strings(events)
	unknown := slices.ContainsFunc(types, func(event string) bool { return event != "knock" && event != "ring" })
	id, named := r.Params["subscription_id"].(string)
	if !ok || unknown || d.find(id) >= 0 {
		return &fakeserver.Error{Code: -32602, Message: "no such events, or the id is in use"}
	}
	if !named {
		id = "w" + strings.Repeat("i", len(d.kept)+1)
	}
	seconds, _ := r.Params["ttl_seconds"].(float64)
	w := watch{at: d.at, id: id, types: types, ends: time.Now().Add(time.Duration(min(max(seconds, 1), 30)) * time.Second)}
	w.filter, _ = r.Params["filter"].(object)
	d.kept = append(d.kept, w)
	answer := object{"subscription_id": id, "status": "active", "expires_at": w.ends.UTC().Format(time.RFC3339Nano)}
	if d.parts {
		answer["supported_events"] = []any{"kno*", "ring"}
	}
	return answer
}

func (d *doors) find(id string) int {
	return slices.IndexFunc(d.kept, func(w watch) bool { return w.id == id && w.at == d.at })
}

func (d *doors) unsubscribe(r fakeserver.Request) any {
	id, _ := r.Params["subscription_id"].(string)
	i := d.find(id)
	if i < 0 {
		return &fakeserver.Error{Code: -32602, Message: "no such subscription"}
	}
	d.kept = slices.Delete(d.kept, i, i+1)
	return object{}
}

func (d *doors) raise(event string, arguments object) {
	for _, w := range d.kept {
		if w.at != d.at || !slices.Contains(w.types, event) || !within(w.filter, arguments) || time.Now().After(w.ends) {
			continue
		}
		params := object{"type": "event", "subscription_id": w.id, "event": event, "timestamp": time.Now().UTC().Format(time.RFC3339Nano)}
		if d.demo {
			params = object{"subscription_id": w.id, "event_type": event, "timestamp": params["timestamp"], "payload": arguments}
		}
		for part := range 2 {
			if d.parts {
				params["payload"] = object{"door": arguments["door"], "way": arguments["way"], "part": part}
			}
			if part == 0 || d.parts {
				d.due = append(d.due, probe.JSON(object{"jsonrpc": "2.0", "method": "notifications/event", "params": params}))
			}
		}
	}
}

func within(filter, payload object) bool {
	for name, value := range filter {
		if payload[name] != value {
			return false
		}
	}
	return true
}

// polled says of each subscription that it has to be polled, and whatever else is given.
func polled(more object) *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools", "ext:subscribe_notify"), Tools: []map[string]any{knocker("knock"), knocker("ring")},
		Answer: fakeserver.Answers{
			"events/subscribe": func(r fakeserver.Request) any {
				if _, ok := r.Params["events"].([]any); !ok {
					return &fakeserver.Error{Code: -32602, Message: "events is missing"}
				}
				answer := object{"supported": false, "poll_interval_seconds": 2.5}
				maps.Copy(answer, more)
				return answer
			},
			"events/unsubscribe": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32602, Message: "no such subscription"} },
		},
	}
}

// ended tells the ends of subscriptions that a request names and its acknowledgement does not.
func ended(x fault.Exchange, acknowledgement fault.Message) []fault.Message {
	if acknowledgement["method"] != "notifications/subscriptions/acknowledged" {
		return nil
	}
	const events = "io.github.mcp-extension-proposals/events"
	var asked struct{ Notifications map[string]any }
	_ = json.Unmarshal(x.Params, &asked)
	var agreed struct {
		Params struct {
			Notifications map[string]any
			Meta          object `json:"_meta"`
		}
	}
	_ = json.Unmarshal([]byte(probe.JSON(acknowledgement)), &agreed)
	var told []fault.Message
	for _, id := range probe.Strings(asked.Notifications[events]) {
		if !slices.Contains(probe.Strings(agreed.Params.Notifications[events]), id) {
			told = append(told, fault.Message{"jsonrpc": "2.0", "method": "notifications/subscription_terminated", "params": object{
				"subscription_id": id, "timestamp": time.Now().UTC().Format(time.RFC3339), "reason": "Nobody listened.", "_meta": agreed.Params.Meta,
			}})
		}
	}
	return told
}

// Without a handshake: what is optional is left out, refusals are errors, and a
// subscription has an end of its own.
func TestLawfulStateless(t *testing.T) {
	t.Parallel()
	const subscribed = "events/subscribe"
	own := func(s suite.Suite, _ suite.Case) bool { return s.Name == "ext-push" }
	for name, habit := range map[string]*fault.Fault{
		"bare events": {Notify: fault.Drop("notifications/event", "/params/payload", "/params/action_hint")},
		"bare answers": {Reply: fault.Changes(
			fault.Drop(subscribed, "/result/supported_events"), fault.Drop("events/unsubscribe", "/result/status", "/result/subscription_id"),
		)},
		"further properties": {
			Notify: fault.Set("notifications/event", "/params/vendor", map[string]any{"x": 1}), Reply: fault.Set(subscribed, "/result/vendor", true),
		},
		"the end of a subscription is told to who listens again": {
			Ext: push.Switches{EndsWithStream: true},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				return append([]fault.Message{m}, ended(x, m)...)
			},
		},
		"errors in place of denials": {Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && x.Method == subscribed && result["status"] == "denied" {
				m.Become(x.Refusal(-32602, "there is no such event"))
			}
		}},
	} {
		lawful.Stateless(t, name, own, habit)
	}
}
