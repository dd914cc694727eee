package bench

import (
	"fmt"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// LookUntil looks at the state that a call changes until it is as awaited, and for so
// long at most: an effect may come some time after the answer.
func (b *Bench) LookUntil(tool *probe.ToolCall, limit time.Duration, awaited func(probe.State) bool) probe.State {
	const looks = 10
	for look := 0; ; look++ {
		seen := b.Observe(tool)
		if look == looks || awaited(seen) {
			return seen
		}
		proposal.Pause(b.Client, limit/looks)
	}
}

// WantEffects expects so many effects since the bench looked at the state first. An
// observer that cannot count still shows that there was none.
func (b *Bench) WantEffects(want int, after string) error {
	var seen probe.State
	got := 0
	if want > 0 {
		seen = b.LookUntil(b.ToolCall, b.Waits().Event, func(s probe.State) bool {
			got = b.Earlier.Effects(s)
			return got >= want
		})
	} else if seen = b.Observe(b.ToolCall); b.Earlier.Same(seen) {
		return nil
	} else if b.Try(func() { got = b.Earlier.Effects(seen) }) != nil {
		return b.Said.And(seen).Violation("the observed state has changed after %s, want no effect", after)
	}
	if got == want {
		return nil
	}
	return b.Said.And(seen).Violation("the observed state shows %s after %s, want %s", Effects(got), after, Effects(want))
}

// Effects is a number of effects in words.
func Effects(n int) string {
	switch n {
	case 0:
		return "no effect"
	case 1:
		return "one effect"
	default:
		return fmt.Sprintf("%d effects", n)
	}
}

// A Watched call is one of several whose effects are looked for, with the state ahead
// of it.
type Watched struct {
	*probe.ToolCall
	Before probe.State
}

// Watch looks at the state that a call is going to change.
func (b *Bench) Watch(tool *probe.ToolCall) Watched { return Watched{tool, b.Before(tool)} }

// Look looks at the state until it is, or is not, what it was before the call: for as
// long as twenty usual answers take.
func (b *Bench) Look(w Watched, wanted bool) (seen probe.State, same bool) {
	const answers, least = 20, 300 * time.Millisecond
	limit := min(max(answers*b.Survey().RoundTrip, least), b.Waits().Event)
	seen = b.LookUntil(w.ToolCall, limit, func(s probe.State) bool { return w.Before.Same(s) == wanted })
	return seen, w.Before.Same(seen)
}

// WantUndone expects that the state is what it was before the call.
func (b *Bench) WantUndone(w Watched, after string) error {
	seen, same := b.Look(w, true)
	if same {
		return nil
	}
	return b.Said.And(seen).Violation("the state that %s changes is not what it was before, after %s, want no effect", w.Tool, after)
}

// WantEffect expects that the state shows the effect of the call.
func (b *Bench) WantEffect(w Watched, after string) error {
	seen, same := b.Look(w, false)
	if !same {
		return nil
	}
	return b.Said.And(w.Before, seen).Violation("the state that %s changes is what it was before, after %s, want the effect", w.Tool, after)
}

// WantNoEffect expects that nothing has happened. An effect that comes late is not
// seen; it would be a false alarm to wait for it each time.
func (b *Bench) WantNoEffect(w Watched, after string) error {
	seen := b.Observe(w.ToolCall)
	if w.Before.Same(seen) {
		return nil
	}
	return b.Said.And(seen).Violation("the state that %s changes has changed after %s, want no effect", w.Tool, after)
}
