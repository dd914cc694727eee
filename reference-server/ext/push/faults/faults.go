// Package faults holds the ways to break the push extension.
package faults

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/push"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults in the order of the cases.
func Faults() []fault.Fault {
	return slices.Concat(answers(), events(), deliveries(), endings(), owners())
}

const (
	subscribe   = "events/subscribe"
	unsubscribe = "events/unsubscribe"
	told        = "notifications/event"
)

// active is the answer of a server that reads nothing.
func active() any {
	return map[string]any{"resultType": "complete", "subscription_id": "sub-1", "status": "active"}
}

// asking selects subscriptions by their params.
func asking(which func(params map[string]any) bool) fault.When {
	return func(x fault.Exchange) bool {
		var params map[string]any
		return x.Method == subscribe && json.Unmarshal(x.Params, &params) == nil && which(params)
	}
}

func answers() []fault.Fault {
	unnamed := asking(func(params map[string]any) bool { return params["subscription_id"] == nil })
	listed := func(params map[string]any) bool { _, ok := params["events"].([]any); return ok }
	unlisted := asking(func(params map[string]any) bool { return !listed(params) })
	strange := asking(func(params map[string]any) bool {
		all, _ := params["events"].([]any)
		return len(all) > 0 && strings.HasPrefix(all[0].(string), "no_such_event")
	})
	explained := []string{"ext-push/denied-explained"}
	manifest := []string{"ext-manifest/claims-truthful-events"}
	return []fault.Fault{
		{Breaks: "ext-push-subscribe-active", Each: []fault.Fault{
			{
				Name: "push-own-id", Title: "a subscription gets an id of the server in place of its own",
				Silent: []string{"ext-push/server-id", "ext-push/event-shape"}, Reply: fault.Set(subscribe, "/result/subscription_id", "sub-1"),
			},
			{
				Name: "push-status-ok", Title: "status of a subscription is ok",
				Reply: fault.Set(subscribe, "/result/status", "ok"),
			},
			{
				Name: "push-no-status", Title: "a subscription is answered without status",
				Reply: fault.Drop(subscribe, "/result/status"),
			},
		}},
		{Breaks: "ext-push-server-id", Each: []fault.Fault{
			{Name: "push-id-null", Title: "the id of a subscription that has none is null", Reply: unnamed.Set("/result/subscription_id", nil)},
			{
				Name: "push-id-constant", Title: "every subscription without an id gets the same one",
				Reply: unnamed.Set("/result/subscription_id", "sub-1"),
			},
		}},
		{Breaks: "ext-push-events-required", Each: []fault.Fault{
			{
				Name: "push-events-coaxed", Title: "a string as events is taken for an array of one", Kills: []string{"ext-push/events-string"},
				Inbound: asking(func(params map[string]any) bool { return params["events"] == "vessel_arrived" }).Answer(active()),
			},
			{Name: "push-all-events", Title: "a subscription without events is one to all", Inbound: unlisted.Answer(active())},
			{
				Name: "push-events-internal", Title: "a subscription without events gets an internal error",
				Inbound: unlisted.Refuse(-32603, "nil events"),
			},
		}},
		{Breaks: "ext-push-denied-explained", May: manifest, Each: []fault.Fault{
			{
				Name: "push-supported-lacks", Title: "supported_events lacks an event that can be subscribed to",
				Kills: []string{"ext-push/supported-events"}, Reply: fault.Set(subscribe, "/result/supported_events", []any{"vessel_left"}),
			},
			{Name: "push-any-event", Title: "a subscription to an unknown event is active", Kills: explained, Inbound: strange.Answer(active())},
			{
				Name: "push-denied-bare", Title: "a subscription is denied without a reason", Kills: explained,
				Reply: strange.Drop("/result/reason", "/result/supported_events"),
			},
		}},
		{Breaks: "ext-push-expiry", Each: []fault.Fault{
			{
				Name: "push-never-ends", Title: "events come after the end of a subscription", Kills: []string{"ext-push/expiry"},
				Ext: push.Switches{NeverEnds: true},
			},
			{
				Name: "push-expires-late", Title: "expires_at is a year after the request", Kills: []string{"ext-push/expires-at"},
				Reply: asking(func(params map[string]any) bool { return params["ttl_seconds"] != nil }).
					Set("/result/expires_at", "2099-01-01T00:00:00Z"),
			},
			{
				Name: "push-expires-in-milliseconds", Title: "expires_at takes ttl_seconds for milliseconds, and the subscription lives on",
				Kills: []string{"ext-push/expiry"},
				Reply: asking(func(params map[string]any) bool { return params["ttl_seconds"] != nil }).Result(func(result fault.Message) {
					if result["expires_at"] != nil {
						result["expires_at"] = time.Now().Add(60 * time.Millisecond).UTC().Format(time.RFC3339Nano)
					}
				}),
			},
		}},
	}
}

// events breaks the form of events.
func events() []fault.Fault {
	set := func(name string, value any) fault.Change { return fault.Set(told, "/params/"+name, value) }
	shape := []string{"ext-push/event-shape"}
	return []fault.Fault{
		{Breaks: "ext-push-event-shape", Each: []fault.Fault{
			{Name: "push-event-undated", Title: "an event has no timestamp", Kills: shape, Notify: fault.Drop(told, "/params/timestamp")},
			{
				Name: "push-event-of-another", Title: "an event has the id of another subscription", Kills: shape,
				Notify: set("subscription_id", "sub-1"),
			},
			{
				Name: "push-event-unnamed", Title: "an event does not say what happened", Kills: shape, Silent: []string{"ext-push/delivers"},
				Notify: fault.Drop(told, "/params/event"),
			},
			{
				Name: "push-event-unassigned", Title: "an event does not say of which subscription it is", Kills: shape,
				Silent: []string{"ext-push/delivers"}, Notify: fault.Drop(told, "/params/subscription_id"),
			},
			{
				Name: "push-event-of-nobody", Title: "an event has a name that nobody subscribed to", Kills: shape,
				Silent: []string{"ext-push/event-named"}, Notify: set("event", "storm_warning"),
			},
			{
				Name: "push-event-misnamed", Title: "an event has the first name that its subscription is for",
				Kills: []string{"ext-push/event-named"}, Ext: push.Switches{FirstType: true},
			},
			{Name: "push-payload-string", Title: "payload of an event is a string", Kills: shape, Notify: set("payload", "Nordlicht at A4")},
		}},
		{Breaks: "ext-push-action-hint", Each: []fault.Fault{
			{
				Name: "push-hint-unknown", Title: "action_hint recommends a tool that does not exist",
				Notify: set("action_hint/recommended_tool", "drain_dock"),
			},
			{Name: "push-hint-string", Title: "action_hint is a string", Notify: set("action_hint", "mooring_fee")},
		}},
		{Breaks: "ext-push-notification-form", Each: []fault.Fault{
			{
				Name: "push-event-request", Title: "an event is a request", May: []string{"jsonrpc/server-request-id-unique"},
				Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
					if m["method"] == told {
						m = m.With("id", "event-1").With("method", "events/notify")
					}
					return []fault.Message{m}
				},
				In: fault.OverStdio(requirements.R20251125),
			}, {
				Name: "push-event-raw", Title: "an event is JSON that is not JSON-RPC", In: fault.OverStdio(requirements.R20251125),
				Bytes: func(_ fault.Exchange, text []byte) []byte {
					var m struct {
						Method string          `json:"method"`
						Params json.RawMessage `json:"params"`
					}
					if json.Unmarshal(text, &m) != nil || m.Method != told {
						return text
					}
					return bytes.TrimSpace(m.Params)
				},
				May: []string{"stdio/stdout-messages-only"},
			},
			{
				Name: "push-event-elsewhere", Title: "an event comes on the stream of the request that raised it",
				May: []string{"ext-push/only-subscribed"},
				In:  fault.OverHTTP(requirements.R20260728), Ext: push.Switches{OnCaller: true},
			},
			{
				Name: "push-event-untagged", Title: "an event does not name the request that listens for it",
				In:     fault.OverHTTP(requirements.R20260728),
				Notify: fault.Drop(told, "/params/_meta"), May: []string{"meta/subscription-id"},
			},
		}},
	}
}

func deliveries() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-push-delivers", Each: []fault.Fault{
			{Name: "push-never", Title: "no event is sent", Kills: []string{"ext-push/delivers"}, Ext: push.Switches{Never: true}},
			{
				Name: "push-unacknowledged", Title: "subscriptions/listen is not acknowledged for events", Kills: []string{"ext-push/delivers"},
				In: fault.OverStdio(requirements.R20260728), Notify: fault.Drop("notifications/subscriptions/acknowledged",
					"/params/notifications/io.github.mcp-extension-proposals~1events"),
			},
			{
				Name: "push-twice", Title: "every event is sent twice", Kills: []string{"ext-push/delivers", "ext-push/each-event"},
				May: []string{"ext-push/id-reused", "ext-push/filter"},
				Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
					if m["method"] == told {
						return []fault.Message{m, m}
					}
					return []fault.Message{m}
				},
			},
			{
				Name: "push-loses", Title: "one event of several is not sent", Kills: []string{"ext-push/each-event"},
				Ext: push.Switches{Loses: true},
			},
			{
				Name: "push-again", Title: "one event of several is sent twice", Kills: []string{"ext-push/each-event"},
				Ext: push.Switches{Again: true},
			},
			{
				Name: "push-stale-payload", Title: "an event has the payload of the one before", Kills: []string{"ext-push/each-event"},
				Ext: push.Switches{Stale: true},
			},
			{
				Name: "push-on-next", Title: "events are sent when the next request comes", Kills: []string{"ext-push/delivers"},
				In:  fault.OverStdio(requirements.R20260728), // over HTTP the requests of other clients send them
				Ext: push.Switches{OnNext: true},
			},
		}},
		{Breaks: "ext-push-filter", Each: []fault.Fault{
			{Name: "push-filter-ignored", Title: "events come whatever the filter says", Ext: push.Switches{NoFilter: true}},
			{Name: "push-filter-drops", Title: "no event comes through a filter", Ext: push.Switches{FilterDropsAll: true}},
		}},
		{
			Name: "push-broadcast", Title: "every client gets every event", Breaks: "ext-push-only-subscribed",
			Kills: []string{"ext-push/only-subscribed"},
			Ext:   push.Switches{Broadcast: true},
			May:   []string{"ext-push/isolated", "ext-push/id-reused", "ext-push/delivers", "ext-push/filter"},
			In:    fault.OverHTTP(requirements.R20251125, requirements.R20260728),
		}, {
			Name: "push-all-types", Title: "a subscription gets events of all types", Breaks: "ext-push-only-subscribed",
			Kills: []string{"ext-push/only-types"},
			Ext:   push.Switches{AllTypes: true},
		}, {
			Name: "push-unordered", Title: "every other event comes late", Breaks: "ext-push-order", Ext: push.Switches{Unordered: true},
		},
	}
}

func endings() []fault.Fault {
	plain := fault.HTTP{Sessionless: true}
	single := fault.OverHTTP(requirements.R20251125)
	return []fault.Fault{
		{Breaks: "ext-push-unsubscribe", Each: []fault.Fault{
			{
				Name: "push-unsubscribe-nothing", Title: "events keep coming after events/unsubscribe", Ext: push.Switches{Goes: 1000},
				May: []string{"ext-push/id-reused"},
			},
			{
				Name: "push-unsubscribed-active", Title: "a subscription that was unsubscribed has the status active",
				Reply: fault.Set(unsubscribe, "/result/status", "active"),
			},
			{
				Name: "push-unsubscribed-other", Title: "events/unsubscribe answers with another id",
				Reply: fault.Set(unsubscribe, "/result/subscription_id", "sub-1"),
			},
			{Name: "push-unsubscribe-late", Title: "one more event comes after events/unsubscribe", Ext: push.Switches{Goes: 1}},
		}},
		{Breaks: "ext-push-unsubscribe-unknown", Each: []fault.Fault{
			{
				Name: "push-cancels-anything", Title: "any id can be unsubscribed", Kills: []string{"ext-push/unsubscribe-unknown"},
				Ext: push.Switches{CancelsAnything: true},
			}, {
				Name: "push-cancels-all-for-nothing", Title: "events/unsubscribe without an id ends all subscriptions",
				Kills: []string{"ext-push/unsubscribe-nothing"}, Ext: push.Switches{EmptyCancelsAll: true},
			},
		}},
		{Breaks: "ext-push-terminated", Each: []fault.Fault{
			{
				Name: "push-ends-silently", Title: "the end of a subscription is not told", Kills: []string{"ext-push/terminated"},
				Ext: push.Switches{EndsSilently: true},
			}, {
				Name: "push-ends-falsely", Title: "events come after the end of their subscription was told", Kills: []string{"ext-push/terminated"},
				Ext: push.Switches{EndsFalsely: true},
			}, {
				Name: "push-ends-in-seconds", Title: "the timestamp of the end of a subscription is a number",
				Kills: []string{"ext-push/terminated"}, Notify: fault.Set("notifications/subscription_terminated", "/params/timestamp", 1736265600),
			}, {
				Name: "push-ends-untagged", Title: "the end of a subscription does not name the request that listens for it",
				Kills: []string{"ext-push/terminated"}, In: fault.OverHTTP(requirements.R20260728),
				Notify: fault.Drop("notifications/subscription_terminated", "/params/_meta"),
			}, {
				Name: "push-ends-with-stream", Title: "a subscription ends with the stream of its events, and nobody is told",
				Kills: []string{"ext-push/listens-again"}, In: fault.OverHTTP(requirements.R20260728), Ext: push.Switches{EndsWithStream: true},
			},
		}},
		{Breaks: "ext-push-poll-fallback", In: single, Each: []fault.Fault{
			{Name: "push-deaf", Title: "a subscription is active where no events can come", HTTP: plain, Ext: push.Switches{Deaf: true}},
			{
				Name: "push-fallback-bare", Title: "no interval is told where no events can come", HTTP: plain,
				Reply: fault.Drop(subscribe, "/result/poll_interval_seconds"),
			},
			{
				Name: "push-fallback-zero", Title: "the interval is 0 where no events can come", HTTP: plain,
				Reply: fault.Set(subscribe, "/result/poll_interval_seconds", 0),
			},
		}},
	}
}

func owners() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-push-isolated", In: fault.OverHTTP(requirements.R20260728), Each: []fault.Fault{
			{
				Name: "push-any-reader", Title: "who knows the id of a subscription listens to its events", Kills: []string{"ext-push/isolated"},
				Ext: push.Switches{AnyReader: true},
			}, {
				Name: "push-any-cancel", Title: "who knows the id of a subscription ends it", Kills: []string{"ext-push/isolated-unsubscribe"},
				In: fault.OverHTTP(requirements.R20251125, requirements.R20260728), Ext: push.Switches{AnyCancel: true},
			},
		}},
		{
			Name: "push-cancels-all", Title: "the end of one subscription ends all", Breaks: "ext-push-subscriptions-independent",
			Kills: []string{"ext-push/independent"}, Ext: push.Switches{CancelsAll: true},
		}, {
			Name: "push-first-id", Title: "events have the id of the first subscription", Breaks: "ext-push-subscriptions-independent",
			Kills: []string{"ext-push/two-subscriptions"}, Ext: push.Switches{FirstID: true},
		}, {
			Name: "push-same-id", Title: "an id that is in use gets a second subscription", Breaks: "ext-push-subscriptions-independent",
			Kills: []string{"ext-push/id-reused"}, Ext: push.Switches{SameID: true},
		},
	}
}
