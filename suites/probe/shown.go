package probe

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Evident is something that can be shown to the reader of a finding: a
// Reply, a State, a Seen frame, or Evidence.
type Evident interface{ Evidence() []frame.Frame }

// Evidence is the frames of several exhibits together.
type Evidence []frame.Frame

// Shown joins exhibits for a violation that needs several, as in Shown(first,
// second).Violation("the second answer is ...").
func Shown(exhibits ...Evident) Evidence { return Evidence(nil).And(exhibits...) }

// And appends exhibits to the evidence.
func (e Evidence) And(exhibits ...Evident) Evidence {
	all := append(Evidence(nil), e...)
	for _, each := range exhibits {
		all = append(all, each.Evidence()...)
	}
	return all
}

// Evidence makes Evidence Evident.
func (e Evidence) Evidence() []frame.Frame { return e }

// Violation is a problem that the exhibits show.
func (e Evidence) Violation(format string, args ...any) *Violation {
	v := &Violation{Problem: fmt.Sprintf(format, args...), Frames: e}
	for _, f := range e {
		if f.Dir == frame.Received && f.Kind == frame.KindMessage {
			v = v.Unless(unclear(f.Message())).Unless(unissuedIn(f.Message())...)
		}
	}
	return v
}

// One makes an exhibit of a frame.
func One(f frame.Frame) Evidence { return Evidence{f} }
