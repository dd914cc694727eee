// Package roles names what a target must offer for a case, declares what can
// be said about each role, and holds the values that fill it. It calls no tool
// and reads no file.
package roles

import "strings"

// Name is the name of a role, below roles in the configuration.
type Name string

// The roles of the kit's own suites. Suites of third parties add names and
// Specs.
const (
	ReadOnlyTool  Name = "read-only-tool"
	InvalidInput  Name = "invalid-input"
	Failure       Name = "failure"
	SlowTool      Name = "slow-tool"
	ProgressTool  Name = "progress-tool"
	LoggingTool   Name = "logging-tool"
	Content       Name = "content"
	SchemaTool    Name = "schema-tool"
	StateChange   Name = "state-change"
	SessionState  Name = "session-state"
	RateLimit     Name = "rate-limit"
	Trigger       Name = "trigger"
	ClientRequest Name = "client-request"
	InputRequired Name = "input-required"
	TaskTool      Name = "task-tool"
	Resource      Name = "resource"
	Prompt        Name = "prompt"
	Completion    Name = "completion"
	Principals    Name = "principals"
	Denied        Name = "denied"
	Scopes        Name = "scopes"
	Upstream      Name = "upstream"
	Gated         Name = "gated"
	Transaction   Name = "transaction"
	Events        Name = "events"
	Intent        Name = "intent"
	StreamTool    Name = "stream-tool"
	DataReference Name = "data-reference"
	BinaryTool    Name = "binary-tool"
)

// Source says who filled a role.
type Source string

// The sources, in the order in which they win.
const (
	Config     Source = "config"
	Fixture    Source = "fixture"
	Discovered Source = "discovered"
)

// Key returns the configuration key that fills a path, for skips:
// "role:state-change.observe" is "roles.state-change.observe". Principals are
// the only role at the top level.
func Key(path string) string {
	path = strings.TrimPrefix(path, "role:")
	if name, _, _ := strings.Cut(path, "."); Name(name) == Principals {
		return path
	}
	return "roles." + path
}
