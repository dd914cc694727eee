package resources

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/together"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A lasting subscription brings every change, and not only the first: here a further one that
// was not told although the resource reads otherwise since.
type lasting struct {
	after string // what stood between the changes
	all   probe.Evidence
	due   time.Duration
}

// lasts makes a further change, and another one where a client has to end a subscription to
// another resource before it. It gives what was missed, if anything was.
func (w *watch) lasts(c *probe.Client) *lasting {
	if missed := w.again(c, "once before"); missed != nil {
		return missed
	}
	other := otherThan(c, w.uri)
	if other == "" || !c.Call("resources/subscribe", probe.Object{"uri": other}).Served() ||
		!c.Call("resources/unsubscribe", probe.Object{"uri": other}).Served() {
		return nil
	}
	return w.again(c, "before the subscription to "+probe.Show(other)+" was ended")
}

// again makes a change. Where it is not told, one more is made, since a server may gather
// changes for some time, and the resource is read: what does not change need not be told. A
// resource that tells the time reads otherwise without a change.
func (w *watch) again(c *probe.Client, after string) *lasting {
	if h := w.change(c, true); len(h.told) > 0 {
		return nil
	}
	read := func() string {
		return together.Essence(c.Call("resources/read", probe.Object{"uri": w.uri}).Message())
	}
	before := read()
	h := w.change(c, true)
	now := read()
	if len(h.told) > 0 || before == "" || now == "" || before == now {
		return nil
	}
	c.Pause(subscriptions.Due(c))
	if read() != now {
		return nil
	}
	return &lasting{after: after, all: h.all, due: subscriptions.Due(c)}
}

// otherThan is a listed resource that neither holds the given one nor is part of it.
func otherThan(c *probe.Client, uri string) string {
	for _, item := range probe.List(c, protocol.Resources()).ByKey() {
		if other, _ := uriOf(item); other != "" && !under(uri, other) && !under(other, uri) {
			return other
		}
	}
	return ""
}

// every judges that the changes after the first one are told as well.
func (m *lasting) every(uri string) error {
	if m == nil {
		return nil
	}
	return m.all.Violation("%s changed and no %s came within %s, but it came %s, want the subscriber told of every change",
		probe.Show(uri), protocol.ResourceUpdated, m.due, m.after)
}

// everyUpdate is lasting for a subscription of subscriptions/listen.
func everyUpdate(c *probe.Client, l *subscriptions.Listening) error {
	w := &watch{uri: c.Role(roles.Trigger).Fields().At("resource").Text("uri"), on: l}
	return w.again(c, "once before").every(w.uri)
}
