package idempotency

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func headers() []suite.Case {
	needs := keys(suite.Over(requirements.HTTP))
	return []suite.Case{
		keyed("header", "a key in the header X-Idempotency-Key counts like one in the message", "ext-idempotency-header",
			"read X-Idempotency-Key of the HTTP request where the message names no key", headerAlone, suite.Over(requirements.HTTP)),
		{
			ID:       "ext-idempotency/header-shares-store",
			Title:    "a call whose key came in the header is not run again when the message repeats the key",
			Checks:   []requirements.ID{"ext-idempotency-header"},
			Needs:    needs,
			Observes: roles.StateChange,
			Fix:      "look keys up in one store, wherever they came from",
			Run:      inBoth(headerSharesStore),
		},
		{
			ID:       "ext-idempotency/placement-mismatch",
			Title:    "a call whose header and message name different keys is rejected",
			Checks:   []requirements.ID{"ext-idempotency-placement-mismatch"},
			Needs:    needs,
			Observes: roles.StateChange,
			Fix:      "compare the keys of header and message before the tool runs, and reject the call when they differ",
			Run:      inBoth(placementMismatch),
		},
	}
}

func headerAlone(b *bench.Bench) error {
	return runsOnce(b, bench.Call{Values: under(b.Key()), Dialect: proposal.Header}, "two calls with the same key in the header alone")
}

// headerRead finds out, once for the column, whether the server looks at the
// header at all: one that does not cannot notice what else is wrong with it.
func headerRead(c *probe.Client) {
	read := c.Learn("idempotency:header", func() string {
		var verdict error
		stopped := c.Try(func() { verdict = on(headerAlone)(c) })
		if stopped != nil || verdict != nil {
			return "unread"
		}
		return "read"
	})
	if read != "read" {
		c.Undecide("the server does not read the header; ext-idempotency/header says so")
	}
}

// inBoth makes a case of a procedure that needs a server which reads keys from
// the header and from the message; message is the dialect of the latter.
func inBoth(procedure func(b *bench.Bench, message proposal.Dialect) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		headerRead(c)
		return on(func(b *bench.Bench) error {
			message := inMessage(b)
			if message == "" {
				c.Undecide("keys are read from the header alone")
			}
			return procedure(b, message)
		})(c)
	}
}

func headerSharesStore(b *bench.Bench, message proposal.Dialect) error {
	key := b.Key()
	for _, d := range []proposal.Dialect{proposal.Header, message} {
		call(b, bench.Call{Values: under(key), Dialect: d})
	}
	return b.WantEffects(1, "a call with the key in the header and its repeat with the key in the message")
}

// inMessage is the dialect without the header; empty when the server reads
// keys there only.
func inMessage(b *bench.Bench) proposal.Dialect {
	if b.Dialect.Leads(proposal.Header) {
		return ""
	}
	return proposal.Dialect(strings.ReplaceAll(string(b.Dialect), string(proposal.Header), ""))
}

func placementMismatch(b *bench.Bench, message proposal.Dialect) error {
	other := http.Header{"X-Idempotency-Key": {b.Key()}}
	reply := b.MakeCall(bench.Call{Values: under(b.Key()), Dialect: message, Header: other})
	b.Must(proposal.WantDeclined(reply))
	return b.WantEffects(0, "the rejection of two contradicting keys")
}
