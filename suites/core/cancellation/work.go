package cancellation

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// workCases cancel calls of a tool that takes its time, and can be cancelled.
func workCases() []suite.Case {
	cancellable := suite.Role(roles.SlowTool, "cancellable")
	return []suite.Case{
		{
			ID:       "cancellation/stops-work",
			Title:    "a call that is cancelled has no effect any more",
			Checks:   []requirements.ID{"cancellation-stops-work"},
			Needs:    []suite.Need{cancellable, suite.Role(roles.SlowTool, "observe")},
			Lane:     suite.Waits,
			Contends: true,
			Observes: roles.SlowTool,
			Fix:      "pass the cancellation on to the work, and look for it between two steps",
			Run:      stopsWork,
		},
		{
			ID:       "cancellation/frees-resources",
			Title:    "calls are served after fifty that were cancelled",
			Checks:   []requirements.ID{"cancellation-frees-resources"},
			Needs:    []suite.Need{cancellable, suite.OptIn(suite.Stress)},
			Lane:     suite.Fresh,
			Observes: roles.SlowTool,
			Fix:      "release what a call holds, such as a place in a pool, when it is cancelled",
			Run:      freesResources,
		},
		{
			ID:       "cancellation/no-response",
			Title:    "calls that are cancelled are not answered, and their progress ends soon",
			Checks:   []requirements.ID{"cancellation-no-response", "cancellation-stops-work"},
			Needs:    []suite.Need{cancellable},
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.SlowTool,
			Fix:      "end the work on a request that is cancelled, and send neither a result nor an error for it",
			Run:      noResponse,
		},
		{
			ID:       "cancellation/silent-afterwards",
			Title:    "nothing is reported of a call once it is cancelled",
			Checks:   []requirements.ID{"cancellation-stdio-silent-afterwards"},
			Needs:    []suite.Need{suite.Over(requirements.Stdio), cancellable, suite.Role(roles.SlowTool, "progress")},
			Lane:     suite.Waits,
			Contends: true,
			Disturbs: roles.SlowTool,
			Fix:      "stop whatever sends progress and log messages of a request when it is cancelled",
			Run:      silentAfterwards,
		},
	}
}

// A work is one call of the slow tool in flight.
type work struct {
	*probe.Pending
	call  *probe.ToolCall
	token string
	began time.Time
	given time.Time // when it was given up; zero: it was not
	waits string    // what the server did not answer while it ran
}

// start calls the slow tool. The call ends with the case, if not before.
func start(c *probe.Client, token string, options ...probe.Option) *work {
	w := &work{call: c.Role(roles.SlowTool).Call(), token: token, began: time.Now()}
	options = append(options, probe.Within(patience(c)))
	w.Pending = c.StartTool(w.call, probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}}, options...)
	c.Cleanup(func() { w.giveUp("the case is over") })
	return w
}

// patience is how long the tool may take, and some time for its answer.
func patience(c *probe.Client) time.Duration { return duration(c) + c.Waits().Answer }

func duration(c *probe.Client) time.Duration {
	const usual = 5 * time.Second // as the role has it
	return c.Role(roles.SlowTool).Fields().Duration("duration", usual)
}

func (w *work) giveUp(reason string) {
	if _, over := w.Await(0, w.Answers); !over && w.given.IsZero() {
		w.given = time.Now()
		w.Cancel(reason)
	}
}

// running waits until the server works on the calls, as far as a client can tell: it reports
// progress of them, or it answers requests that came behind them.
func running(c *probe.Client, all ...*work) {
	if c.Role(roles.SlowTool).Fields().Flag("progress") {
		until := time.Now().Add(min(duration(c)/2, c.Waits().Event))
		for _, w := range all {
			w.Await(max(0, time.Until(until)), func(s probe.Seen) bool { return w.tells(s) || w.Answers(s) })
		}
	}
	waits := ""
	for _, reply := range probe.Barriers(c) {
		if reply.Took() > max(duration(c)/2, 4*c.Survey().RoundTrip) {
			waits = reply.Method
		}
	}
	for _, w := range all {
		_, over := w.Await(0, w.Answers)
		w.waits = waits
		c.UndecideIf(over, w.tooLate())
	}
}

// tooLate is the reason where the call was over too soon.
func (w *work) tooLate() string {
	if w.waits != "" {
		return "the server answers no " + w.waits + " while the tool runs, so the call was over before it could be cancelled"
	}
	return "the call was answered before it could be cancelled; let roles.slow-tool take longer"
}

// despite is the answer to a call that was given up, if there is one: it comes when the tool is
// done with that call, or with another one before it.
func (w *work) despite(c *probe.Client) (answer probe.Seen, came bool) {
	return w.Await(max(0, time.Until(w.given.Add(2*duration(c)+grace(c)))), w.Answers)
}

// inTime ends the case where the tool may have done its work before the cancellation came.
func (w *work) inTime(c *probe.Client) {
	c.UndecideIf(time.Since(w.began) > duration(c)*3/4, w.tooLate())
}

// tells reports whether a frame holds progress of the call.
func (w *work) tells(s probe.Seen) bool {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return false
	}
	for _, m := range probe.Singles(s.Message()) {
		if token, _ := m.At("/params/progressToken"); m.Method == "notifications/progress" && token == w.token {
			return true
		}
	}
	return false
}

// private reports whether the effect of one call can be told from that of another.
func private(c *probe.Client) bool {
	observe, ok := c.Role(roles.SlowTool).Fields().Observe()
	return ok && observe.Private()
}

// worksOn looks twice before it speaks: a call whose effect comes in pieces may have one
// between the last look at the state and the moment when it is given up.
func worksOn(c *probe.Client, giveUp func(*work), problem string) error {
	var violation error
	for range 2 {
		first, before, after := effect(c, giveUp)
		if before.Same(after) {
			return nil
		}
		violation = probe.Shown(first, after).Violation("%s", problem)
	}
	return violation
}

// effect is what a call did to the state from the moment when it was given up until the time
// is over that it takes: what it did before was its right. A second call tells when that is,
// where its effect is another one: it began later. The case ends where that call has no
// effect either.
func effect(c *probe.Client, giveUp func(*work)) (first *work, before, after probe.State) {
	first = start(c, "kit-"+c.Nonce())
	running(c, first)
	if !private(c) {
		before = c.Before(first.call)
		giveUp(first)
		first.inTime(c)
		c.Pause(duration(c) + c.Waits().Event)
		return first, before, c.Observe(first.call)
	}
	second := start(c, "kit-"+c.Nonce())
	idle := c.Observe(second.call)
	before = c.Before(first.call)
	giveUp(first)
	first.inTime(c)
	reply := second.Reply()
	c.Pause(slack)
	c.UndecideIf(!reply.Served() || idle.Same(c.Observe(second.call)), "a call that is not cancelled has no effect either: "+reply.Outcome())
	return first, before, c.Observe(first.call)
}

// slack is how much later than that of a second call the effect of the first may come.
const slack = 100 * time.Millisecond

// reachable ends the case where a cancellation cannot reach its request: over HTTP it is a
// message of its own until 2025-11-25, and only a session says whose request it means.
func reachable(c *probe.Client) {
	c.NotSeenIf(c.Transport() == requirements.HTTP && !protocol.RequestMeta().At(c.Revision()) && !c.Survey().Traits[probe.Sessions],
		"the server has no sessions over HTTP, so it cannot know whose request is cancelled")
}

func stopsWork(c *probe.Client) error {
	reachable(c)
	return worksOn(c, func(w *work) { w.giveUp("it takes too long") },
		"a call that was cancelled while the tool ran continues to have its effect, want no more of it")
}

// freesResources passes over calls that are answered in spite of it.
func freesResources(c *probe.Client) error {
	reachable(c)
	const many = 50
	for range many {
		w := start(c, "kit-"+c.Nonce())
		w.giveUp("it is not needed")
	}
	last := start(c, "kit-"+c.Nonce())
	if reply := last.Reply(); !reply.Served() {
		return reply.Violation("after %d calls were cancelled, one more gets %s, want a result", many, reply.Outcome())
	}
	return nil
}

// noResponse looks twice before it speaks: over HTTP a call that is late on its way may come
// after its cancellation.
func noResponse(c *probe.Client) error {
	reachable(c)
	if cancelBoth(c) == nil {
		return nil
	}
	return cancelBoth(c)
}

// cancelBoth cancels two calls at once, one with a number as its id and one with a string,
// and waits until both would have been answered.
func cancelBoth(c *probe.Client) error {
	began := time.Now()
	both := []*work{start(c, "kit-"+c.Nonce()), start(c, "kit-"+c.Nonce(), probe.WithID(`"kit-`+c.Nonce()+`"`))}
	running(c, both...)
	for _, w := range both {
		w.giveUp("it takes too long")
	}
	both[0].inTime(c) // it began first
	from := c.Mark()
	for _, w := range both {
		if answer, came := w.despite(c); came {
			crossed(c, began, answer)
			return probe.Shown(w, probe.One(answer.Frame)).Violation("a call that was cancelled while the tool ran is answered, want no response").
				Under("cancellation-no-response")
		}
	}
	return reportedOn(c, from, both)
}

// crossed ends the case where a result came sooner than the tool can be done: it may have
// crossed the cancellation, unless a call that is not cancelled takes as long as is said.
func crossed(c *probe.Client, began time.Time, answer probe.Seen) {
	early := time.Since(began) < duration(c) && answer.Message().Class == frame.Result
	marked, _ := answer.Message().At("/result/isError")
	if !early || marked == true {
		return
	}
	w := start(c, "kit-"+c.Nonce())
	_, came := w.Await(patience(c), w.Answers)
	c.UndecideIf(!came || time.Since(w.began) < duration(c), "the call had its result before roles.slow-tool.duration was over")
}

// reportedOn allows a server some reports until its work ends. Since 2026-07-28 it may send
// none, which cancellation/silent-afterwards judges.
func reportedOn(c *probe.Client, from probe.Mark, all []*work) error {
	if protocol.RequestMeta().At(c.Revision()) {
		return nil
	}
	const some = 3
	long := max(duration(c)/2, 500*time.Millisecond)
	for _, w := range all {
		var late []probe.Seen
		for _, s := range c.Since(from) {
			if w.tells(s) {
				late = append(late, s)
			}
		}
		if n := len(late); n >= some && late[n-1].At-late[0].At >= long {
			return probe.Shown(w, probe.One(late[0].Frame), probe.One(late[n-1].Frame)).Violation(
				"progress of a call comes %d times after it was cancelled, want the work on it to end", n).Under("cancellation-stops-work")
		}
	}
	return nil
}

// grace is how much later than a tool its answer may come.
func grace(c *probe.Client) time.Duration { return min(time.Second, c.Waits().Event) }

// silentAfterwards passes over a server that goes on and answers: it did not act on the
// cancellation, and cancellation/no-response judges that.
func silentAfterwards(c *probe.Client) error {
	w := start(c, "kit-"+c.Nonce())
	running(c, w)
	w.giveUp("it takes too long")
	subscriptions.Settle(c) // a report may cross the cancellation
	from := c.Mark()
	_, answered := w.Await(duration(c)+grace(c), w.Answers)
	c.NotSeenIf(answered, "the call is answered although it was cancelled")
	for _, s := range c.Since(from) {
		if w.tells(s) {
			return probe.Shown(w, probe.One(s.Frame)).Violation("progress of a call comes after it was cancelled, want nothing more of it")
		}
	}
	return nil
}
