package tasks

import (
	"encoding/json"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// inputCases judge tasks that ask their client, and what is reported of tasks.
func inputCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tasks/input-required-status",
			Title:  "a task that waits for an answer of its client is in status input_required",
			Checks: []requirements.ID{"tasks-input-required-status"},
			Needs:  needing(tool("input")),
			Lane:   suite.Waits,
			Fix:    "set the status to input_required before the client is asked",
			Run: func(c *probe.Client) error {
				during := interviewed(c).during
				return probe.Unless(during.Want("/result/status", probe.Equal(inputRequired)), stateless(during))
			},
		},
		{
			ID:     "tasks/input-required-left",
			Title:  "a task whose client has answered is in status input_required no longer",
			Checks: []requirements.ID{"tasks-input-required-left"},
			Needs:  needing(tool("input")),
			Lane:   suite.Waits,
			Fix:    "set the status to working when the last answer has come",
			Run: func(c *probe.Client) error {
				after := interviewed(c).after
				if statusOf(after) == inputRequired {
					return after.Violation("$.result.status is input_required after the client has answered, want another")
				}
				return nil
			},
		},
		{
			ID:     "tasks/input-request-related",
			Title:  "a request that a task sends to its client names the task in its metadata",
			Checks: []requirements.ID{"tasks-input-request-related"},
			Needs:  needing(tool("input")),
			Lane:   suite.Waits,
			Fix:    "put io.modelcontextprotocol/related-task with the taskId into _meta of the request",
			Run:    inputRequestRelated,
		},
		{
			ID:     "tasks/requestor-capability",
			Title:  "the server asks for a task only a client that declares tasks",
			Checks: []requirements.ID{"tasks-requestor-capability"},
			Fix:    "leave the task parameter out of requests to clients that do not declare tasks.requests",
			Sees:   "a request of the server",
			Watch: probe.OnBinding(func(m probe.Message) probe.Opinion {
				if !m.Asks() || m.Method != questions.Elicitation && m.Method != questions.Sampling {
					return probe.Nothing()
				}
				return m.Wants("/params/task", probe.Missing()) // the kit's client has no tasks
			}),
		},
		{
			ID:     "tasks/progress-continues",
			Title:  "progress of a task comes under the token of its call, after the call is answered too",
			Checks: []requirements.ID{"tasks-progress-continues"},
			Needs:  needing(tool("progress")),
			Lane:   suite.Waits,
			Fix:    "keep the progressToken of the call for as long as the task works",
			Run:    progressContinues,
		},
		{
			ID:     "tasks/progress-ends",
			Title:  "no progress of a task comes when it is over",
			Checks: []requirements.ID{"tasks-progress-ends"},
			Needs:  needing(tool("progress")),
			Lane:   suite.Waits,
			Fix:    "stop whatever reports progress before the status is completed, failed or cancelled",
			Run:    progressEnds,
		},
		{
			ID:     "tasks/progress-related",
			Title:  "progress of a task names the task in its metadata",
			Checks: []requirements.ID{"tasks-related-metadata-everywhere"},
			Needs:  needing(tool("progress")),
			Lane:   suite.Waits,
			Fix:    "put io.modelcontextprotocol/related-task with the taskId into _meta of each notification about a task",
			Run:    progressRelated,
		},
	}
}

// An interview is a task that asks its client once.
type interview struct {
	task
	asked         probe.Seen
	question      frame.Message
	during, after *probe.Reply
}

// interviewed lets a task ask, and looks at it before and after the answer.
func interviewed(c *probe.Client) interview {
	return probe.Once(c, "tasks:interview", func() (interview, bool) {
		i := interview{}
		i.hold(c.With(c.Capabilities().With("elicitation", probe.Object{}).With("sampling", probe.Object{})))
		return i, true
	})
}

func (i *interview) hold(c *probe.Client) {
	var mu sync.Mutex
	var first *probe.Request
	hold := func(r probe.Request) any {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = &r
		}
		return nil
	}
	c.Answers(questions.Elicitation, hold)
	c.Answers(questions.Sampling, hold)
	subscriptions.Hear(c)
	from := c.Mark()
	i.task = create(c, "input")
	asks := func(s probe.Seen) bool { _, ok := request(s); return ok }
	last, _ := poll(c, i.task, func(r *probe.Reply) bool {
		_, came := c.Find(from, asks)
		return came || statusOf(r) == inputRequired || ended(r)
	})
	c.NotSeenIf(ended(last), "the task of roles.task-tool.input is over without a question")
	waiting := c.Start(getResult, named(i.task), probe.Within(c.Waits().Max))
	var came bool
	if i.asked, came = c.Find(from, asks); !came {
		i.asked, came = waiting.Await(c.Waits().Event, asks)
	}
	c.NotSeenIf(!came, "the task of roles.task-tool.input does not ask its client")
	i.question, _ = request(i.asked)
	i.during = get(c, i.task)
	c.NotSeenIf(gone(i.during), "the server does not keep the task")
	answer := any(questions.Says("Yes."))
	if i.question.Method == questions.Elicitation {
		params, _ := i.question.At("/params")
		answer = questions.Accept(probe.Request{Params: probe.ObjectOf(params)})
	}
	c.Send(probe.JSON(probe.Object{"jsonrpc": "2.0", "id": json.RawMessage(i.question.ID), "result": answer}))
	i.after, _ = poll(c, i.task, func(r *probe.Reply) bool { return statusOf(r) != inputRequired })
	if ended(i.after) {
		waiting.Reply()
	}
}

// request is a question of the server in a frame.
func request(s probe.Seen) (frame.Message, bool) {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return frame.Message{}, false
	}
	for _, m := range probe.Singles(s.Message()) {
		if m.Class == frame.Request && (m.Method == questions.Elicitation || m.Method == questions.Sampling) {
			return m, true
		}
	}
	return frame.Message{}, false
}

func inputRequestRelated(c *probe.Client) error {
	i := interviewed(c)
	if got, _ := i.question.At("/params" + relatedAt + "/taskId"); got != i.id {
		return probe.Shown(i.task, probe.One(i.asked.Frame)).Violation(
			"$.params._meta of %s does not name the task %s as io.modelcontextprotocol/related-task", i.question.Method, probe.Show(i.id))
	}
	return nil
}

// A report is what was told of the progress of a task.
type report struct {
	task
	heard       bool // something brings what answers no request
	quick       bool // the task was over when it was first looked at
	later, last []probe.Seen
	nameless    bool // progress was told without a token
	end         *probe.Reply
}

// reported runs a task that reports progress.
func reported(c *probe.Client) report {
	return probe.Once(c, "tasks:report", func() (report, bool) {
		r := report{heard: subscriptions.Hear(c)}
		token := "kit-" + c.Nonce()
		r.task = created(c, ask(c, callOf(c, "progress"), probe.Object{"_meta": probe.Object{"progressToken": token}}))
		from := c.Mark()
		r.quick = ended(get(c, r.task))
		r.end = end(c, r.task)
		until := c.Mark()
		c.Pause(c.Waits().Event / 4)
		subscriptions.Settle(c)
		late := len(c.Since(until))
		all := c.Since(from)
		for n, s := range all {
			m, told := subscriptions.Told(s, "notifications/progress")
			given, named := m.At("/params/progressToken")
			r.nameless = r.nameless || told && !named
			if !told || given != token {
				continue
			}
			if r.later = append(r.later, s); n >= len(all)-late {
				r.last = append(r.last, s)
			}
		}
		return r, true
	})
}

func progressContinues(c *probe.Client) error {
	r := reported(c)
	c.NotSeenIf(!r.heard, "the server offers no stream for what it tells of its own accord")
	c.NotSeenIf(r.nameless, "progress comes without a token, which progress/schema judges")
	c.UndecideIf(r.quick && len(r.later) == 0, "the task was over before it could report; let roles.task-tool.progress take longer")
	if len(r.later) == 0 {
		return probe.Shown(r.task, r.end).Violation(
			"no progress came under the token of the call after it was answered with a task, want it until the end").
			Unless(probe.Elsewhere{Case: "progress/known-token", Why: "progress comes under a token that no request has"})
	}
	return nil
}

// progressEnds forgives what may have crossed the answer that shows the end.
func progressEnds(c *probe.Client) error {
	r := reported(c)
	c.NotSeenIf(len(r.later) == 0, "no progress of the task was reported")
	if len(r.last) > 1 {
		return probe.Shown(r.end, r.last[len(r.last)-1]).Violation("progress of a task comes when it is over, want none")
	}
	return nil
}

func progressRelated(c *probe.Client) error {
	r := reported(c)
	c.NotSeenIf(len(r.later) == 0, "no progress of the task was reported")
	for _, s := range r.later {
		m, _ := subscriptions.Told(s, "notifications/progress")
		if got, _ := m.At("/params" + relatedAt + "/taskId"); got != r.id {
			return probe.Shown(r.task, s).Violation("$.params._meta does not name the task %s as io.modelcontextprotocol/related-task",
				probe.Show(r.id))
		}
	}
	return nil
}
