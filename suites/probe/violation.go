package probe

import (
	"errors"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Violation is a broken rule and the frames that show it. The level of the
// rule decides how much it counts.
type Violation struct {
	Problem string
	Frames  []frame.Frame
	warn    bool
	polled  bool
	rules   []requirements.ID
	mute    bool
	free    bool

	causes []Elsewhere
}

func (v *Violation) Error() string { return v.Problem }

// AtMostWarn says that the rule itself asks for no more than a warning.
func (v *Violation) AtMostWarn() *Violation {
	v.warn = true
	return v
}

// WarnsOnly reports whether AtMostWarn was called.
func (v *Violation) WarnsOnly() bool { return v.warn }

// Under names the broken rule, where a case checks rules of different levels
// with one answer. Of several names the heaviest rule counts that holds in the
// column; without Under, the heaviest rule of the case counts.
func (v *Violation) Under(rules ...requirements.ID) *Violation {
	v.rules = rules
	return v
}

// Rules are the rules that Under named.
func (v *Violation) Rules() []requirements.ID { return v.rules }

// Unless leaves the complaint to the cases that judge its cause: where one of them complains
// of the column too, this case is not judged. A cause without a case counts for nothing.
func (v *Violation) Unless(causes ...Elsewhere) *Violation {
	for _, cause := range causes {
		if cause.Case != "" {
			v.causes = append(slices.Clip(v.causes), cause) // copies of the violation share the list
		}
	}
	return v
}

// Causes are the cases that judge what may have caused the complaint.
func (v *Violation) Causes() []Elsewhere { return v.causes }

// Mute reports whether the server answers nothing at all, so that no other case
// needs to wait for it.
func (v *Violation) Mute() bool { return v.mute }

// BlocksNothing says that the server does what the case proves for others, though not as
// the rule wants it: those cases are judged all the same.
func (v *Violation) BlocksNothing() *Violation {
	v.free = true
	return v
}

// Blocks reports whether cases that need what this case proves cannot be judged.
func (v *Violation) Blocks() bool { return !v.free }

// Polled reports whether the missing answer would come on another stream: the
// server closed the first one for the client to come back.
func (v *Violation) Polled() bool { return v.polled }

// AtMostWarn limits the violation within an expectation's error, if it is one,
// to a warning.
func AtMostWarn(err error) error {
	if v, ok := errors.AsType[*Violation](err); ok {
		v.warn = true
	}
	return err
}

// Unless leaves the violation within an expectation's error, if it is one, to the case that judges
// the cause.
func Unless(err error, cause Elsewhere) error {
	if v, ok := errors.AsType[*Violation](err); ok {
		_ = v.Unless(cause)
	}
	return err
}

// Under names the rule that the violation within an expectation's error, if it
// is one, breaks.
func Under(err error, rules ...requirements.ID) error {
	if v, ok := errors.AsType[*Violation](err); ok {
		v.rules = rules
	}
	return err
}

// An Undecided says why a case came to no verdict; the case counts as skipped.
type Undecided struct {
	Reason string
	// Unseen: the occasion for the rule did not arise, which is not a gap.
	Unseen bool
	// Passing: another case may be the reason, so that Learn does not keep it.
	Passing bool
	Role    roles.Name // that the operator can fill, so that the case is judged
}

func (u *Undecided) Error() string { return u.Reason }
