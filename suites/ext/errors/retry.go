package errors

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const retryAfter = "retry_after_seconds"

func retries() []suite.Case {
	return []suite.Case{
		watched("retry-time-type", "with retry_after_seconds, as roles.failure.transient and roles.rate-limit cause",
			"retry_after_seconds is an integer of 0 or more", "ext-error-retry-type",
			"state whole seconds, rounded up, as a JSON number; leave the property out where there is no time to state",
			func(r record) probe.Opinion {
				return r.fits(retryAfter, "RetryTime", "an integer of 0 or more")
			}),
		watched("retry-time-stated", "of the category transient or rate_limited, as roles.failure.transient and roles.rate-limit cause",
			"a failure that passes says when to try again", "ext-error-retry-required",
			"state retry_after_seconds with each record of the category transient or rate_limited", retryTimeStated),
		provoked("passing-transient", "a call that may succeed later is told as transient or rate_limited", "ext-error-passing-transient",
			"use transient or rate_limited where the same call may succeed later, since a client gives up what is permanent",
			passingTransient, suite.Role(roles.Failure, "transient")),
		watched("retry-time-only-there", "of the category permanent, auth_required or invalid_input",
			"a failure that does not pass states no time to try again", "ext-error-retry-only-there",
			"leave retry_after_seconds out of records that are permanent, auth_required or invalid_input", func(r record) probe.Opinion {
				if !lasts(r.text("category")) {
					return probe.Nothing()
				}
				if _, stated := r.Record[retryAfter]; stated {
					return r.breaks(retryAfter, "no such property beside the category "+r.text("category"))
				}
				return probe.Kept()
			}),
		bench.Observing(roles.RateLimit, bench.In(suite.Waits, provoked("retry-time-true", "a call succeeds after the stated time",
			"ext-error-retry-true",
			"take retry_after_seconds from the clock that ends the limit, rounded up", retryTimeTrue, suite.Role(roles.RateLimit, "repeat")))),
	}
}

// passing are the categories of failures that pass.
func passing() []string { return []string{"transient", "rate_limited"} }

func passes(category string) bool { return slices.Contains(passing(), category) }

func lasts(category string) bool {
	return slices.Contains(proposal.Categories(), category) && !passes(category)
}

func retryTimeStated(r record) probe.Opinion {
	if !passes(r.text("category")) {
		return probe.Nothing()
	}
	if _, stated := r.Record[retryAfter]; !stated {
		return r.breaks(retryAfter, "the seconds until a repeat may succeed, beside the category "+r.text("category"))
	}
	return probe.Kept()
}

// passingTransient provokes a failure that passes. Whether its record states a time is the
// rule of retry-time-stated, which watches all records. A call that lacks rights or has
// wrong arguments is a mistake of the configuration.
func passingTransient(c *probe.Client) error {
	reply := callField(c, "transient")
	told := toldOf(c, reply)
	category := probe.Member(told.Record, "category")
	c.UndecideIf(category != "permanent" && !passes(probe.TextOf(category)),
		"the call of roles.failure.transient is told as "+probe.Show(category)+", which does not pass as the call is")
	return wantCategory(reply, told, passing()...)
}

// rounds is how often a limit is waited for: one that somebody else has used up
// meanwhile is no lie.
const rounds = 3

func retryTimeTrue(c *probe.Client) error {
	call := c.Role(roles.RateLimit).Call()
	refused := exhaust(c, call)
	began, shown := time.Now(), probe.Shown(refused)
	wait := stated(c, refused)
	for range rounds {
		most := c.Waits().Max
		c.UndecideIf(time.Since(began)+wait > most, fmt.Sprintf("the server asks for a wait of %s, and wait.max is %s", wait, most))
		c.Await(c.Mark(), wait, func(probe.Seen) bool { return false })
		reply := c.CallTool(call, nil)
		shown = shown.And(reply)
		if !proposal.Declined(reply) {
			return proposal.WantDone(reply)
		}
		again := stated(c, reply)
		if again > wait+tolerance {
			return shown.Violation("a call after the stated wait of %s is refused for another %s, want a result, or a shorter wait", wait, again)
		}
		wait = again
	}
	return shown.Violation("a call after each of %d stated waits is refused, want a result", rounds)
}

// tolerance is what rounding may add to a wait.
const tolerance = time.Second

// exhaust calls until the server refuses, as often as the role says.
func exhaust(c *probe.Client, call *probe.ToolCall) *probe.Reply {
	repeat, _ := c.Role(roles.RateLimit).Fields().Number("repeat")
	for range repeat + 1 {
		reply := c.CallTool(call, nil)
		if proposal.Declined(reply) {
			return reply
		}
	}
	c.Undecide(fmt.Sprintf("%d calls in a row were not refused; raise roles.rate-limit.repeat", repeat+1))
	return nil
}

// stated is the wait that a refusal asks for.
func stated(c *probe.Client, refused *probe.Reply) time.Duration {
	told := toldOf(c, refused)
	seconds, ok := probe.NumberOf(told.Record[retryAfter])
	c.UndecideIf(!ok || seconds < 0 || !passes(fmt.Sprint(told.Record["category"])),
		"the refusal states no time to wait: "+refused.Outcome())
	const year = 365 * 24 * 3600 // enough for any comparison
	return time.Duration(min(seconds, year) * float64(time.Second))
}
