package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// loginKey is what a locked server lacks.
const loginKey = "principals.first.token"

// lockedOut reports whether a server speaks to nobody only because nobody has
// credentials for it. What it shows to everybody can be judged even so, but over
// HTTP+SSE that is nothing: its revision says nothing of tokens.
func (s *server) lockedOut(ctx context.Context) bool {
	if !s.found.Barrier.Locked() || s.Login || s.Transport != requirements.HTTP {
		return false
	}
	var err error
	s.spoken, err = s.look().Behind(ctx)
	s.locked = err == nil
	return s.locked
}

// behind are the revisions that a locked server is judged at: nobody can ask it
// which ones it speaks.
func (s *server) behind(wanted config.Revisions) []requirements.Revision {
	if wanted.All || wanted.Auto() {
		return []requirements.Revision{s.spoken}
	}
	return named(wanted)
}

// closed tells what a locked server lacks, and what is judged without it.
func (s *server) closed(revisions []requirements.Revision, wanted config.Revisions) string {
	text := s.found.Barrier.Advice(s.URL, false)
	if len(revisions) == 1 && (wanted.All || wanted.Auto()) {
		text += fmt.Sprintf("\nwithout it, what the server shows to everybody is judged as at %s; --revision names another", revisions[0])
	}
	return text
}

// look learns what the column offers, and how it meets whoever shows no credentials
// where somebody has any, or nobody is let in.
func (c *column) look(ctx context.Context) (*probe.Survey, *probe.Control, error) {
	l := c.server.look()
	if c.server.locked {
		survey, err := l.Closed(ctx, c.Revision)
		return survey, nil, err
	}
	survey, control, err := l.Survey(ctx, c.Revision, c.server.found)
	if err != nil && c.tolerance().Lags() {
		rest(ctx) // until the server has noticed that its stream was closed
		survey, control, err = l.Survey(ctx, c.Revision, c.server.found)
	}
	if err == nil && c.server.Login {
		err = l.Access(ctx, c.Revision, survey)
	}
	return survey, control, err
}

// lockedOut is why a case cannot be judged on a server that lets nobody in. It is
// one finding that names the key; all others are blocked by that.
func (c *column) lockedOut(s Spec) reports.Reason {
	for _, need := range s.Case.Needs {
		if lack, lacking := c.ground.Lacks(need); lacking && lack.Kind == reports.OtherTransport {
			return lack
		}
	}
	text := c.server.found.Barrier.Advice(c.server.URL, false)
	owner := c.server.run.plan.opener()
	if s.Case.ID == owner || slices.ContainsFunc(s.Case.Proves, func(n suite.Need) bool { return n.Any[0].Kind == suite.OpeningKind }) {
		return reports.Reason{Kind: reports.NoRole, Text: text, Role: loginKey}
	}
	return blocked(owner, "the server wants a login, and "+loginKey+" is not set")
}
