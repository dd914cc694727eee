package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// hopeless is how many cases in a row get no connection before the rest does
// not try any more: each would wait for answers that do not come.
const hopeless = 3

// lost is the finding of a case whose turn comes when the server is gone.
func (s *server) lost(j *job) (reports.Finding, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone != "":
		return skipped(j.blank(), s.ended()), true
	case s.refusals >= hopeless:
		return skipped(j.blank(), blocked(s.unopened, "no connection could be opened any more")), true
	}
	return reports.Finding{}, false
}

func (s *server) ended() reports.Reason {
	return blocked(s.gone, "nothing listens at "+s.URL+" any more")
}

// blame says whose finding it is when the server may be gone:
//
//	what happened                              the finding
//	the case passed, or the run was cut short  stands
//	nothing listens, as was noticed before     blocked by the case that noticed it
//	nothing listens, this case ran alone       stands, if it is a complaint
//	nothing listens, others ran beside         an error that names them
//	no connection, the opening did not pass    blocked by the case that owns it
//	no connection, although the opening works  an error; later ones are blocked by this case
func (s *server) blame(ctx context.Context, j *job, f reports.Finding) reports.Finding {
	if f.Status == reports.Pass || complains(f) && !undialled(f) {
		s.opened()
	}
	switch {
	case f.Status == reports.Pass || cutShort(ctx):
		return f
	case !s.There(ctx):
		return s.missing(j, f)
	case f.Reason != nil && f.Reason.Kind == reports.Blocked:
		return s.refused(ctx, j, f)
	default:
		return f
	}
}

// opened ends a row of refusals.
func (s *server) opened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals = 0
}

// missing names the case that ended the server, where only one can have, and
// otherwise those that were under way.
func (s *server) missing(j *job, f reports.Finding) reports.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone != "" {
		return skipped(j.blank(), s.ended())
	}
	s.gone = j.Case.ID
	beside := s.beside(j.Case.ID)
	if len(beside) == 0 && complains(f) && !undialled(f) {
		f.Notes = append(f.Notes, "since then nothing listens at "+s.URL+", so nothing else could be judged")
		return f
	}
	text := "nothing listens at " + s.URL + " any more: the server ended while this case ran, or just before"
	if len(beside) > 0 {
		text += fmt.Sprintf(", or one of %d beside it (%s); --case with one after the other shows which", len(beside), some(beside))
	}
	return unjudged(j, errors.New(text))
}

// undialled reports whether a finding shows a connection that did not come
// about: then the server was gone before anything was said.
func undialled(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(fr reports.Frame) bool {
		return fr.Dir == string(frame.Received) && strings.Contains(fr.Text, frame.NoConnection)
	})
}

// some names as many as a reader takes in.
func some(names []string) string {
	const most = 6
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}

// refused looks whether the case that owns the opening has anything to do with
// a connection that could not be opened.
func (s *server) refused(ctx context.Context, j *job, f reports.Finding) reports.Finding {
	owner := j.col.opener
	if owner == nil || owner.Case.ID != f.Reason.BlockedBy {
		return f // what runs last cannot be waited for
	}
	owner.start(ctx)
	opening, err := owner.wait(ctx)
	if err != nil || opening.Status != reports.Pass {
		return f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals++
	if s.unopened != "" {
		return skipped(j.blank(), blocked(s.unopened, f.Reason.Text))
	}
	s.unopened = j.Case.ID
	return unjudged(j, fmt.Errorf("%s, although others could before; does the server accept several at once?", f.Reason.Text))
}

// unopened blames the case that owns the opening, when the target can no
// longer be opened in mid-run.
func (j *job) unopened(ctx context.Context, err error) reports.Finding {
	if errors.Is(err, context.Canceled) || cutShort(ctx) {
		return skipped(j.blank(), interrupted())
	}
	if o := (*probe.OpeningError)(nil); errors.As(err, &o) {
		if how, ok := evidence.AccessRefusal(o.Reply.Evidence(), false); ok {
			return skipped(j.blank(), j.col.server.run.refusedAccess(how))
		}
	}
	owner := j.col.server.run.plan.opener()
	if owner == "" || owner == j.Case.ID {
		return unjudged(j, err)
	}
	return skipped(j.blank(), blocked(owner, "no connection could be opened: "+j.col.server.run.redact(err.Error())))
}

// cutShort tells the end of the run from that of the time one case has.
func cutShort(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSlow)
}

func interrupted() reports.Reason {
	return reports.Reason{Kind: reports.Interrupted, Text: "the run was cut short"}
}

func blocked(by, text string) reports.Reason {
	return reports.Reason{Kind: reports.Blocked, Text: text, BlockedBy: by}
}
