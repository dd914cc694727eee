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

// sessionCases look from one session at what another does. Where a server mixes sessions up, it
// mixes up those of other cases too, so that only a pass counts beside them.
func sessionCases() []suite.Case {
	needs := []suite.Need{suite.Over(requirements.HTTP), suite.Trait(probe.Sessions), declares(), logs()}
	return []suite.Case{
		{
			ID:       perSession,
			Title:    "the level that one session sets is not that of another",
			Checks:   []requirements.ID{"http-session-isolation"},
			Needs:    needs,
			Contends: true,
			Fix:      "keep the log level with the session that has set it, not in a variable of the process or of the server object",
			Run:      levelPerSession,
		},
		{
			ID:       "logging/messages-per-session",
			Title:    "what a call logs comes in its own session, and in no other",
			Checks:   []requirements.ID{"http-session-isolation"},
			Needs:    needs,
			Contends: true,
			Fix:      "send what a request logs to the session of that request only, not to each session that is open",
			Run:      messagesPerSession,
		},
	}
}

// beside opens another session. A server that keeps one at a time cannot mix two up.
func beside(c *probe.Client) *probe.Client {
	other := c.Opened()
	c.UndecideIf(other.Session() == "" || other.Session() == c.Session(), "a second handshake brings no session of its own")
	return other
}

// set sets the level of a session, and waits for what the server says of its own accord.
func set(c *probe.Client, level string) *probe.Reply {
	reply := ask(c, level)
	subscriptions.Settle(c)
	return reply
}

// ask sets the level of a session.
func ask(c *probe.Client, level string) *probe.Reply {
	reply := c.Call(setLevel, probe.Object{"level": level})
	c.NotSeenIf(!reply.Served(), "the level "+level+" cannot be set: "+reply.Outcome())
	return reply
}

// levelPerSession sets the highest level in one session and the lowest in another. What the
// tool logs then is judged only where it logs nothing of the kind without the other session.
func levelPerSession(c *probe.Client) error {
	lowest, highest := levels()[0], levels()[len(levels())-1]
	c.NotSeenIf(mute(c), silent)
	c.Cleanup(func() { c.Call(setLevel, probe.Object{"level": usual}) })
	other := beside(c)
	lower := func(m logged) bool { return below(m.level, highest) }
	if apart(c, other, lower) {
		return nil
	}
	c.UndecideIf(!slices.ContainsFunc(at(c, lowest).all, lower), "the tool logs nothing below "+highest)
	set(other, highest)
	c.UndecideIf(slices.ContainsFunc(at(c, highest).all, lower),
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

// apart sets the highest level in one session and the lowest in another, and calls the tool in
// both at once. It reports whether each session got what it has set: then the server does not mix
// them up, and nothing else has to be tried. Twice it cannot be the chance of levels that other
// cases set.
func apart(c, other *probe.Client, lower func(logged) bool) bool {
	subscriptions.Hear(c)
	subscriptions.Hear(other)
	var mine, theirs [2]probe.Mark
	for i := range mine {
		ask(c, levels()[len(levels())-1])
		set(other, levels()[0])
		mine[i], theirs[i] = c.Mark(), other.Mark()
		for _, call := range []*probe.Pending{c.StartTool(tool(c), nil), other.StartTool(tool(other), nil)} {
			call.Reply()
		}
		if slices.ContainsFunc(loggedSince(c, mine[i]), lower) {
			return false
		}
	}
	subscriptions.Settle(c)
	second := loggedSince(other, theirs[1])
	first := loggedSince(other, theirs[0]) // read after the second: messages may still come
	first = first[:len(first)-len(second)]
	return !slices.ContainsFunc(loggedSince(c, mine[0]), lower) &&
		slices.ContainsFunc(first, lower) && slices.ContainsFunc(second, lower)
}

// rounds is how often the tool is called once a message has come in the wrong session: that may
// be by chance.
const rounds = 2

// messagesPerSession compares what a call logs with what comes in a session that has called
// nothing. It passes over a server that logs in that session without a call too.
func messagesPerSession(c *probe.Client) error {
	c.NotSeenIf(mute(c), silent)
	other := beside(c)
	exchange, open := subscriptions.Channel(other)
	c.NotSeenIf(!open || exchange == 0, "GET opens no stream that could bring messages of another session")
	c.Cleanup(func() { c.Call(setLevel, probe.Object{"level": usual}) })
	subscriptions.Hear(c) // a server may log on that stream, and not on that of the call
	ask(c, levels()[0])
	set(other, levels()[0])
	shown, found := foreign(c, other)
	for range rounds {
		if !found {
			return nil
		}
		quiet := other.Mark()
		subscriptions.Settle(other)
		c.UndecideIf(len(loggedSince(other, quiet)) > 0, "the server logs in a session that calls nothing")
		shown, found = foreign(c, other)
	}
	if !found {
		return nil
	}
	return shown.Violation(
		"a log message of a call in one session comes in another session too, which has called nothing, want it in its own only")
}

// foreign calls the tool, and looks for a message of the call in the other session.
func foreign(c, other *probe.Client) (shown probe.Evidence, found bool) {
	from := other.Mark()
	called := call(c)
	c.UndecideIf(len(called.all) == 0, "the tool logs nothing this time")
	subscriptions.Settle(other)
	for _, m := range loggedSince(other, from) {
		if slices.ContainsFunc(called.all, func(own logged) bool { return own.text == m.text }) {
			return probe.Shown(called.reply, probe.One(m.in)), true
		}
	}
	return shown, false
}
