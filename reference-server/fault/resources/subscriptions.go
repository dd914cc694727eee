package resources

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	updated = "notifications/resources/updated"
	change  = "test_trigger_resource_update"
)

// handshake and modern are the columns of faults that concern notifications.
func handshake() []fault.Column {
	return append(fault.OverStdio(requirements.R20251125), fault.OverHTTP(requirements.R20251125)...)
}

func modern() []fault.Column {
	return append(fault.OverStdio(requirements.R20260728), fault.OverHTTP(requirements.R20260728)...)
}

// without drops a notification.
func without(method string) func(fault.Exchange, fault.Message) []fault.Message {
	return func(_ fault.Exchange, m fault.Message) []fault.Message {
		if m["method"] == method {
			return nil
		}
		return []fault.Message{m}
	}
}

func told(method string, params map[string]any) fault.Message {
	return fault.Message{"jsonrpc": "2.0", "method": method, "params": params}
}

// concerns says whether an earlier message of the conversation had the method and names
// the watched resource.
func concerns(x fault.Exchange, method string) bool {
	return slices.ContainsFunc(x.Past, func(a fault.Asked) bool {
		return a.Method == method && strings.Contains(string(a.Params), watched)
	})
}

// subscribing are faults of the subscriptions that a handshake has.
func subscribing() []fault.Fault {
	unasked := fault.Tool(change).And(func(x fault.Exchange) bool { return !concerns(x, "resources/subscribe") })
	return []fault.Fault{
		{Breaks: "resources-subscribe-accepted", Each: []fault.Fault{
			{
				Name: "resources-subscribe-unknown", Title: "subscribe is declared, and resources/subscribe is an unknown method",
				Inbound: fault.On("resources/subscribe").Refuse(-32601, "unknown method"),
			},
			{
				Name: "resources-unsubscribe-unknown", Title: "subscribe is declared, and resources/unsubscribe is an unknown method",
				Inbound: fault.On("resources/unsubscribe").Refuse(-32601, "unknown method"),
			},
		}},
		{
			Name: "resources-updated-unasked", Title: "changes are told to a client that did not subscribe",
			Breaks: "resources-updated-only-subscribed", Kills: []string{"resources/updated-only-subscribed"}, In: handshake()[:1],
			Send: unasked.Before(told(updated, map[string]any{"uri": watched})),
		},
		{
			Name: "resources-updated-any-subscription", Title: "changes are told to a client that subscribed to another resource",
			Breaks: "resources-updated-only-subscribed", Kills: []string{"resources/updated-other-resource"}, In: handshake()[:1],
			Send: unasked.And(func(x fault.Exchange) bool {
				subscribed := 0
				for _, a := range x.Past {
					switch a.Method {
					case "resources/subscribe":
						subscribed++
					case "resources/unsubscribe":
						subscribed--
					}
				}
				return subscribed > 0
			}).Before(told(updated, map[string]any{"uri": watched})),
		},
		{
			Name: "resources-updated-everybody", Title: "changes are told to all sessions, whoever subscribed",
			Breaks: "resources-updated-only-subscribed", Kills: []string{"resources/updated-nobody-else"}, In: handshake()[1:],
			May:  []string{"resources/updated-only-subscribed", "resources/unsubscribe-effective"},
			Skip: []fault.Check{fault.CheckSubscriber},
		},
		{
			Name: "resources-updated-never", Title: "subscribers are not told of changes", Breaks: "resources-updated-after-change",
			In: handshake(), Send: without(updated),
		},
		{
			Name: "resources-unsubscribe-ignored", Title: "resources/unsubscribe is answered and changes nothing",
			Breaks: "resources-unsubscribe-effective", In: handshake(),
			Inbound: fault.On("resources/unsubscribe").Answer(map[string]any{}),
		},
	}
}

// updates are malformed notifications of changes.
func updates() []fault.Fault {
	return []fault.Fault{{
		Breaks: "resources-updated-schema", May: []string{"resources/updated-after-change", "resources/listen-updates-delivered"},
		Each: []fault.Fault{
			{Name: "resources-updated-nameless", Title: "the notification of a change names no URI", Notify: fault.Drop(updated, "/params/uri")},
			{
				Name: "resources-updated-number", Title: "the notification of a change has a number as URI",
				Notify: fault.Set(updated, "/params/uri", 7),
			},
			{
				Name: "resources-updated-path", Title: "the notification of a change names a path without a scheme",
				Notify: fault.Set(updated, "/params/uri", "watched-resource"),
			},
		},
	}}
}

// What a subscription without a handshake says.
const (
	listen       = "subscriptions/listen"
	acknowledged = "notifications/subscriptions/acknowledged"
	tag          = "io.modelcontextprotocol/subscriptionId"
)

func tagged(id any) map[string]any { return map[string]any{"_meta": map[string]any{tag: id}} }

// ended is the result that ends a subscription.
func ended(x fault.Exchange) map[string]any {
	return map[string]any{"resultType": "complete", "_meta": map[string]any{tag: x.ID}}
}

// opening are subscriptions that begin in the wrong way.
func opening() []fault.Fault {
	return []fault.Fault{
		{
			Name: "resources-listen-unknown", Title: "changes are declared, and subscriptions/listen is an unknown method",
			Breaks: "resources-listen-recognised", Inbound: fault.On(listen).Refuse(-32601, "unknown method"),
		},
		{
			Name: "resources-listen-answered", Title: "subscriptions/listen is answered at once, without an acknowledgement",
			Breaks: "resources-listen-ack-first",
			May: []string{
				"resources/listen-filter-missing", "resources/listen-filter-text", "resources/listen-filter-uris-text",
				"tasks/ext-listen-undeclared",
			},
			Inbound: fault.On(listen).Verdict(func(x fault.Exchange) fault.Verdict { return fault.Answer(x, ended(x)) }),
		},
		{
			Name: "resources-listen-early-change", Title: "a change is told on a subscription before it is acknowledged",
			Breaks: "resources-listen-nothing-before-ack", May: []string{"resources/listen-ack-first"},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if m["method"] != acknowledged {
					return []fault.Message{m}
				}
				return []fault.Message{told("notifications/tools/list_changed", tagged(x.ID)), m}
			},
		},
		{
			Name: "resources-listen-ack-number", Title: "the acknowledgement names a subscription with a string as id by a number",
			Breaks: "resources-listen-ack-id", Notify: fault.Told(acknowledged, func(x fault.Exchange, params fault.Message) {
				if len(x.ID) > 0 && x.ID[0] == '"' {
					params.Object("_meta")[tag] = 1
				}
			}),
		},
		{
			Name: "resources-listen-ack-falsy", Title: "the acknowledgement names no subscription whose id is 0 or an empty string",
			Breaks: "resources-listen-ack-id", Notify: fault.Told(acknowledged, func(x fault.Exchange, params fault.Message) {
				if id := string(x.ID); id == "0" || id == `""` {
					delete(params.Object("_meta"), tag)
				}
			}),
		},
		{
			Name: "resources-listen-closes", Title: "the request of a subscription is answered right after the acknowledgement",
			Breaks: "resources-listen-stays-open", May: []string{"jsonrpc/single-response"}, In: modern()[:1],
			Silent: []string{
				"tools/list-changed-listened", "prompts/list-changed-listened", "resources/list-changed-listened",
				"resources/listen-updates-delivered",
			},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				switch method, _ := m["method"].(string); {
				case method == acknowledged:
					return []fault.Message{m, x.Answer(ended(x))}
				case strings.HasSuffix(method, "/list_changed"), method == updated:
					return nil
				}
				return []fault.Message{m}
			},
		},
	}
}

// filters are subscriptions whose filter is not looked at.
func filters() []fault.Fault {
	accepts := func(slug, title string, which func(given any) bool) fault.Fault {
		return fault.Fault{
			Name: "resources-listen-filter-" + slug, Title: "subscriptions/listen " + title + " is answered with a result",
			Breaks: "resources-listen-invalid-filter", Kills: []string{"resources/listen-filter-" + slug},
			Inbound: fault.On(listen).Verdict(func(x fault.Exchange) fault.Verdict {
				if !which(x.Param("notifications")) {
					return fault.Verdict{}
				}
				return fault.Answer(x, ended(x))
			}),
		}
	}
	return []fault.Fault{
		{
			Name: "resources-listen-ack-everything", Title: "a subscription is acknowledged for everything that the server has",
			Breaks: "resources-listen-ack-filter-subset",
			Notify: fault.Set(acknowledged, "/params/notifications", map[string]any{
				"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
			}),
		},
		{
			Name: "resources-listen-ack-nothing", Title: "a subscription to changes of the prompts is acknowledged for nothing",
			Breaks: "resources-listen-ack-filter-declared", Notify: fault.Drop(acknowledged, "/params/notifications/promptsListChanged"),
		},
		accepts("missing", "without a filter", func(given any) bool { return given == nil }),
		accepts("text", "with a string as filter", func(given any) bool { _, ok := given.(string); return ok }),
		accepts("uris-text", "with a string in place of URIs", func(given any) bool {
			filter, _ := given.(map[string]any)
			_, ok := filter["resourceSubscriptions"].(string)
			return ok
		}),
	}
}

// A subscription is an open one of a conversation over stdio.
type subscription struct {
	id     json.RawMessage
	filter string
}

// open are the subscriptions of the conversation that the client did not cancel.
func open(x fault.Exchange) []subscription {
	var all []subscription
	for _, a := range x.Past {
		var p struct {
			RequestID     json.RawMessage `json:"requestId"`
			Notifications json.RawMessage `json:"notifications"`
		}
		_ = json.Unmarshal(a.Params, &p)
		switch a.Method {
		case listen:
			all = append(all, subscription{a.ID, string(p.Notifications)})
		case "notifications/cancelled":
			all = slices.DeleteFunc(all, func(s subscription) bool { return string(s.id) == string(p.RequestID) })
		}
	}
	return all
}

// brings sends one more notification on the last open subscription, before the result of a
// tool, where the subscription did not ask for it.
func brings(tool, field, method string, params map[string]any) func(fault.Exchange, fault.Message) []fault.Message {
	return func(x fault.Exchange, m fault.Message) []fault.Message {
		all := open(x)
		if _, ok := m.Result(); !ok || x.Tool() != tool || len(all) == 0 || strings.Contains(all[len(all)-1].filter, field) {
			return []fault.Message{m}
		}
		with := tagged(all[len(all)-1].id)
		maps.Copy(with, params)
		return []fault.Message{told(method, with), m}
	}
}

// firstOnly sends nothing on a subscription that was opened beside another one.
func firstOnly(x fault.Exchange, m fault.Message) []fault.Message {
	if x.Method == listen && m["method"] != nil && m["method"] != acknowledged && len(open(x)) > 0 {
		return nil
	}
	return []fault.Message{m}
}

// delivery are subscriptions that bring too much, or too little.
func delivery() []fault.Fault {
	const prompts, prompt = "test_trigger_prompt_change", "notifications/prompts/list_changed"
	return []fault.Fault{
		{
			Name: "resources-listen-other-lists", Title: "a subscription brings changes that it did not ask for",
			Breaks: "resources-listen-only-requested", In: modern()[:1], Send: brings(prompts, "promptsListChanged", prompt, nil),
			Silent: []string{"resources/listen-concurrent"},
		},
		{
			Name: "resources-listen-other-resources", Title: "a subscription brings changes of resources that it did not ask for",
			Breaks: "resources-listen-only-requested-uris", May: []string{"resources/listen-only-requested"}, In: modern()[:1],
			Send: brings(change, watched, updated, map[string]any{"uri": watched}),
		},
		{
			Name: "resources-listen-no-updates", Title: "a subscription to a resource brings nothing", Breaks: "resources-listen-updates-delivered",
			In: modern(), Send: without(updated),
		},
		{
			Name: "resources-listen-one-at-a-time", Title: "a second subscription is refused while one is open",
			Breaks:  "resources-listen-concurrent",
			In:      modern()[:1],
			Inbound: fault.On(listen).And(func(x fault.Exchange) bool { return len(open(x)) > 0 }).Refuse(-32000, "one at a time"),
		},
		{
			Name: "resources-listen-first-only", Title: "a second subscription brings nothing while the first is open",
			Breaks: "resources-listen-concurrent", May: []string{"ext-push/two-subscriptions"}, In: modern()[:1], Send: firstOnly,
		},
		{
			Name: "resources-listen-one-id", Title: "the notifications of all subscriptions have the id of the first",
			Breaks: "resources-listen-concurrent",
			In:     modern()[:1], Notify: func(x fault.Exchange, m fault.Message) {
				if all := open(x); m["method"] == prompt && len(all) > 0 {
					m.Object("params")["_meta"] = map[string]any{tag: all[0].id}
				}
			},
		},
		{
			Name: "resources-listen-progress", Title: "the progress of a call is told on a subscription",
			Breaks: "resources-listen-no-request-notifications", In: modern()[:1],
			Notify: fault.Told("notifications/progress", func(x fault.Exchange, params fault.Message) {
				if all := open(x); len(all) > 0 {
					params["_meta"] = tagged(all[0].id)["_meta"]
				}
			}),
		},
	}
}

// endsOne says whether a cancellation names an open subscription.
func endsOne(x fault.Exchange) bool {
	id, _ := json.Marshal(x.Param("requestId"))
	return slices.ContainsFunc(open(x), func(s subscription) bool { return string(s.id) == string(id) })
}

// closing are subscriptions that do not end, or end in the wrong way.
func closing() []fault.Fault {
	stdio := modern()[:1]
	return []fault.Fault{
		{
			Name: "resources-listen-cancel-ignored", Title: "the cancellation of a subscription is ignored", Breaks: "resources-listen-cancel-stops",
			In: stdio, Inbound: fault.On("notifications/cancelled").And(endsOne).Verdict(func(fault.Exchange) fault.Verdict {
				return fault.Verdict{Instead: true}
			}),
		},
		{
			Name: "resources-listen-cancel-answered", Title: "the request of a subscription is answered when it is cancelled",
			Breaks: "resources-listen-cancel-stops", May: []string{"jsonrpc/single-response"}, In: stdio, // one may be answered by then
			Inbound: fault.On("notifications/cancelled").And(endsOne).Verdict(func(x fault.Exchange) fault.Verdict {
				x.ID, _ = json.Marshal(x.Param("requestId"))
				return fault.Verdict{Answer: []fault.Message{x.Refusal(-32000, "the subscription was cancelled")}}
			}),
		},
		{
			Name: "resources-listen-unasked", Title: "changes are told to clients that did not subscribe",
			Breaks: "resources-listen-no-state-after-reconnect", May: []string{"stdio/notifications-attributable"}, In: stdio,
			Send: fault.Tool("test_trigger_prompt_change").And(func(x fault.Exchange) bool { return !x.After(listen) }).
				Before(told("notifications/prompts/list_changed", map[string]any{})),
		},
		{
			Name: "resources-listen-cut-off", Title: "the server ends without an answer to its subscriptions",
			Breaks: "resources-listen-graceful-result", In: stdio, Inbound: fault.Tool("test_trigger_shutdown").Exit(0),
		},
		{
			Name: "resources-listen-end-nameless", Title: "the answer that ends a subscription names another one",
			Breaks: "resources-listen-graceful-result-meta", In: stdio, Reply: fault.On(listen).Result(func(result fault.Message) {
				result.Object("_meta")[tag] = "another"
			}),
		},
	}
}
