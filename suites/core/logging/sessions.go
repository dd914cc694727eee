package logging

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// perSession is the case of the level, to which those of one session leave a level that others
// have set.
const perSession = "logging/level-per-session"

// sessionCases look from one session at what another does. No other case may set a level or
// call a tool meanwhile, since a server that mixes sessions up mixes up theirs too.
func sessionCases() []suite.Case {
	needs := []suite.Need{suite.Over(requirements.HTTP), suite.Trait(probe.Sessions), declares(), logs()}
	return []suite.Case{
		{
			ID:     perSession,
			Title:  "the level that one session sets is not that of another",
			Checks: []requirements.ID{"http-session-isolation"},
			Needs:  needs,
			Lane:   suite.Alone,
			Fix:    "keep the log level with the session that has set it, not in a variable of the process or of the server object",
			Run:    levelPerSession,
		},
		{
			ID:     "logging/messages-per-session",
			Title:  "what a call logs comes in its own session, and in no other",
			Checks: []requirements.ID{"http-session-isolation"},
			Needs:  needs,
			Lane:   suite.Alone,
			Fix:    "send what a request logs to the session of that request only, not to each session that is open",
			Run:    messagesPerSession,
		},
	}
}

// beside opens another session. A server that keeps one at a time cannot mix two up.
func beside(c *probe.Client) *probe.Client {
	other := c.Opened()
	c.UndecideIf(other.Session() == "" || other.Session() == c.Session(), "a second handshake brings no session of its own")
	return other
}

// set sets the level of a session.
func set(c *probe.Client, level string) *probe.Reply {
	reply := c.Call(setLevel, probe.Object{"level": level})
	c.NotSeenIf(!reply.Served(), "the level "+level+" cannot be set: "+reply.Outcome())
	subscriptions.Settle(c)
	return reply
}

// levelPerSession sets the highest level in one session and the lowest in another. What the
// tool logs then is judged only where it logs nothing of the kind without the other session.
func levelPerSession(c *probe.Client) error {
	lowest, highest := levels()[0], levels()[len(levels())-1]
	c.Cleanup(func() { c.Call(setLevel, probe.Object{"level": usual}) })
	other := beside(c)
	lower := func(m logged) bool { return below(m.level, highest) }
	c.NotSeenIf(!slices.ContainsFunc(at(c, lowest).all, lower), silent)
	set(other, highest)
	c.NotSeenIf(slices.ContainsFunc(at(c, highest).all, lower),
		"messages below "+highest+" come in any case, which logging/filter-"+highest+" judges")
	theirs := set(other, lowest)
	called := call(c)
	i := slices.IndexFunc(called.all, lower)
	if i < 0 {
		return nil
	}
	return probe.Shown(theirs, called.reply, probe.One(called.all[i].in)).Violation(
		"a message of the level %s comes in a session with the level %s, since another session has set %s, want each to have its own",
		called.all[i].level, highest, lowest)
}

// rounds is how often the tool is called: once may be by chance.
const rounds = 2

// messagesPerSession compares what a call logs with what comes in a session that has called
// nothing. It passes over a server that logs in that session without a call too.
func messagesPerSession(c *probe.Client) error {
	other := beside(c)
	exchange, open := subscriptions.Channel(other)
	c.NotSeenIf(!open || exchange == 0, "GET opens no stream that could bring messages of another session")
	c.Cleanup(func() { c.Call(setLevel, probe.Object{"level": usual}) })
	subscriptions.Hear(c) // a server may log on that stream, and not on that of the call
	for _, each := range []*probe.Client{c, other} {
		set(each, levels()[0])
	}
	var shown probe.Evidence
	foreign := 0
	for range rounds {
		quiet := other.Mark()
		subscriptions.Settle(other)
		c.NotSeenIf(len(loggedSince(other, quiet)) > 0, "the server logs in a session that calls nothing")
		from := other.Mark()
		called := call(c)
		c.NotSeenIf(len(called.all) == 0, silent)
		subscriptions.Settle(other)
		for _, m := range loggedSince(other, from) {
			if slices.ContainsFunc(called.all, func(own logged) bool { return own.text == m.text }) {
				foreign++
				shown = probe.Shown(called.reply, probe.One(m.in))
				break
			}
		}
	}
	if foreign < rounds {
		return nil
	}
	return shown.Violation(
		"a log message of a call in one session comes in another session too, which has called nothing, want it in its own only")
}
