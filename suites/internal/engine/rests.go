package engine

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// held says why the case cannot be judged: a need that is not met, or a case
// that it rests on and that did not pass.
func (j *job) held(ctx context.Context) (reports.Reason, bool) {
	if why, unmet := j.col.unmet(j.Spec); unmet {
		return why, true
	}
	root, err := j.blocker(ctx)
	if err == nil && root == "" {
		root, err = j.silencer(ctx)
	}
	switch {
	case err != nil:
		return interrupted(), true
	case root != "":
		return blocked(root, reports.DidNotPass(root)), true
	}
	return reports.Reason{}, false
}

// silencer names the case that found a server which answers nothing: every other
// one would wait for each of its answers until the time is up. That case itself may
// wait for the owner of the opening, and one with needs for what proves them; so
// those wait for none.
func (j *job) silencer(ctx context.Context) (root string, err error) {
	rested := []suite.Kind{suite.OpeningKind, suite.AnswerKind}
	if slices.ContainsFunc(j.Case.Proves, func(n suite.Need) bool { return slices.Contains(rested, n.Any[0].Kind) }) {
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

// blocker waits for the cases that prove the needs of this one, and names the
// one that did not pass; or what blocked that one, since one root cause is
// one finding.
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

// proof waits for what proves a word. Cases that prove something wait for
// earlier ones only, so that no two wait for each other.
func (j *job) proof(ctx context.Context, word suite.Word) (root string, err error) {
	for _, p := range j.col.provers[word] {
		if p == j || len(j.Case.Proves) > 0 && p.index >= j.index {
			continue
		}
		p.start(ctx)
		f, err := p.wait(ctx)
		if err != nil {
			return "", err
		}
		switch {
		case f.Status == reports.Pass:
		case f.Status != reports.Skip:
			return f.Case, nil
		case f.Reason != nil && f.Reason.Kind == reports.Blocked:
			return f.Reason.BlockedBy, nil
		}
	}
	return "", nil
}
