package probe

import "fmt"

// An Opinion is what a watcher says of one frame, or a check of one item: that
// the rule does not apply, that it is kept, or how it is broken. Its zero value
// is Nothing.
type Opinion struct {
	judged bool
	broken *Violation
	err    error
}

// Nothing: the rule does not apply to this.
func Nothing() Opinion { return Opinion{} }

// Kept: the rule applies and is kept.
func Kept() Opinion { return Opinion{judged: true} }

// Breaks: the rule is broken. The frames that show it are added by whoever
// asked for the opinion.
func Breaks(format string, args ...any) Opinion {
	return Opinion{judged: true, broken: &Violation{Problem: fmt.Sprintf(format, args...)}}
}

// Failed: something of the kit's own went wrong, which the server is not
// blamed for. The case ends with an error, and is never "not seen".
func Failed(err error) Opinion { return Opinion{err: err} }

// Fits is the opinion that a problem stands for: Kept where it is empty.
func Fits(problem string, err error) Opinion {
	switch {
	case err != nil:
		return Failed(err)
	case problem != "":
		return Breaks("%s", problem)
	}
	return Kept()
}

// AtMostWarn says that the row itself asks for no more than a warning.
func (o Opinion) AtMostWarn() Opinion {
	if o.broken != nil {
		warned := *o.broken
		o.broken = warned.AtMostWarn()
	}
	return o
}

// Judged reports whether the rule applied.
func (o Opinion) Judged() bool { return o.judged }

// Violation is how the rule is broken; nil when it is not.
func (o Opinion) Violation() *Violation { return o.broken }

// Err is what went wrong on the kit's side.
func (o Opinion) Err() error { return o.err }

// And is the opinion on two things together: a broken rule says more than an
// error, that more than a kept rule, and the first of two violations counts.
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

// Opinion makes an opinion of a violation that has frames of its own.
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
