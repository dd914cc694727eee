package logging

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// usual is the level that is set at last, since none can be unset.
const usual = "info"

// levelCases set each level, and values that are none.
func levelCases() []suite.Case {
	var cases []suite.Case
	for _, level := range levels() {
		cases = append(cases, suite.Case{
			ID:     "logging/set-level-" + level,
			Title:  "the level " + level + " can be set",
			Checks: []requirements.ID{"logging-set-level-result"},
			Needs:  []suite.Need{declares()},
			Fix:    "answer logging/setLevel with an empty result for each of the eight levels, or do not declare logging",
			Run: func(c *probe.Client) error {
				c.Cleanup(func() { c.Call(setLevel, probe.Object{"level": usual}) })
				return c.Call(setLevel, probe.Object{"level": level}).WantResult()
			},
		})
	}
	var rows []refusals.Row
	for i, row := range wrong() {
		refused := refusals.Row{
			ID:     "logging/set-level-" + row.slug,
			Title:  "a level that is " + row.words + " is rejected as invalid params",
			Checks: []requirements.ID{"logging-set-level-invalid"},
			Needs:  []suite.Need{declares()},
			Fix:    "answer error -32602 when level is none of the eight levels",
			Method: setLevel, Codes: []int{protocol.InvalidParams},
			Params: func(*probe.Client) probe.Object { return probe.Object{"level": row.level} },
			Lacks:  "a level that there is", Whole: probe.Object{"level": usual},
		}
		if i > 0 {
			refused.Like = &refusals.Like{Case: rows[0].ID, Params: rows[0].Params}
		}
		rows = append(rows, refused)
	}
	rows = append(rows, refusals.Row{
		ID:     "logging/set-level-missing",
		Title:  "logging/setLevel without a level is rejected as invalid params",
		Checks: []requirements.ID{"logging-set-level-invalid"},
		Needs:  []suite.Need{declares()},
		Fix:    "answer error -32602 when level is missing",
		Method: setLevel, Codes: []int{protocol.InvalidParams},
		Params: func(*probe.Client) probe.Object { return probe.Object{} },
		Lacks:  "level", Whole: probe.Object{"level": usual},
		Like: &refusals.Like{Case: rows[0].ID, Params: rows[0].Params},
	})
	return append(cases, refusals.Cases(rows...)...)
}

// wrong are levels that there are not. A known name in upper case may be understood.
func wrong() []wrongLevel {
	return []wrongLevel{
		{"unknown", "an unknown name", "verbose"}, {"number", "a number", 3},
	}
}

type wrongLevel struct {
	slug, words string
	level       any
}

// filterCases set a level and look at what a tool logs then.
func filterCases() []suite.Case {
	var cases []suite.Case
	for _, level := range levels() {
		cases = append(cases, suite.Case{
			ID:     "logging/filter-" + level,
			Title:  "once the level is " + level + ", messages of that level and above come, and no others",
			Checks: []requirements.ID{"logging-set-level-filter"},
			Needs:  []suite.Need{declares(), logs()},
			Fix:    "compare the level of each message with the level that the session has set",
			Run:    func(c *probe.Client) error { return filtered(c, level) },
		})
	}
	return cases
}

// A logged is one log message.
type logged struct {
	level string
	text  string // all that it says, as JSON
	in    frame.Frame
}

// loggedSince are the log messages after a mark.
func loggedSince(c *probe.Client, from probe.Mark) []logged {
	var all []logged
	for _, s := range c.Since(from) {
		if s.Dir == frame.Sent || s.Kind != frame.KindMessage {
			continue
		}
		for _, m := range probe.Singles(s.Message()) {
			if level, _ := m.At("/params/level"); m.Class == frame.Notification && m.Method == method {
				params, _ := m.At("/params")
				all = append(all, logged{probe.TextOf(level), probe.JSON(params), s.Frame})
			}
		}
	}
	return all
}

// A calling is a call of the tool at one level.
type calling struct {
	reply *probe.Reply
	heard bool // something brings the client what answers no request
	from  probe.Mark
	all   []logged
}

// at sets a level, and calls the tool.
func at(c *probe.Client, level string) calling {
	heard := subscriptions.Hear(c)
	set(c, level)
	called := call(c)
	called.heard = heard
	return called
}

// call calls the tool.
func call(c *probe.Client) calling {
	called := calling{from: c.Mark()}
	called.reply = c.CallTool(tool(c), nil)
	c.UndecideIf(!called.reply.Answered(), "the call of the tool got "+called.reply.Outcome())
	subscriptions.Settle(c)
	called.all = loggedSince(c, called.from)
	return called
}

// filtered wants to see a message that is missing only where the configuration names its
// level: a tool may log something else each time.
func filtered(c *probe.Client, level string) error {
	c.NotSeenIf(c.Transport() == requirements.HTTP && !c.Survey().Traits[probe.Sessions],
		"the server has no sessions over HTTP, so it cannot remember a level")
	c.Cleanup(func() { c.Call(setLevel, probe.Object{"level": usual}) })
	called := at(c, level)
	nothing := logsNothing(c, level, called)
	c.NotSeenIf(len(called.all) == 0 && nothing, silent)
	for _, m := range called.all {
		if below(m.level, level) {
			return probe.Shown(called.reply, probe.One(m.in)).Violation(
				"a message of the level %s comes while the level is %s, want none below it", m.level, level).Unless(ofAnother())
		}
	}
	c.NotSeenIf(slices.ContainsFunc(called.all, strange), "a message has a level that there is not, which logging/message-schema judges")
	for _, wanted := range c.Role(roles.LoggingTool).Fields().Texts("levels") {
		if below(wanted, level) || !called.heard || came(called.all, wanted) || awaited(c, called.from, wanted) {
			continue
		}
		return called.reply.Violation("no message of the level %s comes while the level is %s, want it, as roles.logging-tool.levels has it",
			wanted, level).Unless(ofAnother(), elsewhere())
	}
	return nil
}

// ofAnother leaves a level that another session has set meanwhile to the case about it.
func ofAnother() probe.Elsewhere {
	return probe.Elsewhere{Case: perSession, Why: "the level of one session is that of all"}
}

// elsewhere leaves a message that is missing to the case about streams that bring the messages of
// other requests.
func elsewhere() probe.Elsewhere {
	return probe.Elsewhere{Case: "http/stream-messages-related", Why: "messages come on the streams of other requests"}
}

// logsNothing reports whether the tool logs nothing even at the lowest level. The first case
// to come here finds out, by its own call where that tells.
func logsNothing(c *probe.Client, level string, called calling) bool {
	return c.Learn("logging:silent", func() string {
		lowest := levels()[0]
		if len(called.all) > 0 || level != lowest && len(at(c, lowest).all) > 0 {
			return ""
		}
		return "yes"
	}) != ""
}

// mute is logsNothing for a case that has not called the tool.
func mute(c *probe.Client) bool { return logsNothing(c, "", calling{}) }

func strange(m logged) bool { return !slices.Contains(levels(), m.level) }

func came(all []logged, level string) bool {
	return slices.ContainsFunc(all, func(m logged) bool { return m.level == level })
}

func awaited(c *probe.Client, from probe.Mark, level string) bool {
	_, found := c.Await(from, c.Waits().Event, func(s probe.Seen) bool {
		m, ok := subscriptions.Told(s, method)
		got, _ := m.At("/params/level")
		return ok && got == level
	})
	return found
}

// below compares two levels. A level that there is not is for logging/message-schema.
func below(level, than string) bool {
	i := slices.Index(levels(), level)
	return i >= 0 && i < slices.Index(levels(), than)
}
