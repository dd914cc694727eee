package engine

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// hindrance says why the case cannot be judged: the server does not meet a need of the
// case, or another case that proves the need did not pass.
func (j *job) hindrance(ctx context.Context) (reports.Reason, bool) {
	if why, unmet := j.col.unmet(j.Spec); unmet {
		return why, true
	}
	root, err := j.blocker(ctx)
	if err == nil && root == "" {
		root, err = j.muteServer(ctx)
	}
	switch {
	case err != nil:
		return interrupted(), true
	case root != "":
		return blocked(root, reports.DidNotPass(root)), true
	}
	return reports.Reason{}, false
}

// muteServer names the case that found that the server answers nothing; every other case
// would wait in vain for each answer. Cases that prove the opening, or that the server
// answers, do not wait here: the case that is named may itself wait for them.
func (j *job) muteServer(ctx context.Context) (root string, err error) {
	if basic(j) {
		return "", nil
	}
	for _, p := range j.col.provers[suite.Answers().Any[0]] {
		if len(p.Case.Needs) > 0 && len(j.Case.Proves) > 0 {
			continue
		}
		p.start(ctx)
		f, err := p.wait(ctx)
		if err != nil {
			return "", err
		}
		if p.mute && complains(f) {
			return f.Case, nil
		}
	}
	return "", nil
}

// basic reports whether a case proves the opening, or that the server answers.
func basic(j *job) bool {
	rested := []suite.Kind{suite.OpeningKind, suite.AnswerKind}
	return slices.ContainsFunc(j.Case.Proves, func(n suite.Need) bool { return slices.Contains(rested, n.Any[0].Kind) })
}

// waitsForNone reports whether a case is judged without the finding of another one.
func waitsForNone(j *job) bool {
	proved := func(w suite.Word) bool { return len(j.col.provers[w]) > 0 }
	return basic(j) && !slices.ContainsFunc(j.Case.Needs, func(n suite.Need) bool { return slices.ContainsFunc(n.Any, proved) })
}

// blocker waits for the cases that prove the needs of this case, and names the first
// that did not pass. If that case was itself blocked, blocker names the case that blocked
// it: one root cause is one finding.
func (j *job) blocker(ctx context.Context) (root string, err error) {
	for _, need := range j.Case.Needs {
		for _, word := range need.Any {
			if !j.col.ground.Holds(word) {
				continue
			}
			root, err = j.proof(ctx, word)
			if err != nil || root == "" {
				break // this word alone fulfils the need
			}
		}
		if err != nil || root != "" {
			return root, err
		}
	}
	return "", nil
}

// proof waits for the cases that prove a word. A case that proves something waits only
// for earlier cases, so that no two cases wait for each other.
func (j *job) proof(ctx context.Context, word suite.Word) (root string, err error) {
	for _, p := range j.col.provers[word] {
		if p == j || len(j.Case.Proves) > 0 && p.Index >= j.Index {
			continue
		}
		p.start(ctx)
		f, err := p.wait(ctx)
		if err != nil {
			return "", err
		}
		switch {
		case f.Status == reports.Pass || p.free:
		case f.Status != reports.Skip:
			return f.Case, nil
		case isBlocked(f):
			return f.Reason.BlockedBy, nil
		}
	}
	return "", nil
}
