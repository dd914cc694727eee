package tasks

import (
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// zoneless is the layout of times that name no zone.
const zoneless = "2006-01-02T15:04:05.999999999"

func isMoment(text string) bool {
	_, _, ok := momentOf(text)
	return ok
}

// momentOf takes what RFC 3339 allows, a time without a zone, and the short form of ISO 8601.
func momentOf(text string) (at time.Time, layout string, ok bool) {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", zoneless, "2006-01-02T15:04:05.999999999Z0700",
		"20060102T150405.999999999Z0700", "2006-01-02T15:04Z07:00",
	} {
		if at, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return at, layout, true
		}
	}
	return time.Time{}, "", false
}

// comparableTimes are two times, where both name a zone or neither does.
func comparableTimes(one, other any) (a, b time.Time, ok bool) {
	a, first, read := momentOf(probe.TextOf(one))
	b, second, also := momentOf(probe.TextOf(other))
	return a, b, read && also && (first == zoneless) == (second == zoneless)
}

// apart reports whether two texts cannot be the same time: one of them may be rounded.
func apart(one, other any) bool {
	a, b, ok := comparableTimes(one, other)
	return ok && a.Sub(b).Abs() > max(unit(one), unit(other))
}

// unit is what the last digit of a time counts.
func unit(text any) time.Duration { return counts(text, fraction(text)) }

// grain is what the last digit of a time counts that is not zero: a store may keep whole
// seconds, and the server write zeros behind them.
func grain(text any) time.Duration { return counts(text, strings.TrimRight(fraction(text), "0")) }

// fraction is the digits behind the whole seconds of a time.
func fraction(text any) string {
	_, behind, _ := strings.Cut(probe.TextOf(text), ".")
	return behind[:len(behind)-len(strings.TrimLeft(behind, "0123456789"))]
}

func counts(text any, fraction string) time.Duration {
	if strings.Count(probe.TextOf(text), ":") == 1 {
		return time.Minute
	}
	u := time.Second
	for range fraction {
		u /= 10
	}
	return u
}

// births hold when each task was created, as a connection was told first.
type births struct{ first map[string]birth }

type birth struct {
	at any
	in frame.Frame
}

// See compares the records of each task with the first one.
func (b *births) See(at *probe.WatchedFrame) probe.Opinion {
	return eachRecord(at, func(m probe.Message, place string) probe.Opinion {
		id, created := probe.TextOf(m.Value(place+"/taskId")), m.Value(place+"/createdAt")
		first, known := b.first[id]
		switch {
		case id == "":
			return probe.Nothing()
		case !known:
			b.first[id] = birth{created, at.Frame}
			return probe.Nothing()
		case apart(created, first.at):
			return probe.Shown(probe.One(first.in), probe.One(at.Frame)).Violation("%s is %s of a task that was created at %s, want it to stay",
				m.Where(place+"/createdAt"), probe.Show(created), probe.Show(first.at)).Unless(sharedID()).Opinion()
		}
		return probe.Kept()
	})
}

// changes hold since when the last update of each task is known, as a connection was told.
type changes struct{ last map[string]change }

// A change is the first record with a time of update, and the last request after which the
// task still had its status.
type change struct {
	status  string
	updated any
	in      frame.Frame
	asked   frame.Frame
}

// See compares a record with the one before it where the status differs. Between the first
// record of a status and the last request that was answered with it the status did not change:
// so the time of the update lies as much later, but for how the server rounds it.
func (c *changes) See(at *probe.WatchedFrame) probe.Opinion {
	const slack = 200 * time.Millisecond
	return eachRecord(at, func(m probe.Message, place string) probe.Opinion {
		id, updated := probe.TextOf(m.Value(place+"/taskId")), m.Value(place+"/lastUpdatedAt")
		status := probe.TextOf(m.Value(place + "/status"))
		before, known := c.last[id]
		switch {
		case id == "", !isStatus(status), m.Class != frame.Result, known && m.Request.Frame.Seq < before.asked.Seq, known && over(before.status):
			return probe.Nothing()
		case known && before.status == status && probe.Same(before.updated, updated):
			before.asked = m.Request.Frame
			c.last[id] = before
			return probe.Nothing()
		}
		c.last[id] = change{status, updated, at.Frame, m.Request.Frame}
		_, _, ok := comparableTimes(before.updated, updated)
		stood := before.asked.At - before.in.At
		switch {
		case !known, !ok, before.status == status, stood <= 2*max(grain(before.updated), grain(updated))+slack:
			return probe.Nothing()
		case !apart(before.updated, updated):
			return probe.Shown(probe.One(before.in), probe.One(at.Frame)).Violation(
				"%s is %s of a task that is %s, and was the same %s before, when the task was %s, want the time of the change",
				m.Where(place+"/lastUpdatedAt"), probe.Show(updated), status, stood.Round(10*time.Millisecond), before.status).Opinion()
		}
		return probe.Kept()
	})
}
