package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/severity"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func skipped(f reports.Finding, why reports.Reason) reports.Finding {
	f.Status, f.Reason = reports.Skip, &why
	return f
}

// unjudged is the finding of a case that the kit failed to judge; the server is not to
// blame.
func unjudged(j *job, err error) reports.Finding {
	f := j.Blank()
	f.Status, f.Problem = reports.Error, err.Error()
	return f
}

// outcome turns the error that a case returned into the finding.
func (j *job) outcome(ctx context.Context, err error) reports.Finding {
	f := j.Blank()
	v, violated := errors.AsType[*probe.Violation](err)
	u, undecided := errors.AsType[*probe.Undecided](err)
	_, failed := errors.AsType[*probe.OpeningError](err)
	switch {
	case err == nil:
		f.Status = reports.Pass
		return f
	case violated:
		if how, ok := evidence.AccessRefusal(v.Frames, j.Case.Access); ok {
			return skipped(f, evidence.RefusedAccess(how))
		}
		if why := left(j, v.Causes()); why != nil {
			j.left = true
			return skipped(f, *why)
		}
		if v.Polled() {
			return skipped(f, reports.Reason{
				Kind: reports.Undecided,
				Text: "the server closed the stream before its answer, for the client to resume it, and the answer did not come there",
			})
		}
		return j.broken(v)
	case undecided:
		why := reports.Reason{Kind: reports.Undecided, Text: u.Reason}
		switch {
		case u.Role != "":
			if none, said := j.col.ground.None(suite.Role(u.Role)); said {
				return skipped(f, none)
			}
			why.Kind, why.Role = reports.NoRole, roles.Key(string(u.Role))
			if at := j.col.ground.Given.PlaceOfRole(u.Role); at != "" {
				why.Text = at + ": " + why.Text
			}
		case u.Unseen && (j.Case.Access || !evidence.TellsOfRefusal(u.Reason)):
			why.Kind = reports.NotApplicable
		}
		return skipped(f, why)
	case failed:
		return j.unopened(ctx, err)
	case cutShort(ctx):
		return skipped(f, interrupted())
	default:
		return unjudged(j, err)
	}
}

// left is the reason why the case of a job leaves a complaint to the case of one of its causes: that
// one complains, too. It is nil if none does so far.
func left(j *job, causes []probe.Elsewhere) *reports.Reason {
	for _, at := range causes {
		if cause := causeOf(j, at); cause != nil && faulted(cause) {
			why := blocked(at.Case, at.Why+", which "+at.Case+" judges")
			return &why
		}
	}
	return nil
}

// caused reports whether other cases judge what may have caused the complaint of a job.
func caused(j *job) bool {
	return slices.ContainsFunc(j.causes, func(at probe.Elsewhere) bool { return causeOf(j, at) != nil })
}

// causeOf is the job that judges a cause of the complaint of another one; nil if there is none.
func causeOf(j *job, at probe.Elsewhere) *job {
	for _, other := range j.col.server.run.jobs {
		if other != j && other.col == j.col && other.Case.ID == at.Case {
			return other
		}
	}
	return nil
}

// faulted reports whether the case of a job has complained so far.
func faulted(j *job) bool {
	if j.Case.Watch != nil {
		return j.col.watchers.Of(j.Case.ID).Worst != nil
	}
	select {
	case <-j.done:
		return complains(j.finding)
	default:
		return false
	}
}

// leave is leftTo for a case that others wait for, so that no recheck delivers its finding: causes are
// judged first. A cause that waits for other cases is left out, since it might wait for this one.
func leave(ctx context.Context, j *job, f reports.Finding) reports.Finding {
	if !complains(f) {
		return f
	}
	for _, at := range j.causes {
		if cause := causeOf(j, at); cause != nil && waitsForNone(cause) {
			cause.start(ctx)
			_, _ = cause.wait(ctx) // without its finding, in a run that is cut short, the complaint stays
		}
	}
	return leftTo(j, f)
}

// leftTo is the finding of a job whose complaint is left to a cause of it that complains, too.
func leftTo(j *job, f reports.Finding) reports.Finding {
	if !complains(f) {
		return f
	}
	if why := left(j, j.causes); why != nil {
		return skipped(j.Blank(), *why)
	}
	return f
}

// broken is the only place where a violation becomes a finding.
func (j *job) broken(v *probe.Violation) reports.Finding {
	r, f := j.col.server.run, j.Blank()
	j.mute, j.free, j.causes = v.Mute(), !v.Blocks(), v.Causes()
	broken, err := j.Broken(v.Rules())
	if err != nil {
		return unjudged(j, err)
	}
	if len(v.Rules()) > 0 {
		f.Requirements = []requirements.ID{broken.ID}
		broken.Quote(&f, j.Column.Revision)
	}
	claim := j.col.survey.Claims[j.Suite.Extension.Name].Strength
	var why string
	f.Status, why = severity.Of(broken.Clause, j.Suite.Extension.Name, claim, v)
	if why != "" {
		f.Notes = append(f.Notes, why)
	}
	f.Problem, f.Fix, f.Again = v.Problem, j.Case.Fix, j.Again(r.plan.Again, j.Case.ID, len(r.columns) > 1)
	f.Frames, f.Stderr = evidence.Frames(v.Frames), r.stderr.Of(v.Frames)
	return f
}

// settled turns the sum of a watcher into the finding, once the column is done.
func settled(j *job) reports.Finding {
	if why, unmet := j.col.unmet(j.Spec); unmet {
		return skipped(j.Blank(), why)
	}
	switch sum := j.col.watchers.Of(j.Case.ID); {
	case sum.Panics != "":
		return unjudged(j, fmt.Errorf("the case panicked: %s", sum.Panics))
	case sum.Worst != nil:
		if why := left(j, sum.Worst.Causes()); why != nil {
			return skipped(j.Blank(), *why)
		}
		f := j.broken(sum.Worst)
		r := j.col.server.run
		f.Count, f.Again = sum.Broken, j.Again(r.plan.Again, sum.By, len(r.columns) > 1)
		return f
	case sum.Err != nil:
		return unjudged(j, sum.Err)
	case sum.Judged:
		f := j.Blank()
		f.Status = reports.Pass
		return f
	default:
		return skipped(j.Blank(), reports.Reason{
			Kind: reports.NotSeen, Text: cmp.Or(j.Case.Sees, "a message that this rule is about"),
		})
	}
}
