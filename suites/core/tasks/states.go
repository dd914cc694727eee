package tasks

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// stateCases judge which states follow each other.
func stateCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tasks/valid-transitions",
			Title:  "a task is in one of the five states, and stays in the last one",
			Checks: []requirements.ID{"tasks-valid-transitions"},
			Fix:    "let working and input_required alternate, and end in completed, failed or cancelled",
			Owns:   partsOf("/status"),
			Sees:   "the state of a task",
			Watch:  func() probe.Watcher { return &book{last: map[string]sighting{}} },
		},
		{
			ID:     "tasks/terminal-final",
			Title:  "a task that is over keeps its status",
			Checks: []requirements.ID{"tasks-terminal-final"},
			Needs:  needing(tool()),
			Fix:    "refuse every change of a task that is completed, failed or cancelled",
			Run:    terminalFinal,
		},
	}
}

// A book holds the last state of each task that a connection was told.
type book struct{ last map[string]sighting }

// A sighting is a state in an answer to a request that was sent later than all that is known.
type sighting struct {
	status  string
	updated any
	in      frame.Frame
}

// See compares what is told in answers to requests that follow each other, and in notifications.
func (b *book) See(at *probe.WatchedFrame) probe.Opinion {
	return eachRecord(at, func(m probe.Message, place string) probe.Opinion { return b.judge(m, place, at.Frame) })
}

// eachRecord judges the records of tasks in a frame.
func eachRecord(at *probe.WatchedFrame, judge func(m probe.Message, place string) probe.Opinion) probe.Opinion {
	said := probe.Nothing()
	for _, m := range at.Messages() {
		for _, place := range recordsIn(m) {
			said = said.And(judge(m, place))
		}
	}
	return said
}

func (b *book) judge(m probe.Message, place string, in frame.Frame) probe.Opinion {
	id, status := probe.TextOf(m.Value(place+"/taskId")), probe.TextOf(m.Value(place+"/status"))
	if !isStatus(status) {
		return probe.Breaks("%s is %s, want working, input_required, completed, failed or cancelled",
			m.Where(place+"/status"), probe.Show(m.Value(place+"/status")))
	}
	before, known := b.last[id]
	updated := m.Value(place + "/lastUpdatedAt")
	switch {
	case id == "": // another case judges that
	case m.Class == frame.Notification && known && !follows(updated, before.updated):
	case !known, m.Class == frame.Notification, m.Request.Frame.Seq > before.in.Seq:
		b.last[id] = sighting{status, updated, in}
		if known && over(before.status) && !over(status) {
			return probe.Shown(probe.One(before.in), probe.One(in)).Violation("%s is %s of a task that was %s, want a task that is over to stay so",
				m.Where(place+"/status"), status, before.status).Unless(sharedID()).Opinion()
		}
	}
	return probe.Kept()
}

func isStatus(text string) bool {
	return slices.Contains([]string{working, inputRequired, completed, failed, cancelled}, text)
}

// unknownStatus tells what judges a status that is missing, or that there is not.
func unknownStatus(status string) probe.Elsewhere {
	if isStatus(status) {
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: "tasks/valid-transitions", Why: "there is no such status"}
}

// stateless tells what judges a record without a state, or that there is none.
func stateless(r *probe.Reply) probe.Elsewhere {
	switch {
	case !r.Served() || isStatus(statusOf(r)):
		return unknownGet(r)
	case wrapped(r.Message()):
		return probe.Elsewhere{Case: "tasks/record-schema", Why: "the record stands in $.result.task"}
	}
	return probe.Elsewhere{Case: "tasks/valid-transitions", Why: "the record has no status, or another one than there are"}
}

// sharedID tells what judges whether two tasks have one id: their records are told as those of
// one task then.
func sharedID() probe.Elsewhere {
	return probe.Elsewhere{Case: "tasks/id-unique", Why: "two tasks have one id"}
}

// follows reports whether a notification is later news than what is known. It may come late, on
// another stream or from a queue: so the times of the updates have to show it, and one of them
// may be rounded.
func follows(updated, known any) bool {
	now, before, _ := comparableTimes(updated, known)
	return apart(updated, known) && now.After(before)
}

// terminalFinal looks again after a cancellation, which may be refused only. A task that works
// again is for tasks/valid-transitions to tell of.
func terminalFinal(c *probe.Client) error {
	p := ordinary(c)
	first := statusOf(p.end)
	if c.Survey().Declares("tasks.cancel") {
		c.Call(cancelTask, named(p.task))
	}
	again := get(c, p.task)
	c.NotSeenIf(gone(again), "the server does not keep the task")
	if status := statusOf(again); over(status) && status != first {
		return probe.Shown(p.end, again).Violation("$.result.status is %s of a task that was %s, want it to stay", status, first)
	}
	return nil
}
