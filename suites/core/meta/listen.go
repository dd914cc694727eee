package meta

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const (
	listen          = "subscriptions/listen"
	acknowledgement = "notifications/subscriptions/acknowledged"
	tagAt           = "/params/_meta/io.modelcontextprotocol~1subscriptionId"
)

// listenCases judge the notifications of subscriptions.
func listenCases() []suite.Case {
	listens := suite.Either(suite.Capability("tools.listChanged"), suite.Capability("prompts.listChanged"),
		suite.Capability("resources.listChanged"), suite.Capability("resources.subscribe"))
	const fix = "put the id of the " + listen + " request, as a value of the same type, into _meta of each notification for it, as " +
		protocol.MetaSubscription
	return []suite.Case{
		{
			ID:     "meta/subscription-acknowledged",
			Title:  "the first notification of a subscription names its request in _meta",
			Checks: []requirements.ID{"meta-subscription-id-on-notifications"},
			Needs:  []suite.Need{listens},
			Fix:    fix,
			Run:    acknowledged,
		},
		{
			ID:     "meta/subscription-id",
			Title:  "the notifications of a subscription name its request in _meta",
			Checks: []requirements.ID{"meta-subscription-id-on-notifications"},
			Needs:  []suite.Need{listens},
			Fix:    fix,
			Owns:   []suite.Part{{Class: frame.Notification, At: tagAt}},
			Sees:   "a notification of a subscription",
			Watch:  func() probe.Watcher { return &subscriptions{} },
		},
	}
}

// acknowledged subscribes to every declared list, and cancels the subscription once it is
// acknowledged. Another rule judges whether a server has to accept it.
func acknowledged(c *probe.Client) error {
	wanted := probe.Object{}
	for _, l := range c.Declared() {
		if flags := probe.ObjectOf(c.Survey().Capabilities[l.Capability]); flags["listChanged"] == true {
			wanted[l.Capability+"ListChanged"] = true
		}
	}
	subscription := c.Start(listen, probe.Object{"notifications": wanted})
	sent, _ := subscription.Sent()
	ended := false
	first, found := subscription.Await(c.Waits().Answer, func(s probe.Seen) bool {
		if s.Dir != frame.Received || s.Exchange != 0 && s.Exchange != sent.Exchange {
			return false
		}
		m := s.Message()
		ended = s.Kind == frame.KindEnd || subscription.Answers(s)
		return ended || m.Class == frame.Notification && m.Method == acknowledgement
	})
	c.NotSeenIf(!found || ended, "no subscription was acknowledged")
	if problem := tag(first.Message(), subscription.ID()); problem != "" {
		return probe.Shown(subscription, probe.One(first.Frame)).Violation("%s", problem)
	}
	subscription.Cancel("its acknowledgement has come")
	return nil
}

// tag describes what is wrong with the subscription id in a notification, which has to be
// one of the given ids; empty if nothing is wrong.
func tag(m frame.Message, ids ...string) string {
	given, ok := m.At(tagAt)
	if !ok {
		given = probe.Absent{}
	}
	switch given.(type) {
	case string, json.Number:
		for _, id := range ids {
			if frame.SameID(probe.JSON(given), id) {
				return ""
			}
		}
	}
	want := ids[0]
	if len(ids) > 1 {
		want = "the id of an open " + listen + " request"
	}
	return probe.Message{Message: m, Place: "$"}.Where(tagAt) + " is " + probe.Show(given) + ", want " + want
}

// subscriptions remembers the subscriptions of one connection. The kind of a notification
// shows over stdio that it belongs to a subscription; over HTTP its stream shows the
// subscription.
type subscriptions struct {
	ids     []string
	streams map[int]string  // HTTP: ids by exchange
	wrong   map[string]bool // what acknowledgements had for an id, and is none
}

func (w *subscriptions) See(s *probe.WatchedFrame) probe.Opinion {
	m := s.Message()
	if s.Dir == frame.Sent && m.Class == frame.Request && m.Method == listen {
		if w.streams == nil {
			w.streams, w.wrong = map[int]string{}, map[string]bool{}
		}
		w.ids = append(w.ids, m.ID)
		w.streams[s.Exchange] = m.ID
	}
	n, known := protocol.NotificationOf(m.Method)
	if s.Dir != frame.Received || m.Class != frame.Notification || !known || !n.Listens || len(w.ids) == 0 {
		return probe.Nothing()
	}
	ids := w.ids
	if s.Exchange > 0 {
		id, ok := w.streams[s.Exchange]
		if !ok {
			return probe.Nothing()
		}
		ids = []string{id}
	}
	params, there := m.At("/params")
	_, object := params.(map[string]any)
	if there && !object {
		return probe.Nothing() // other cases judge what params are
	}
	problem := tag(m, ids...)
	given, _ := m.At(tagAt)
	switch named := probe.JSON(given); {
	case m.Method == acknowledgement: // another case judges it
		if problem != "" {
			w.wrong[named] = true
		}
		return probe.Nothing()
	case problem == "":
		return probe.Kept()
	case w.wrong[named]:
		return probe.Breaks("%s", problem).Unless(probe.Elsewhere{
			Case: "meta/subscription-acknowledged", Why: "the acknowledgement names the subscription in the same way",
		})
	default:
		return probe.Breaks("%s", problem)
	}
}
