package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/reach"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// hopeless is how many cases in a row get no connection before the rest does
// not try any more: each would wait for answers that do not come.
const hopeless = 3

// A standing is whether the server is still there for its cases, and who noticed that it
// is not.
type standing struct {
	*reach.Dialer

	mu       sync.Mutex
	running  map[string]int // cases under way
	gone     string         // the case that noticed first that nothing listens any more
	unopened string         // the case that got no connection first, although the opening works
	refusals int            // cases in a row that got none
}

// lost is the finding of a case whose turn comes when the server is gone, for good or
// for all that is known.
func (s *standing) lost(j *job) (f reports.Finding, lost, forGood bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone != "":
		return skipped(j.blank(), s.ended()), true, true
	case s.refusals >= hopeless:
		return skipped(j.blank(), blocked(s.unopened, "no connection could be opened any more")), true, false
	}
	return reports.Finding{}, false, false
}

func (s *standing) ended() reports.Reason {
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
func (s *standing) blame(ctx context.Context, j *job, f reports.Finding) reports.Finding {
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
func (s *standing) opened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals = 0
}

// late counts an opening that was not answered in time.
func (s *standing) late() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals++
}

// enter counts a case as under way until it leaves.
func (s *standing) enter(id string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running[id]--; s.running[id] == 0 {
			delete(s.running, id)
		}
	}
}

// beside lists the other cases that are under way; s.mu is held.
func (s *standing) beside(id string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.running)), func(other string) bool { return other == id })
}

// missing names the case that ended the server, where only one can have, and
// otherwise those that were under way.
func (s *standing) missing(j *job, f reports.Finding) reports.Finding {
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
func (s *standing) refused(ctx context.Context, j *job, f reports.Finding) reports.Finding {
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
			return skipped(j.blank(), refusedAccess(how))
		}
	}
	owner := j.col.server.run.plan.opener()
	if owner == "" || owner == j.Case.ID {
		return unjudged(j, err)
	}
	return skipped(j.blank(), blocked(owner, "no connection could be opened: "+err.Error()))
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
