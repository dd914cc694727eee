// Package reports holds the result of a run as plain data: the columns, the findings and
// their evidence. Writers below it only format.
package reports

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Format is the version of the JSON form of a Report.
const Format = 1

// A Status is the result of one case in one column.
type Status string

// The statuses, from a result that counts for the server to an error of the kit.
const (
	Pass  Status = "pass"
	Fail  Status = "fail"
	Warn  Status = "warn"
	Skip  Status = "skip"
	Error Status = "error"
)

// Statuses returns every status in the order reports count them.
func Statuses() []Status { return []Status{Pass, Fail, Warn, Skip, Error} }

// A ReasonKind is one entry of the closed list of reasons for a skip.
type ReasonKind string

// The reasons a case was not judged.
const (
	NotDeclared     ReasonKind = "not-declared"
	NotClaimed      ReasonKind = "not-claimed"
	OtherTransport  ReasonKind = "other-transport"
	OtherRevision   ReasonKind = "other-revision"
	NoRole          ReasonKind = "no-role"
	NotApplicable   ReasonKind = "not-applicable"
	NotSeen         ReasonKind = "not-seen"
	SaidNone        ReasonKind = "said-none" // the configuration says that the server has no such thing
	Undecided       ReasonKind = "undecided"
	OptIn           ReasonKind = "opt-in"
	Blocked         ReasonKind = "blocked"
	Deselected      ReasonKind = "deselected"
	Interrupted     ReasonKind = "interrupted"
	ExpectedFailure ReasonKind = "expected-failure"
)

// ReasonKinds returns the closed list of reasons.
func ReasonKinds() []ReasonKind {
	return []ReasonKind{NotDeclared, NotClaimed, OtherTransport, OtherRevision, NotApplicable, NotSeen, SaidNone, NoRole,
		Undecided, OptIn, Blocked, Deselected, Interrupted, ExpectedFailure}
}

// A Report is the whole outcome of one run. Findings stand in suite order,
// whatever order they were gathered in.
type Report struct {
	Format   int       `json:"format"`
	Kit      Kit       `json:"kit"`
	Run      Run       `json:"run"`
	Target   Target    `json:"target"`
	Verdict  Verdict   `json:"verdict"`
	Suites   []Suite   `json:"suites"`
	Rules    []Rule    `json:"rules"`
	Findings []Finding `json:"findings"`

	// Stderr is the output of a server that ended before anything could be judged, or of
	// the command that serves all of them.
	Stderr string `json:"-"`
}

// Kit names the program that judged.
type Kit struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Run holds the settings of the run, so that somebody can repeat it.
type Run struct {
	Seed       uint64    `json:"seed"`
	Jobs       int       `json:"jobs"`
	Started    time.Time `json:"started"`
	DurationMs int64     `json:"durationMs"`
	Strict     bool      `json:"strict,omitempty"` // a broken SHOULD fails the run
	Config     string    `json:"config,omitempty"` // the file that names the server, where build servers show findings
	ConfigLine int       `json:"configLine,omitempty"`
	Shard      string    `json:"shard,omitempty"` // the shard that this run is, as in "1/3"
}

// Target is what discovery learned of the server.
type Target struct {
	Name       string                  `json:"name"`
	Version    string                  `json:"version"`
	Given      string                  `json:"given"` // how the target was named: a command line or a URL, credentials removed
	Transports []string                `json:"transports"`
	Revisions  []requirements.Revision `json:"revisions"`
	Eras       []string                `json:"eras"`
	Extensions []Extension             `json:"extensions"`
}

// Extension is one extension claim of the target and how strongly it is made.
type Extension struct {
	Name    string   `json:"name"`
	Claim   string   `json:"claim"` // explicit, strong, weak
	Where   string   `json:"where"`
	Dialect string   `json:"dialect,omitempty"` // places of the properties, as letters
	Forms   []string `json:"forms,omitempty"`   // names of its methods, after "M:" or as a tool after "T:"
}

// A Verdict is the result in one word, and per column.
type Verdict struct {
	Status   VerdictStatus `json:"status"`
	ExitCode int           `json:"exitCode"`
	Text     string        `json:"text,omitempty"` // why nothing could be judged, what was tried, what to do
	Columns  []Column      `json:"columns"`

	Extensions []ExtensionVerdict `json:"extensions,omitempty"` // one for each claimed extension
}

// A VerdictStatus is the whole run in one word.
type VerdictStatus string

// The verdicts. Partial: nothing failed, but an applicable MUST was not judged.
// Interrupted: somebody stopped the run, so there is no verdict on the server.
const (
	Passed   VerdictStatus = "pass"
	Failed   VerdictStatus = "fail"
	Partial  VerdictStatus = "partial"
	Unjudged VerdictStatus = "unjudged"
	Stopped  VerdictStatus = "interrupted"
)

// A Column is one revision over one transport.
type Column struct {
	Revision   requirements.Revision  `json:"revision"`
	Transport  requirements.Transport `json:"transport"`
	Grade      string                 `json:"grade"`      // "", Core, Extended, Full; PartialGrade follows while a MUST is unjudged
	WhyNotNext string                 `json:"whyNotNext"` // the reason that keeps the column from the next grade
	Counts     Counts                 `json:"counts"`
	Basis      *Basis                 `json:"basis,omitempty"`
}

// A Basis holds the facts behind the grade of a column, beside its findings, so that a
// merge can compute the grade again.
type Basis struct {
	Cases       int                 `json:"cases"` // number of cases in a run without a selection
	Unjudged    []requirements.Area `json:"unjudged,omitempty"`
	WhyUngraded string              `json:"whyUngraded,omitempty"`
}

// Counts adds up the findings of a column.
type Counts struct {
	Pass  int `json:"pass"`
	Fail  int `json:"fail"`
	Warn  int `json:"warn"`
	Skip  int `json:"skip"`
	Error int `json:"error"`

	// Inapplicable is how many of the skipped cases do not concern the server in the column.
	Inapplicable int `json:"inapplicable"`

	// Known is how many of the skipped cases broke their rule as the baseline says.
	Known int `json:"known,omitempty"`
}

// A Suite is a set of cases in the run, and the counts of their findings in all columns.
type Suite struct {
	Name      string             `json:"name"`
	Title     string             `json:"title"`
	Extension string             `json:"extension"` // the proposal it judges, as Target.Extensions names it; empty for the core
	Grade     requirements.Grade `json:"grade"`     // the first grade it counts for; empty for extensions
	Counts    Counts             `json:"counts"`
}

// A Rule is the text of a requirement that findings name, once for all revisions of the
// run with the same text.
type Rule struct {
	ID        requirements.ID         `json:"id"`
	Area      string                  `json:"area"`
	Extension string                  `json:"extension"`
	Revisions []requirements.Revision `json:"revisions"`
	Level     requirements.Level      `json:"level"`
	Basis     requirements.Basis      `json:"basis"`
	Text      string                  `json:"text"`
	Link      string                  `json:"link,omitempty"`   // at the newest of the revisions
	Source    string                  `json:"source,omitempty"` // document of a proposal
}

// A Finding is the result of one case in one column.
type Finding struct {
	Case         string                 `json:"case"`
	Suite        string                 `json:"suite"`
	Title        string                 `json:"title"`
	Revision     requirements.Revision  `json:"revision"`
	Transport    requirements.Transport `json:"transport"`
	Status       Status                 `json:"status"`
	Level        requirements.Level     `json:"level"`
	Requirements []requirements.ID      `json:"requirements"`
	Reason       *Reason                `json:"reason,omitempty"`
	Problem      string                 `json:"problem,omitempty"`
	Rule         string                 `json:"rule,omitempty"`
	Link         string                 `json:"link,omitempty"`
	Origin       string                 `json:"origin,omitempty"` // of a rule of a proposal: the document that it comes from
	Fix          string                 `json:"fix,omitempty"`
	Again        string                 `json:"again,omitempty"`
	Notes        []string               `json:"notes,omitempty"`
	SDK          string                 `json:"sdk,omitempty"` // the library that wrote the answer which breaks the rule, where that is known
	Frames       []Frame                `json:"frames,omitempty"`
	Count        int                    `json:"count,omitempty"`    // watchers: how often the rule was broken in the column
	Position     int                    `json:"position,omitempty"` // of the case among all of them, in the report of a part
	DurationMs   int64                  `json:"durationMs"`

	// Stderr is the output of the process up to its end; of long output, the last part.
	// It goes into a separate file.
	Stderr string `json:"-"`
}

// A Reason says why a case was not judged, and what would change that.
type Reason struct {
	Kind      ReasonKind `json:"kind"`
	Text      string     `json:"text"`
	BlockedBy string     `json:"blockedBy,omitempty"` // the case whose failure is the root cause
	Role      string     `json:"role,omitempty"`      // the config key that would enable the case
	Was       Status     `json:"was,omitempty"`       // of a known failure: fail or warn; empty in older reports
}

// A Frame is one piece of evidence, as it crossed the wire, credentials removed.
type Frame struct {
	Dir       string `json:"dir"`            // sent, received
	AtMs      int64  `json:"at"`             // milliseconds since the connection was opened
	Kind      string `json:"kind,omitempty"` // message, head, event, body, end; empty where unknown
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitempty"`
}

// EndFrame is the kind of a frame that says how a process, a connection or an
// exchange ended.
const EndFrame = "end"
