package probe

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Violation is a broken rule and the frames that show it. What it counts as
// is decided by the level of the rule, not here.
type Violation struct {
	Problem string
	Frames  []frame.Frame
	warn    bool
	polled  bool
	rules   []requirements.ID
	mute    bool
}

func (v *Violation) Error() string { return v.Problem }

// AtMostWarn says that the row itself asks for no more than a warning.
func (v *Violation) AtMostWarn() *Violation {
	v.warn = true
	return v
}

// WarnsOnly reports whether AtMostWarn was said.
func (v *Violation) WarnsOnly() bool { return v.warn }

// Under names the rule that is broken, where a single answer decides several that
// the case checks and not all are as binding; of several names the heaviest counts
// that holds in the column. Without it the heaviest of all that the case checks does.
func (v *Violation) Under(rules ...requirements.ID) *Violation {
	v.rules = rules
	return v
}

// Rules are those that Under named.
func (v *Violation) Rules() []requirements.ID { return v.rules }

// Mute reports whether the server was found to answer nothing at all, so that no
// other case need wait for it.
func (v *Violation) Mute() bool { return v.mute }

// Polled reports whether the answer that is missed would come on another
// stream: the server has closed the first one for the client to come back.
func (v *Violation) Polled() bool { return v.polled }

// AtMostWarn lowers the violation within an expectation's error, if it is one.
func AtMostWarn(err error) error {
	if v := (*Violation)(nil); errors.As(err, &v) {
		v.warn = true
	}
	return err
}

// Under says of the violation within an expectation's error, if it is one, which
// rule it breaks.
func Under(err error, rules ...requirements.ID) error {
	if v := (*Violation)(nil); errors.As(err, &v) {
		v.rules = rules
	}
	return err
}

// An Undecided says why a case could not come to a verdict; it is a skip.
type Undecided struct {
	Reason string
	// Unseen: what the rule applies to did not occur, which is not a gap.
	Unseen bool
}

func (u *Undecided) Error() string { return u.Reason }
