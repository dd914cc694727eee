package progress

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// reporting is a case about one call that asked for progress.
func reporting(slug, title string, id requirements.ID, fix string, judge func(r *run) error) suite.Case {
	run := bench.After(func(c *probe.Client) *run { return report(c, nil) }, judge)
	return bench.Case("ext-progress/"+slug, title, id, fix, run, suite.Role(roles.ProgressTool))
}

// A run is one call of the progress tool, and what was said of it before the
// answer. What comes later is judged by ext-progress/ends alone.
type run struct {
	client  *probe.Client
	reply   *probe.Reply
	notices []operations.Record // all notifications of progress
	records []operations.Record // those of them with a record of the extension
}

// report makes the call with a token of its own. Meta stands beside the token.
func report(c *probe.Client, meta probe.Object) *run {
	token := "kit-" + c.Nonce()
	call := c.Role(roles.ProgressTool).Call()
	mark := c.Mark()
	reply := c.CallTool(call, probe.Object{"_meta": meta.With("progressToken", token)})
	if proposal.WantDone(reply) != nil {
		c.Undecide("the call of roles.progress-tool had no result: " + reply.Outcome())
	}
	r := &run{client: c, reply: reply}
	r.take(operations.Before(reply, c.Since(mark)), token)
	return r
}

// take keeps what is about the call: what bears another token is of another one.
func (r *run) take(seen []probe.Seen, token any) {
	older := map[string]string{}
	for _, n := range operations.Progress(seen) {
		if got, ok := n.Params["progressToken"]; ok && !probe.Same(got, token) {
			continue
		}
		r.notices = append(r.notices, n)
		if n.Fields == nil {
			continue
		}
		r.records = append(r.records, n)
		if !n.Canonical() {
			older[n.Method] = n.Where
		}
	}
	for method, where := range older {
		r.client.Note("the record stands in " + where + " of " + method + ", an accepted form; the canonical place is $.params._meta of " +
			"notifications/progress")
	}
}

// some ends the case where there are no records to look at. That there are any is judged elsewhere.
func (r *run) some() {
	if len(r.records) == 0 {
		r.client.NotSeen("the call of roles.progress-tool yields no record of the extension")
	}
}

// violation is a problem that the call and one of its notifications show.
func (r *run) violation(n operations.Record, format string, args ...any) *probe.Violation {
	return operations.Shown(r.reply, n.Seen).Violation(format, args...)
}

// each judges every record, and wants one at least to which the rule applies.
func each(judge func(r *run, n operations.Record) (applies bool, err error)) func(*run) error {
	return func(r *run) error {
		r.some()
		applied := false
		for _, n := range r.records {
			applies, err := judge(r, n)
			if err != nil {
				return err
			}
			applied = applied || applies
		}
		if !applied {
			r.client.NotSeen("the records have no such property")
		}
		return nil
	}
}
