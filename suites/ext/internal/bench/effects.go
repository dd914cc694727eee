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
	if want == 0 {
		return b.WantNoEffect(Watched{ToolCall: b.ToolCall, Before: b.Earlier}, after)
	}
	got := 0
	seen := b.LookUntil(b.ToolCall, b.Waits().Event, func(s probe.State) bool {
		got = b.Earlier.Effects(s)
		return got >= want
	})
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
	Quiet  bool // calls like this one have no late effect, as the function Quiet has seen
}

// Watch looks at the state that a call is going to change.
func (b *Bench) Watch(tool *probe.ToolCall) Watched {
	return Watched{ToolCall: tool, Before: b.Before(tool)}
}

// late is how long an effect is given to come after its answer: twenty usual answers. The
// cases that look for it hold the lock on the state, one after the other.
func late(c *probe.Client) time.Duration {
	const answers, least = 20, 300 * time.Millisecond
	return min(max(answers*c.Survey().RoundTrip, least), c.Waits().Event)
}

// Look looks at the state until it is, or is not, what it was before the call.
func (b *Bench) Look(w Watched, wanted bool) (seen probe.State, same bool) {
	seen = b.LookUntil(w.ToolCall, late(b.Client), func(s probe.State) bool { return w.Before.Same(s) == wanted })
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

// WantNoEffect expects that nothing has happened, and that nothing comes later: a tool
// with a queue or a database behind it has its effect some time after the answer. What
// earlier calls do to the state has to be there before it is watched; see Settled.
func (b *Bench) WantNoEffect(w Watched, after string) error {
	seen := b.Observe(w.ToolCall)
	if w.Before.Same(seen) {
		if w.Quiet {
			return nil
		}
		proposal.Pause(b.Client, late(b.Client))
		if seen = b.Observe(w.ToolCall); w.Before.Same(seen) {
			return nil
		}
		after = fmt.Sprintf("%s, within %s", after, late(b.Client).Round(time.Millisecond))
		b.still(w, seen)
	}
	return b.Said.And(w.Before, seen).Violation("the observed state has changed after %s, want no effect", after)
}

// Quiet makes the calls of a trial once for the connection, and reports whether none of them
// has an effect, at once or later. They are no evidence of the case that makes them.
func Quiet(b *Bench, trial string, calls func() Watched) bool {
	said := b.Said
	defer func() { b.Said = said }()
	return probe.Once(b.Client, trial, func() (quiet, keep bool) {
		w := calls()
		proposal.Pause(b.Client, late(b.Client))
		return w.Before.Same(b.Observe(w.ToolCall)), true
	})
}

// still ends the case where a state that has changed late goes on changing: then it
// changes by itself.
func (b *Bench) still(w Watched, seen probe.State) {
	proposal.Pause(b.Client, late(b.Client))
	b.UndecideIf(!seen.Same(b.Observe(w.ToolCall)), "the observed state changes by itself")
}

// Settled watches a call whose equal was made just now: the effect of that one is in the
// state already. Where it is not seen, nobody would see that of another one either.
func (b *Bench) Settled(before Watched) Watched {
	if _, same := b.Look(before, false); same {
		b.Undecide("the effect of a call of " + before.Tool + " that was done is not seen, so that of another would not be either")
	}
	return b.Watch(before.ToolCall)
}
