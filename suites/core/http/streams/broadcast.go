package streams

import (
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// triggers are the fields of the role that change a list, the least noticed list first.
func triggers() []string { return []string{"prompts", "resources", "tools"} }

func broadcastCases() []suite.Case {
	var fields []suite.Need
	for _, field := range triggers() {
		fields = append(fields, suite.Role(roles.Trigger, field))
	}
	return []suite.Case{{
		ID:     "http/message-on-one-get-stream",
		Title:  "with two streams open by GET, a message comes on one of them",
		Checks: []requirements.ID{"http-message-on-one-stream"},
		// Without sessions the server cannot tell that both streams belong to one client.
		Needs:    []suite.Need{suite.Trait(probe.Sessions), suite.Either(fields...)},
		Observes: roles.Trigger,
		Lane:     suite.Alone, // no other client may see the list change
		Fix:      "choose one of the streams of a session for each message, or let a session have one stream at a time",
		Run:      onOneGetStream,
	}}
}

// A change makes the server announce that a list has changed.
type change struct {
	client *probe.Client
	field  string
	shown  []probe.Evidence // the last notification on each stream
}

// changeTwice triggers the change twice, which restores the list, and counts the notifications
// on each stream each time. If a stream brings too few the first time, the second time
// does not wait for more.
func (x *change) changeTwice(enough int, streams ...*probe.Stream) (counts [2][]int) {
	patient := len(streams) > 1
	for i := range counts {
		counts[i] = x.measure(enough, patient, streams...)
		patient = patient && slices.Min(counts[i]) >= enough
	}
	return counts
}

// measure triggers the change and waits until the streams together have brought enough
// notifications, or have ended. If patient, it then waits for as many again.
func (x *change) measure(enough int, patient bool, streams ...*probe.Stream) []int {
	c, from, began := x.client, x.client.Mark(), time.Now()
	c.Act(c.Role(roles.Trigger).Fields().At(x.field))
	x.await(from, c.Waits().Event, enough, streams)
	if patient {
		// The same notification may still be on its way on another stream. On a busy
		// machine answers to later requests overtake it.
		x.await(from, min(max(2*time.Since(began), minimumLag), c.Waits().Event), 2*enough, streams)
	}
	// Further notifications arrive before the answers to the requests that Barrier sends
	// now.
	for range tries {
		c.Barrier()
	}
	counts, lasts := make([]int, len(streams)), make([]probe.Evidence, len(streams))
	for _, s := range c.Since(from) {
		for i, one := range streams {
			if x.tells(s, one) {
				counts[i]++
				lasts[i] = probe.One(s.Frame)
			}
		}
	}
	x.shown = lasts
	return counts
}

// minimumLag is the least time that one stream may lag behind another.
const minimumLag = 20 * time.Millisecond

func (x *change) await(from probe.Mark, atMost time.Duration, wanting int, streams []*probe.Stream) {
	open := len(streams)
	x.client.Await(from, atMost, func(s probe.Seen) bool {
		for _, one := range streams {
			switch {
			case x.tells(s, one):
				wanting--
			case s.Exchange == one.Exchange() && s.Kind == frame.KindEnd:
				open--
			}
		}
		return wanting <= 0 || open == 0
	})
}

// tells reports whether a frame announces the change on the given stream.
func (x *change) tells(s probe.Seen, on *probe.Stream) bool {
	return s.Dir == frame.Received && s.Kind == frame.KindMessage && s.Exchange == on.Exchange() &&
		s.Message().Method == "notifications/"+x.field+"/list_changed"
}

// onOneGetStream compares what two streams bring with what one stream brings. Two
// notifications that look alike may be lawful: a server may announce the removal and the
// addition of a tool separately, each on one stream.
func onOneGetStream(c *probe.Client) error {
	x := &change{client: c}
	for _, field := range triggers() {
		if _, ok := c.Role(roles.Trigger).Fields().At(field).Action(); ok {
			x.field = field
			break
		}
	}
	first := listen(c, "")
	c.NotSeenIf(first == nil, "GET opens no stream")
	alone := x.changeTwice(1, first)
	usual := max(alone[0][0], alone[1][0])
	c.NotSeenIf(usual == 0, "no notification of roles.trigger."+x.field+" comes on the stream that GET opens")
	second := get(c, "")
	if head, _ := second.Head(); !head.Streams() {
		return nil // the server allows one stream at a time
	}
	both := x.changeTwice(usual, first, second)
	shown := probe.Shown(first, second).And(x.shown[0], x.shown[1])
	second.Abort()
	least, most := usual, 0
	for _, counts := range both {
		least, most = min(least, counts[0], counts[1]), max(most, counts[0], counts[1])
	}
	switch {
	case most == 0:
		c.Undecide("no notification of roles.trigger." + x.field + " comes any more once two streams are open")
	case least < usual:
		first.Abort()
		return nil
	}
	return x.repeated(usual, first, shown)
}

// repeated makes sure that a single stream does not bring twice as many notifications as
// were counted at first, because some of them were late.
func (x *change) repeated(usual int, on *probe.Stream, shown probe.Evidence) error {
	most := 0
	for _, enough := range []int{usual, 2 * usual} {
		most = max(most, x.measure(enough, false, on)[0])
	}
	on.Abort()
	switch {
	case most == 0:
		x.client.Undecide("no notification of roles.trigger." + x.field + " comes any more once one of two streams is closed")
	case most >= 2*usual:
		return nil
	}
	return shown.Violation("of a change of the list of %s each of two streams brings as much as one alone brings, "+
		"want every notification on one of them", x.field)
}
