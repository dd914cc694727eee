package confirmation

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func approvals() []suite.Case {
	cases := []suite.Case{
		gated("approved-runs", "a call that the user has confirmed runs once", "ext-confirm-approved-runs",
			"run the call that carries the confirmation_token of its question and user_confirmed true, and run it once", approvedRuns),
		gated("approved-reordered", "a confirmed call whose arguments come in another order than before the question runs",
			"ext-confirm-approved-runs",
			"compare arguments as JSON values, where the order of properties does not count, and not as text", approvedReordered),
	}
	for _, row := range []struct {
		slug, what string
		value      any
	}{
		{"false", "false", false}, {"text-true", `the string "true"`, "true"}, {"text-false", `the string "false"`, "false"},
		{"number", "1", 1}, {"null", "null", nil},
	} {
		cases = append(cases, gated("false-not-run-"+row.slug, "a call with "+row.what+" as user_confirmed does not run",
			"ext-confirm-false-not-run",
			"compare user_confirmed with the boolean true, and with nothing else", func(d *desk) error {
				d.works()
				values := d.ask(d.ToolCall).consent().With("user_confirmed", row.value)
				w := d.Watch(d.ToolCall)
				return d.wantStopped(w, d.send(d.ToolCall, values), "a call with user_confirmed "+probe.JSON(row.value))
			}))
	}
	return cases
}

func approvedRuns(d *desk) error {
	if d.form == byForm {
		return d.acceptedRuns()
	}
	d.learn()
	g := d.ask(d.ToolCall)
	d.readable(g)
	d.Earlier = d.Before(d.ToolCall)
	reply := d.send(d.ToolCall, g.consent())
	if _, again := gateOf(d.Client, reply, d.ToolCall.Tool); again {
		what := "the call that was confirmed"
		if g.token() == "" {
			what += ", by user_confirmed alone since its question had no confirmation_token,"
		}
		return d.Said.Violation("the answer to %s asks again, want its result", what)
	}
	d.Permitted(d.ToolCall, reply)
	d.Must(proposal.WantDone(reply))
	return d.ranOnce("the call that was confirmed")
}

// approvedReordered is of a client that writes the call anew for its user, from a map that has
// no order. What makes two calls the same is not said by the proposal, so this is a warning.
func approvedReordered(d *desk) error {
	d.works()
	g := d.issued(d.ToolCall)
	other := bench.Reversed(d.ToolCall.Arguments)
	d.NotSeenIf(other == nil, "the arguments of roles.gated can be written in one order only")
	d.NotSeenIf(d.Dialect.Has(proposal.Within), "the consent of the user stands among the arguments")
	reply := d.MakeCall(bench.Call{Values: g.consent(), Params: probe.Object{"arguments": other}})
	if _, again := gateOf(d.Client, reply, d.ToolCall.Tool); again || proposal.Declined(reply) {
		const what = "the call that was confirmed, with its arguments in another order"
		return d.Said.Violation("%s, want its result", reply.AnswerTo(what)).AtMostWarn()
	}
	return probe.AtMostWarn(proposal.WantDone(reply))
}

// ranOnce expects one effect, or any where the observer cannot count.
func (d *desk) ranOnce(what string) error {
	if d.Earlier.Counts() {
		return d.WantEffects(1, what)
	}
	return d.WantEffect(bench.Watched{ToolCall: d.ToolCall, Before: d.Earlier}, what)
}

func tokens() []suite.Case {
	other, second := suite.Role(roles.Gated, "other-arguments"), suite.Role(roles.Gated, "second")
	return []suite.Case{
		gated("token-single-use", "a token that was used does not run the call again", "ext-confirm-token-single-use",
			"forget a confirmation_token when its call runs", singleUse),
		gated("token-bound-arguments", "a token does not run the call with other arguments", "ext-confirm-token-bound-arguments",
			"keep tool and arguments with confirmation_token, and compare them with those of the confirmed call", boundArguments, other),
		gated("token-bound-tool", "a token does not run another tool", "ext-confirm-token-bound-tool",
			"keep the tool with confirmation_token, and compare it with that of the confirmed call", boundTool, second),
		gated("token-forged", "a token that the server never issued runs nothing", "ext-confirm-token-forged",
			"look confirmation_token up among those that were issued, or verify its signature", forged),
		bench.In(suite.Waits, gated("token-expiry", "a token runs nothing after its time", "ext-confirm-token-expiry",
			"keep the end of its time with confirmation_token, and ask again after it", expiry)),
		gated("without-token", "a server that issues tokens runs nothing without one", "ext-confirm-without-token",
			"run a call only when its confirmation_token is valid: user_confirmed alone says nothing of what was confirmed", withoutToken),
		gated("token-bound-principal", "a token of one caller does not run the call of another", "ext-confirm-token-bound-principal",
			"keep the caller with confirmation_token, and compare it with that of the confirmed call", boundPrincipal,
			suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second")),
	}
}

// singleUse allows a stored answer without a second effect: the call may be a retry.
func singleUse(d *desk) error {
	d.works()
	g := d.issued(d.ToolCall)
	before := d.Watch(d.ToolCall)
	first := d.send(d.ToolCall, g.consent())
	d.Require(proposal.WantDone(first), "the confirmed call is not done: "+first.Outcome())
	w := d.Settled(before)
	d.send(d.ToolCall, g.consent())
	return d.WantNoEffect(w, "a call with a token that was used")
}

func boundArguments(d *desk) error {
	other := d.ToolCall.Using("other-arguments")
	if d.form == byForm {
		return d.formBound(other)
	}
	return d.bound(other, "a token for other arguments")
}

func boundTool(d *desk) error {
	second := d.Role(roles.Gated).Field("second")
	d.NotSeenIf(second.Tool == d.ToolCall.Tool, "roles.gated.second names the same tool")
	return d.bound(second, "a token for the tool "+d.ToolCall.Tool)
}

// bound sends a token with another call than it was issued for. The other call is confirmed
// properly afterwards: an effect that nobody sees would show nothing.
func (d *desk) bound(other *probe.ToolCall, what string) error {
	d.works()
	g := d.issued(d.ToolCall)
	w := d.Watch(other)
	d.Must(d.wantStopped(w, d.send(other, g.consent()), "a call with "+what))
	reply := d.send(other, d.ask(other).consent())
	d.Require(proposal.WantDone(reply), "the call of "+other.Tool+" is not done when it is confirmed: "+reply.Outcome())
	_, same := d.Look(w, false)
	d.UndecideIf(same, "the observer of roles.gated does not see the effect of "+other.Tool+" with these arguments")
	return nil
}

func forged(d *desk) error {
	d.works()
	token := d.issued(d.ToolCall).token()
	made := "kit"
	for len(made) < len(token) {
		made += d.Nonce()
	}
	values := probe.Object{"user_confirmed": true, "confirmation_token": made[:max(len("kit")+1, min(len(made), len(token)))]}
	w := d.Watch(d.ToolCall)
	reply := d.send(d.ToolCall, values)
	d.Must(d.wantStopped(w, reply, "a call with a token that was made up"))
	record, place, recorded := proposal.Record(reply)
	if category := probe.TextOf(record["category"]); recorded && !slices.Contains([]string{"invalid_input", "permanent"}, category) {
		return reply.Violation("the category of the record in %s is %q, want invalid_input or permanent: the same call is refused again",
			place, category).AtMostWarn()
	}
	return nil
}

// longest is the time that the draft recommends.
const longest = 5 * time.Minute

// expiry waits as long as the configuration says, or the server, and a little longer.
func expiry(d *desk) error {
	d.works()
	g := d.issued(d.ToolCall)
	window, configured := d.Role(roles.Gated).Fields().Duration("window", 0), true
	if window == 0 {
		until, stated := proposal.Moment(g.record["expires_at"])
		if !stated {
			d.Unfilled(roles.Gated, "how long a token is good: set window")
		}
		window, configured = until.Sub(proposal.Clock(g.Reply, d.Now())), false
	}
	if window > longest+proposal.Tolerance && !configured {
		return g.Violation("expires_at lies %s ahead, want at most %s", window.Round(time.Second), longest).AtMostWarn()
	}
	late := max(window, 0) + window/10 + time.Second
	d.UndecideIf(late > d.Waits().Max, fmt.Sprintf("a token is good for %s, and wait.max is %s", window.Round(time.Second), d.Waits().Max))
	d.Pause(late)
	w := d.Watch(d.ToolCall)
	return d.wantStopped(w, d.send(d.ToolCall, g.consent()), fmt.Sprintf("a call with a token of %s ago", late.Round(time.Second)))
}

func withoutToken(d *desk) error {
	d.works()
	d.issued(d.ToolCall)
	w := d.Watch(d.ToolCall)
	return d.wantStopped(w, d.send(d.ToolCall, probe.Object{"user_confirmed": true}), "a call with user_confirmed and no token")
}

// The effects are those that the second caller sees, who has to be asked as well.
func boundPrincipal(d *desk) error {
	d.works()
	first := d.With(bench.Entitled(d.Client))
	second := &desk{Bench: d.With(d.As("second")), form: d.form}
	theirs := second.MakeCall(bench.Call{Dialect: proposal.Bare})
	_, asks := gateOf(second.Client, theirs, d.ToolCall.Tool)
	d.NotSeenIf(!asks, "principals.second is not asked: "+theirs.Outcome())
	reply := first.MakeCall(bench.Call{Dialect: proposal.Bare})
	g, asks := gateOf(first.Client, reply, d.ToolCall.Tool)
	d.UndecideIf(!asks || g.token() == "", "principals.first gets no token: "+reply.Outcome())
	second.Said = probe.Shown(reply)
	w := second.Watch(d.ToolCall)
	return second.wantStopped(w, second.send(d.ToolCall, g.consent()), "a call with the token of another caller")
}
