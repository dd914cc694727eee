// Package suites is the way into the kit: the suites it has, and the ways to
// judge a server with them: Judge for a report, Register for a Ginkgo suite of
// one's own, Run for go test.
package suites

import (
	"context"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/ginkgospecs"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type (
	// A Plan says what to judge and how. A zero plan with a target is a good one.
	Plan = plan.Plan
	// Local is a server that runs inside this program.
	Local = plan.Local
	// A Shard is a part of the cases; the zero value is all of them.
	Shard = plan.Shard
	// Processes holds the processes that judging starts.
	Processes = plan.Processes
)

// NewProcesses is for one Plan. Close it when the judging is over.
func NewProcesses() *Processes { return plan.NewProcesses() }

// Judge returns the report on a server. A server that cannot be reached or
// understood also gets a report: its verdict is unjudged and says why. Judge
// fails only for a plan that cannot be carried out. The report holds no secret
// that the run knew at its end.
func Judge(ctx context.Context, p Plan) (reports.Report, error) { return judge.Judge(ctx, p, nil) }

// JudgeWithGinkgo is Judge with every finding shown to Ginkgo as a spec, as the
// command does it. Ginkgo prints nothing.
func JudgeWithGinkgo(ctx context.Context, p Plan) (reports.Report, error) {
	return judge.Judge(ctx, p, ginkgospecs.Run)
}

// A Skill is a SKILL.md that was made of what a server says of itself, or what is missing
// for one: a line for each thing.
type Skill struct {
	Text    string // empty where anything is missing
	Missing []string
}

// MakeSkill makes a skill file. The report says why a server could not be asked: its
// verdict is unjudged then.
func MakeSkill(ctx context.Context, p Plan) (Skill, reports.Report, error) {
	var mu sync.Mutex
	var made Skill
	p.Suites, p.Selected = []suite.Suite{pages.Skill(func(text string, missing []string) {
		mu.Lock()
		defer mu.Unlock()
		made = Skill{text, missing}
	})}, nil
	report, err := judge.Judge(ctx, p, nil)
	return made, report, err
}

// All lists the kit's own suites in reading order.
func All() []suite.Suite { return pages.All() }

// Check returns all mistakes in suites that are to be judged together: missing
// fields, ids that are malformed or taken, unknown rules, and needs that no
// server could ever meet since a word in them is misspelt. The error has a line
// for each problem.
func Check(of ...suite.Suite) error { return pages.Check(of...) }

// Catalogue is the union of the kit's rules and those of the suites.
func Catalogue(of []suite.Suite) (*requirements.Catalogue, error) { return pages.Catalogue(of) }

// Roles lists the roles of a configuration: the kit's own and those of the
// suites.
func Roles(of []suite.Suite) []roles.Spec { return pages.Roles(of) }
