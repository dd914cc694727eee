package engine

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/mentions"
	"github.com/mcp-conform/mcp-conform/suites/internal/needs"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A column holds the state that the cases of one revision over one transport share.
type column struct {
	Column
	server   *server
	survey   *probe.Survey
	ground   needs.Ground // what the survey and the configuration offer to cases
	shared   []roles.Name // whose calls change what other roles observe
	setup    probe.Setup
	watchers *watching.Watchers
	provers  map[suite.Word][]*job // the cases that prove each word, in suite order
	opener   *job                  // the case that owns the opening
	idle     *probe.Control        // an open connection that no seat has taken yet
	spent    *probe.Control        // the connection of discovery where a call on it was not answered
	ending   ending                // what is known of processes that end
}

// prepare fills the column with what the survey found.
func (c *column) prepare(survey *probe.Survey) {
	p := c.server.run.plan
	c.survey, c.watchers, c.provers = survey, &watching.Watchers{Common: p.Rig().Opinions}, map[suite.Word][]*job{}
	survey.Traits[probe.Launched] = c.server.Launcher != nil || c.server.Own || len(p.Config.Target.Start) > 0
	survey.Traits[probe.Durable] = p.Config.Target.Durable
	survey.Tokens = &probe.Tokens{}
	survey.Given = probe.Given{Production: p.Config.Production, Secrets: p.Config.Checked, SideEffects: p.AllowSideEffects,
		ProgressRate: p.Config.Limits.ProgressRate, Recommend: p.Config.Words.Recommend, Triggers: p.Config.Words.TriggerPhrases}
	if at, err := url.Parse(c.server.URL); err == nil {
		survey.Given.Host, survey.Given.Port = at.Hostname(), cmp.Or(at.Port(), at.Scheme) // a service name
	}
	given, refused := mentions.Fitting(p.Config, survey)
	filled := discover.Fill(given, survey, c.Revision.Modern(), p.AllowSideEffects)
	c.ground = needs.Ground{Transport: c.Transport, Survey: survey, Refused: refused, Given: p.Config}
	c.setup = c.server.setup(c.watchers)
	c.setup.Revision, c.setup.Survey = c.Revision, survey
	fill(c, filled)
	if p.Config.Wait.Event == 0 {
		c.setup.Waits.Event = min(unwanted(survey.RoundTrip)+survey.Away, p.Timeout)
	}
	pin(c.setup.Memory, p.Config.Dialects)
}

// fill sets the roles that the cases of the column find filled.
func fill(c *column, filled roles.Set) {
	c.shared, c.ground.Roles, c.setup.Roles = filled.Shared(), filled, filled
}

// awaitCore waits for the proving cases of the core: what they show to get no answer is no
// finding of an extension.
func (c *column) awaitCore(ctx context.Context) {
	for _, j := range c.server.run.jobs {
		if j.col == c && j.Suite.Extension.Name == "" && len(j.Case.Proves) > 0 && j.Case.Watch == nil && j.Case.Lane != suite.Alone {
			j.start(ctx)
			_, _ = j.wait(ctx)
		}
	}
}

// longestWait bounds how long a case waits for a message that may not come, unless the
// configuration says otherwise.
const longestWait = 5 * time.Second

// unwanted is how long a case waits for a message that may not come: twenty times as long
// as the server usually takes to answer.
func unwanted(roundTrip time.Duration) time.Duration {
	return min(max(20*roundTrip.Round(time.Millisecond), 300*time.Millisecond), longestWait)
}

// pin stores the dialect that the configuration gives for an extension, so that no case
// has to learn the dialect.
func pin(m *probe.Memory, dialects map[string]config.Dialect) {
	for name, d := range dialects {
		for key, value := range map[string]string{"dialect:" + name: strings.Join(d.Carriers, ""), "method:" + name: d.Method} {
			if value != "" {
				_, _ = m.Learn("", key, func() (string, error) { return value, nil })
			}
		}
	}
}

// unmet says why a case does not apply to the column.
func (c *column) unmet(s specs.Spec) (why reports.Reason, unmet bool) {
	switch {
	case s.Missing != nil:
		return *s.Missing, true
	case c.server.locked && !s.Case.Access:
		return c.lockedOut(s), true
	default:
		return c.ground.Unmet(s.Suite.Extension, s.Case.Needs)
	}
}

// add registers a job as a watcher, or as a prover of the needs of other cases. A case of
// lane Alone runs after all others, so no case can wait for it.
func (c *column) add(j *job) {
	if j.Case.Watch != nil {
		if _, unmet := j.col.unmet(j.Spec); !unmet {
			c.watchers.Add(j.Case)
		}
		return
	}
	if j.Case.Lane == suite.Alone {
		return
	}
	for _, need := range j.Case.Proves {
		for _, word := range need.Any {
			c.provers[word] = append(c.provers[word], j)
			if word.Kind == suite.OpeningKind && c.opener == nil {
				c.opener = j
			}
		}
	}
}

// keepIdle keeps the connection of discovery for the first case. If the server bears only
// few conversations, keepIdle closes the connection instead.
func (c *column) keepIdle(ctx context.Context, control *probe.Control) {
	if control != nil && c.tolerance().ClosesFirst() {
		c.server.run.closeBehind(ctx, c.server, control)
		return
	}
	c.idle = control
}

// live gives the connection that the seat keeps for the column, or opens a new one.
func (c *column) live(ctx context.Context, s *seat) (*probe.Control, error) {
	if s.control != nil && (s.of != c || s.control.Over()) {
		c.drop(ctx, s)
	}
	if s.control == nil {
		control := c.takeIdle()
		if control != nil && !control.Usable(ctx) {
			c.server.run.closeBehind(ctx, c.server, control)
			control = nil
		}
		if control == nil {
			var err error
			if control, err = c.openTwice(ctx, c.open); err != nil {
				return nil, err
			}
		}
		s.control, s.of = control, c
	}
	return s.control, nil
}

// tolerance says how many conversations the server bears at the column's revision.
func (c *column) tolerance() tolerance.Tolerance { return c.server.found.Tolerance.At(c.Revision) }

// crowdedOut reports whether a complaint may come from the sessions or processes of other
// cases: the server bore as many as discovery tried, and refused or ended one now. The
// recheck repeats such a case when no other case runs.
func (c *column) crowdedOut(outcome error, control *probe.Control) bool {
	switch {
	case !c.server.run.crowded.Load():
		return false
	case c.Transport == requirements.Stdio:
		return tolerance.Displaced(outcome, control)
	default:
		return c.survey.Traits[probe.Sessions] && c.tolerance().Crowded(outcome, control)
	}
}

// drop takes the connection away from a seat and closes it, unless it is irreplaceable.
func (c *column) drop(ctx context.Context, s *seat) {
	if s.control != nil && !s.of.keepIrreplaceable(s.control) {
		c.server.run.closeBehind(ctx, c.server, s.control)
	}
	s.control, s.of = nil, nil
}

// keepIrreplaceable keeps the one session that the server opens, and reports whether it
// did.
func (c *column) keepIrreplaceable(control *probe.Control) bool {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if !c.tolerance().Irreplaceable() || c.idle != nil {
		return false
	}
	c.idle = control
	return true
}

func (c *column) takeIdle() *probe.Control {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	control := c.idle
	c.idle = nil
	return control
}

// closeKept closes a connection of discovery, if there is one.
func (c *column) closeKept(ctx context.Context, control *probe.Control) {
	if control != nil {
		c.server.run.closeBehind(ctx, c.server, control)
	}
}
