package elicitation

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const completed = "notifications/elicitation/complete"

// completionCases judge the ids of elicitations by URL, the notices of their end, and the
// error that lists them.
func completionCases() []suite.Case {
	cases := []suite.Case{
		{
			ID:     "elicitation/ids",
			Title:  "each elicitation by URL has an id of its own",
			Checks: []requirements.ID{"elicitation-id-unique"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "url")},
			Fix:    "make a new elicitationId for each elicitation",
			Run:    ownIDs,
		},
		{
			ID:     "elicitation/completion-id",
			Title:  "a notice of completion has the id of an elicitation that the client was asked",
			Checks: []requirements.ID{"elicitation-complete-notification-id"},
			Fix:    "write the elicitationId of the elicitation into notifications/elicitation/complete",
			Sees:   completed,
			Owns:   []suite.Part{{Of: completed, At: "/params", Depth: suite.Itself}, {Of: completed, At: "/params/elicitationId"}},
			Watch:  func() probe.Watcher { return &completions{known: map[string]bool{}} },
		},
	}
	for _, row := range []struct {
		slug, title, fix string
		rules            []requirements.ID
		judge            func(probe.Message) probe.Opinion
	}{
		{
			"required-error-list", "error -32042 lists the elicitations that are required",
			"write the elicitations into data.elicitations of error -32042, one at least",
			[]requirements.ID{"elicitation-required-error-list"}, listed,
		},
		{
			"required-error-mode", "the elicitations of error -32042 have the mode url, an id, a message and a url",
			"list only elicitations by URL in error -32042, each with mode url, an elicitationId, a message and a url",
			[]requirements.ID{"elicitation-required-error-url-mode", "elicitation-url-fields"}, listedByURL,
		},
	} {
		cases = append(cases, suite.Case{
			ID: "elicitation/" + row.slug, Title: row.title, Fix: row.fix, Checks: row.rules, Sees: "error -32042",
			Revisions: protocol.Handshake(),
			Watch: probe.OnBinding(func(m probe.Message) probe.Opinion {
				if m.Class != frame.Error || !isURLWanted(m) {
					return probe.Nothing()
				}
				return row.judge(m)
			}),
		})
	}
	return cases
}

func isURLWanted(m probe.Message) bool {
	return probe.Same(m.Value("/error/code"), protocol.FormerURLWanted)
}

const wanted = "/error/data/elicitations"

func listed(m probe.Message) probe.Opinion {
	if list, ok := m.Value(wanted).([]any); !ok || len(list) == 0 {
		return probe.Breaks("%s is %s, want an array with one elicitation at least", m.Where(wanted), probe.Show(m.Value(wanted)))
	}
	return probe.Kept()
}

func listedByURL(m probe.Message) probe.Opinion {
	list := probe.ArrayOf(m.Value(wanted))
	for i, each := range list {
		_, id := probe.ObjectOf(each)["elicitationId"].(string)
		if probe.ObjectOf(each)["mode"] != "url" || !id {
			return probe.Breaks("%s[%d] is %s, want mode url and an elicitationId", m.Where(wanted), i, probe.Show(each)).Violation().
				Under("elicitation-required-error-url-mode").Opinion()
		}
		for _, name := range []string{"message", "url"} {
			if _, text := probe.ObjectOf(each)[name].(string); !text {
				return probe.Breaks("%s[%d] is %s, want a %s that is a string", m.Where(wanted), i, probe.Show(each), name).Violation().
					Under("elicitation-url-fields").Opinion()
			}
		}
	}
	if len(list) == 0 {
		return probe.Nothing()
	}
	return probe.Kept()
}

// ownIDs calls the tool twice. Where it asks for the same both times, the id may be the same.
func ownIDs(c *probe.Client) error {
	able := questions.Able(c, capability, probe.Object{"url": probe.Object{}})
	able.Answers(questions.Elicitation, questions.Always(probe.Object{"action": "cancel"}))
	from := able.Mark()
	able.CallTool(c.Role(roles.ClientRequest).Field("url"), nil)
	able.CallTool(c.Role(roles.ClientRequest).Field("url"), nil)
	known := map[string]probe.Message{}
	stands := map[string]string{}
	for _, m := range questions.Messages(able, from) {
		for _, e := range elicitations(m) {
			id, ok := e["elicitationId"].(string)
			asks := probe.JSON([]any{e["url"], e["message"]})
			if before, again := stands[id]; ok && again && before != asks {
				return probe.Shown(probe.One(known[id].Frame.Frame), probe.One(m.Frame.Frame)).Violation(
					"the elicitationId %s stands for two elicitations, want a new id for the second", probe.Show(id))
			}
			if ok {
				known[id], stands[id] = m, asks
			}
		}
	}
	c.NotSeenIf(len(stands) == 0, "the tool of roles.client-request.url did not ask for a URL to be visited")
	c.NotSeenIf(len(stands) == 1, "the tool of roles.client-request.url asks for the same each time")
	return nil
}

// elicitations are those by URL that a message asks for, also by an error.
func elicitations(m probe.Message) []map[string]any {
	var all []map[string]any
	for _, q := range questions.In(m) {
		if q.Asks == questions.Elicitation && byURL(q) {
			all = append(all, q.Params)
		}
	}
	if m.Class == frame.Error && isURLWanted(m) {
		for _, each := range probe.ArrayOf(m.Value(wanted)) {
			all = append(all, probe.ObjectOf(each))
		}
	}
	return all
}

// completions remembers the elicitations by URL of a connection, and whether it began with a
// handshake: one that goes on with an earlier session may be told of what came before.
type completions struct {
	known   map[string]bool
	unnamed probe.Elsewhere // what judges an elicitation without an id, once there was one
	begun   bool
}

func (w *completions) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		w.begun = w.begun || s.Message().Method == "initialize"
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		for _, e := range elicitations(m) {
			if id, ok := e["elicitationId"].(string); ok {
				w.known[id] = true
			} else {
				w.unnamed = probe.Elsewhere{Case: "elicitation/url-fields", Why: "an elicitation by URL has no elicitationId"}
				if m.Class == frame.Error {
					w.unnamed.Case = "elicitation/required-error-mode"
				}
			}
		}
		if m.Class != frame.Notification || m.Method != completed || !protocol.ElicitationIDs().At(m.Revision) {
			continue
		}
		given := m.Value("/params/elicitationId")
		id, ok := given.(string)
		switch {
		case !ok:
			said = said.And(probe.Breaks("%s is %s, want the id of an elicitation", m.Where("/params/elicitationId"), probe.Show(given)))
		case w.begun && !w.known[id]:
			said = said.And(probe.Breaks("%s is %s, which no elicitation of this client had, want the id of one",
				m.Where("/params/elicitationId"), probe.Show(id)).Unless(w.cause()))
		default:
			said = said.And(probe.Kept())
		}
	}
	return said
}

// cause is what explains a notice with an id that no elicitation of the client had.
func (w *completions) cause() probe.Elsewhere {
	if len(w.known) == 0 && w.unnamed.Case == "" {
		return probe.Elsewhere{Case: "elicitation/completion-to-its-client", Why: "the client was asked to visit no URL"}
	}
	return w.unnamed
}

// visitCases go through with elicitations by URL.
func visitCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "elicitation/completion-to-its-client",
			Title:  "the end of an elicitation by URL is told to the client that was asked, and to no other",
			Checks: []requirements.ID{"elicitation-complete-notification-target"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "url"), suite.Over(requirements.HTTP)},
			Fix:    "keep with each elicitation whom it asked, and send notifications/elicitation/complete to that client only",
			Run:    toldToItsClient,
		},
		{
			ID:     "elicitation/required-error-ends",
			Title:  "a call that got error -32042 no longer gets it once the user has visited the URL",
			Checks: []requirements.ID{"elicitation-required-error-only-when-needed"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "url"), suite.Role(roles.ClientRequest, "url.complete")},
			Fix:    "answer with error -32042 only while an elicitation by URL is really missing",
			Run:    requiredErrorEnds,
		},
	}
}

// visit calls the tool that asks for a URL to be visited, and visits each.
func visit(c, able *probe.Client, call *probe.ToolCall) (*probe.Reply, []map[string]any) {
	from := able.Mark()
	able.Answers(questions.Elicitation, questions.Accept)
	reply := able.CallTool(call, nil)
	var asked []map[string]any
	for _, m := range questions.Messages(able, from) {
		asked = append(asked, elicitations(m)...)
	}
	c.NotSeenIf(len(asked) == 0, "the tool of roles.client-request.url did not ask for a URL to be visited")
	for _, e := range asked {
		able.ActOn(c.Role(roles.ClientRequest).Fields().At("url").At("complete"), map[string]any{"url": e["url"]})
	}
	return reply, asked
}

// notice finds the notice that one of the elicitations is complete.
func notice(c *probe.Client, from probe.Mark, asked []map[string]any) (probe.Message, bool) {
	for _, m := range questions.Messages(c, from) {
		for _, e := range asked {
			if m.Class == frame.Notification && m.Method == completed && probe.Same(m.Value("/params/elicitationId"), e["elicitationId"]) {
				return m, true
			}
		}
	}
	return probe.Message{}, false
}

// toldToItsClient opens another session beside the one that is asked. A server need not tell
// the end of an elicitation at all.
func toldToItsClient(c *probe.Client) error {
	modes := probe.Object{"url": probe.Object{}}
	other, able := questions.Able(c, capability, modes), questions.Able(c, capability, modes)
	from, mine := other.Mark(), able.Mark()
	for _, one := range []*probe.Client{other, able} {
		stream := one.Begin(probe.Outgoing{Method: http.MethodGet}) // for what belongs to no request
		defer stream.Abort()
	}
	_, asked := visit(c, able, c.Role(roles.ClientRequest).Field("url"))
	subscriptions.Settle(able)
	subscriptions.Settle(other)
	if m, told := notice(other, from, asked); told {
		return probe.One(m.Frame.Frame).Violation("the end of an elicitation is told to another client than the one that was asked")
	}
	_, told := notice(able, mine, asked)
	c.NotSeenIf(!told, "the server does not tell the end of the elicitation")
	return nil
}

// requiredErrorEnds repeats the call with the same arguments.
func requiredErrorEnds(c *probe.Client) error {
	able := questions.Able(c, capability, probe.Object{"url": probe.Object{}})
	call := c.Role(roles.ClientRequest).Field("url")
	first, _ := visit(c, able, call)
	c.NotSeenIf(!first.HasCode(protocol.FormerURLWanted), "the tool of roles.client-request.url asks without error -32042")
	again := able.CallTool(call, nil)
	if again.HasCode(protocol.FormerURLWanted) {
		return probe.Shown(first, again).Violation("the call gets error -32042 after roles.client-request.url.complete too, want another answer")
	}
	return nil
}
