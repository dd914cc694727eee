package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/needs"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// lockedOut reports whether the server answers nothing because the kit has no
// credentials. The kit can still judge what such a server shows to everybody, but not
// over HTTP+SSE, whose revision has no rules about tokens.
func (s *server) lockedOut(ctx context.Context) bool {
	if !s.found.Barrier.Locked() || s.Login || s.Transport != requirements.HTTP {
		return false
	}
	var err error
	s.spoken, err = s.look().Behind(ctx)
	s.locked = err == nil
	return s.locked
}

// behindLogin lists the revisions at which a locked server is judged. The kit cannot ask
// such a server which revisions it speaks.
func (s *server) behindLogin(wanted config.Revisions) []requirements.Revision {
	if wanted.All || wanted.Auto() {
		return []requirements.Revision{s.spoken}
	}
	return named(wanted)
}

// loginWanted tells which key is missing, and what the kit judges without that key.
func (s *server) loginWanted(revisions []requirements.Revision, wanted config.Revisions) string {
	text := s.found.Barrier.Advice(s.URL, false)
	if len(revisions) == 1 && (wanted.All || wanted.Auto()) {
		text += fmt.Sprintf("\nwithout it, what the server shows to everybody is judged as at %s; --revision names another", revisions[0])
	}
	return text
}

// look learns what the server offers in the column. Where the kit has credentials, look
// also learns how the server answers requests without them.
func (c *column) look(ctx context.Context) (*probe.Survey, *probe.Control, error) {
	l := c.server.look()
	if c.server.locked {
		survey, err := l.Closed(ctx, c.Revision)
		return survey, nil, err
	}
	survey, control, err := l.Survey(ctx, c.Revision, c.server.found)
	if err != nil && c.tolerance().Lags() {
		pause(ctx) // gives the server time to notice that its stream was closed
		survey, control, err = l.Survey(ctx, c.Revision, c.server.found)
	}
	if err == nil && c.server.Login {
		err = l.Access(ctx, c.Revision, survey)
	}
	if err != nil || c.Transport != requirements.HTTP || c.tolerance() != tolerance.Many {
		return survey, control, err // each principal takes a conversation
	}
	plan := c.server.run.plan
	if names := needs.Principals(plan.applying(c.Column), plan.Config.Roles); len(names) > 0 {
		err = l.Principals(ctx, c.Revision, survey, names...)
	}
	return survey, control, err
}

// lockedOut says why a case cannot be judged on a locked server. The case that owns the
// opening names the key; that case blocks all others.
func (c *column) lockedOut(s specs.Spec) reports.Reason {
	for _, need := range s.Case.Needs {
		if lack, lacking := c.ground.Lacks(need); lacking && lack.Kind == reports.OtherTransport {
			return lack
		}
	}
	text := c.server.found.Barrier.Advice(c.server.URL, false)
	owner := specs.Opener(c.server.run.plan.Suites)
	if s.Case.ID == owner || slices.ContainsFunc(s.Case.Proves, func(n suite.Need) bool { return n.Any[0].Kind == suite.OpeningKind }) {
		return reports.Reason{Kind: reports.NoRole, Text: text, Role: reports.LoginKey}
	}
	return blocked(owner, "the server wants a login, and "+reports.LoginKey+" is not set")
}
