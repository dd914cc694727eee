// Package refusals makes cases of rows that say which request a server refuses, and with
// which error.
//
// A row is one request: an unknown name, a parameter that is missing or has the wrong type.
// A page lists its rows:
//
//	refusals.Cases(refusals.Row{
//		ID: "prompts/unknown-name", Title: "prompts/get of an unknown prompt is rejected as invalid params",
//		Checks: []requirements.ID{"prompts-unknown-name", refusals.Answer},
//		Needs:  []suite.Need{suite.Capability("prompts")},
//		Fix:    "look the prompt up first, and answer error -32602 when it is not there",
//		Method: "prompts/get", Well: true, Codes: []int{protocol.InvalidParams},
//		Params: func(c *probe.Client) probe.Object { return probe.Object{"name": "no-such-" + c.Nonce()} },
//	})
//
// A row whose page forgives more than that has a Judge of its own.
package refusals

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Answer is the rule that a request is answered at all. A row that checks it blames a
// request without an answer on that rule.
const Answer requirements.ID = "jsonrpc-single-response"

// Internal wants the error for a failure inside the server. Where another failure of the server
// has another code too, the case about failures of any kind judges that.
func Internal(reply *probe.Reply) error {
	err := reply.WantError(protocol.InternalError)
	if reply.Message().Class != frame.Error {
		return err
	}
	return probe.Unless(err, probe.Elsewhere{Case: "jsonrpc/internal-error", Why: "another failure inside the server has another code, too"})
}

// A Row is one request that is refused.
type Row struct {
	ID, Title, Fix string
	Checks         []requirements.ID // the first one is broken by an answer that is no such error
	Needs          []suite.Need
	Revisions      []requirements.Revision

	Method string
	Params func(*probe.Client) probe.Object // nil: an empty object
	Well   bool                             // the request is well-formed
	Bare   bool                             // the request has no params at all
	Quiet  bool                             // what the server says unasked comes first, not to be taken for the answer

	Codes []int
	// Lacks is the parameter that is missing, and Whole are params that lack nothing, of
	// something that does not exist. A server that answers them with error -32601 as well
	// does not know the method.
	Lacks string
	Whole probe.Object

	// Like is a request that another case judges. Where it gets the same wrong answer, one
	// slip is behind both, and that case tells of it.
	Like *Like

	// Judge judges the answer in place of Codes and Whole.
	Judge func(*probe.Client, *probe.Reply) error
}

// A Like is a request with something else wrong, and the case that judges its answer.
type Like struct {
	Case   string
	Params func(*probe.Client) probe.Object
}

// Cases makes a case of each row.
func Cases(rows ...Row) []suite.Case {
	cases := make([]suite.Case, len(rows))
	for i, r := range rows {
		cases[i] = suite.Case{
			ID: r.ID, Title: r.Title, Checks: r.Checks, Needs: r.Needs, Fix: r.Fix, Revisions: r.Revisions, Run: r.run,
		}
	}
	return cases
}

// Over HTTP a refusal by the status will do as an answer, be it a JSON-RPC message or not.
func (r Row) run(c *probe.Client) error {
	reply := r.ask(c)
	if !reply.Refused() && slices.Contains(r.Checks, Answer) {
		if err := reply.WantAnswer(); err != nil {
			return probe.Under(err, Answer)
		}
	}
	if r.Judge != nil {
		return r.Judge(c, reply)
	}
	r.known(c, reply)
	err := reply.WantError(r.codes(c)...)
	if err != nil && r.Like != nil {
		alike := r
		alike.Params = r.Like.Params
		Apart(c, reply, alike.ask(c), r.Like.Case)
	}
	return probe.Under(err, r.Checks[0])
}

// Apart ends the case where a wrong answer is also that of a request which another case
// judges.
func Apart(c *probe.Client, wrong, other *probe.Reply, judges string) {
	code, coded := wrong.Code()
	otherCode, otherCoded := other.Code()
	c.NotSeenIf(wrong.Answered() && other.Answered() && coded == otherCoded && code == otherCode,
		"the answer is that which "+judges+" gets and judges")
}

func (r Row) ask(c *probe.Client) *probe.Reply {
	params := probe.Object{}
	if r.Params != nil {
		params = r.Params(c)
	}
	if r.Quiet {
		c.Quiet()
	}
	switch {
	case r.Well:
		return c.Call(r.Method, params)
	case r.Bare:
		return c.Ask(probe.RequestText(`"no-params"`, r.Method, nil), probe.Patient())
	}
	return c.Ask(c.Compose(r.Method, params), probe.Patient())
}

// known ends the case where the server knows no such method, or says so whenever
// something is not there.
func (r Row) known(c *probe.Client, reply *probe.Reply) {
	if !reply.HasCode(protocol.MethodNotFound) || r.Whole == nil {
		return
	}
	whole := c.Call(r.Method, r.Whole)
	c.NotSeenIf(whole.HasCode(protocol.MethodNotFound),
		fmt.Sprintf("%s with %s gets error %d as well: %s", r.Method, r.Lacks, protocol.MethodNotFound, whole.Outcome()))
}

// codes are the errors that will do. Where a header has to repeat a parameter that is
// wrong, the header is wrong just as well.
func (r Row) codes(c *probe.Client) []int {
	method, _ := protocol.MethodOf(protocol.Client, r.Method)
	if c.Transport() == requirements.HTTP && method.Named != "" && protocol.RequestHeaders().At(c.Revision()) {
		return append(slices.Clone(r.Codes), protocol.HeaderMismatch)
	}
	return r.Codes
}
