package probe

import "fmt"

// An Opinion is a watcher's judgement of one frame, or a check's judgement of
// one item: the rule does not apply, is kept, or is broken. The zero value is
// Nothing.
type Opinion struct {
	judged bool
	broken *Violation
	err    error
}

// Nothing: the rule does not apply.
func Nothing() Opinion { return Opinion{} }

// Kept: the rule applies and is kept.
func Kept() Opinion { return Opinion{judged: true} }

// Breaks: the rule is broken. The caller that asked for the opinion adds the
// frames.
func Breaks(format string, args ...any) Opinion {
	return Opinion{judged: true, broken: &Violation{Problem: fmt.Sprintf(format, args...)}}
}

// Failed: the kit itself failed, for which the server is not blamed. The case
// ends with an error, and is never "not seen".
func Failed(err error) Opinion { return Opinion{err: err} }

// Fits turns a problem into an opinion: Kept where it is empty.
func Fits(problem string, err error) Opinion {
	switch {
	case err != nil:
		return Failed(err)
	case problem != "":
		return Breaks("%s", problem)
	}
	return Kept()
}

// Unless leaves the complaint to the case that judges the cause, as Violation.Unless does.
func (o Opinion) Unless(cause Elsewhere) Opinion {
	if o.broken != nil {
		left := *o.broken
		o.broken = left.Unless(cause)
	}
	return o
}

// AtMostWarn says that the rule itself asks for no more than a warning.
func (o Opinion) AtMostWarn() Opinion {
	if o.broken != nil {
		warned := *o.broken
		o.broken = warned.AtMostWarn()
	}
	return o
}

// Judged reports whether the rule applied.
func (o Opinion) Judged() bool { return o.judged }

// Violation says how the rule is broken; nil where it is not.
func (o Opinion) Violation() *Violation { return o.broken }

// Err is the failure of the kit.
func (o Opinion) Err() error { return o.err }

// And joins the opinions on two things: a broken rule outweighs an error, an
// error outweighs a kept rule, and the first of two violations counts.
func (o Opinion) And(other Opinion) Opinion {
	if o.broken == nil {
		o.broken = other.broken
	}
	if o.err == nil {
		o.err = other.err
	}
	o.judged = o.judged || other.judged
	return o
}

// Opinion makes an opinion of a violation that has its own frames.
func (v *Violation) Opinion() Opinion { return Opinion{judged: true, broken: v} }

// shown adds frames to a violation that has none.
func (o Opinion) shown(frames Evidence) Opinion {
	if o.broken != nil && len(o.broken.Frames) == 0 {
		v := *o.broken
		v.Frames = frames
		o.broken = &v
	}
	return o
}
