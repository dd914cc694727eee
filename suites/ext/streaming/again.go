package streaming

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// resume asks with the values that a case looks at. A call that was given up may take
// as long to stop as it takes at all; a server that says so has not looked at them yet.
func (x *interrupted) resume(values probe.Object) resumption {
	limit := time.Second + x.Role(resumable(x.Client)).Fields().Duration("duration", 0)
	return x.until(values, limit, func(r *probe.Reply) bool { return forNow(r) && statedWait(r) <= limit })
}

// carryOn resumes the call. Whether a call that is still stopping may be refused in
// other words than those of the category transient is left open, so that such a
// refusal is tried again, too: a server that cannot resume at all refuses each time.
func (x *interrupted) carryOn(role roles.Name) resumption {
	late := false
	r := x.until(x.params(), patience(x.Client, role), func(r *probe.Reply) bool {
		silent := unexplained(r)
		late = late || silent
		return silent || forNow(r)
	})
	r.late = late
	return r
}

// until asks to resume, and asks again while the answer is to be followed by another,
// for so long at most. It waits as long as the server says, which may be longer than
// the case may wait.
func (x *interrupted) until(values probe.Object, limit time.Duration, again func(*probe.Reply) bool) resumption {
	const soon, most = 50 * time.Millisecond, time.Second
	began := time.Now()
	for wait := soon; ; wait = min(2*wait, most) {
		r := x.ask(values)
		if !again(r.Reply) || time.Since(began) >= limit {
			return r
		}
		proposal.Pause(x.Client, max(wait, statedWait(r.Reply)))
	}
}

// forNow reports whether a refusal says that it is for the moment only.
func forNow(r *probe.Reply) bool {
	record, _, ok := proposal.Record(r)
	return ok && proposal.WantDone(r) != nil && (record["category"] == "transient" || record["category"] == "rate_limited")
}

// unexplained reports whether a refusal does not say of which kind it is.
func unexplained(r *probe.Reply) bool {
	record, _, _ := proposal.Record(r)
	category, _ := record["category"].(string)
	return proposal.Declined(r) && !slices.Contains(proposal.Categories(), category)
}

// statedWait is the wait that a refusal asks for; none where it states no time.
func statedWait(r *probe.Reply) time.Duration {
	record, _, _ := proposal.Record(r)
	n, _ := record["retry_after_seconds"].(json.Number)
	seconds, _ := n.Float64()
	const year = 365 * 24 * 3600 // enough for any comparison
	return time.Duration(min(max(seconds, 0), year) * float64(time.Second))
}
