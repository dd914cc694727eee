package streaming

import (
	"errors"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// An interrupted call was given up behind a checkpoint.
type interrupted struct {
	*bench.Bench
	id     string              // of the operation
	token  string              // the checkpoint
	tokens []string            // all that were handed out
	chunks []operations.Record // up to the checkpoint; none if no chunk has it
	from   probe.Mark          // what was said of the call comes behind it
	done   float64             // the progress up to the checkpoint, as core has it
	ended  bool                // the answer came before the call could be given up
}

// resumable is the tool whose calls are interrupted: the one that is named for it,
// else the one that streams.
func resumable(c *probe.Client) roles.Name {
	if c.Role(roles.SlowTool).Fields().Flag("resumable") {
		return roles.SlowTool
	}
	return roles.StreamTool
}

// checkpointed interrupts a call behind its first checkpoint, of a tool that takes
// little time if that offers any.
func checkpointed(c *probe.Client) *interrupted {
	_, streams := c.Role(roles.StreamTool).Fields().Call()
	slow := resumable(c) == roles.SlowTool
	if streams {
		var x *interrupted
		why := c.Try(func() { x = interrupt(c, roles.StreamTool, 1) })
		if why == nil {
			return x
		}
		if u := (*probe.Undecided)(nil); !slow || !errors.As(why, &u) || !u.Unseen {
			c.Stop(why)
		}
	}
	return interrupt(c, roles.SlowTool, 1)
}

// interrupt makes a call, waits until so many checkpoints were handed out, and
// gives the call up.
func interrupt(c *probe.Client, role roles.Name, checkpoints int) *interrupted {
	d := dialect(c, role)
	return interruptCall(c, role, c.Role(role).Call(), d, checkpoints)
}

func interruptCall(c *probe.Client, role roles.Name, call *probe.ToolCall, d proposal.Dialect, checkpoints int) *interrupted {
	x := &interrupted{Bench: bench.New(c), id: operationID(c), from: c.Mark()}
	x.ToolCall, x.Dialect = call, d
	limit := patience(c, role)
	p := x.StartCall(asking(c, probe.Object{"stream": true, "operation_id": x.id}), probe.Within(limit))
	began, sent := p.Sent()
	_, found := p.MustAwait(limit, func(s probe.Seen) bool {
		// Over HTTP+SSE the exchange ends at once, and the answer comes on the stream.
		over := s.Kind == frame.KindEnd && s.Exchange == began.Exchange && c.Transport() != requirements.SSE
		if x.ended = sent && (p.Answers(s) || over); !x.ended {
			x.see(s)
		}
		return x.ended || len(x.tokens) >= checkpoints && x.located(checkpoints)
	})
	switch {
	case !sent || !found:
		c.Undecide("the call handed out neither a checkpoint nor an answer in time")
	case len(x.tokens) == 0:
		if x.ended {
			bench.PlainlyRuns(c, role, p.Reply())
		}
		c.NotSeen("no checkpoint_token was handed out, so no call can be resumed")
	}
	x.Said = append(probe.One(began.Frame), x.Said...)
	if !x.ended {
		p.Cancel("the call is to be resumed")
	}
	return x
}

// see takes down what a frame says of the operation.
func (x *interrupted) see(s probe.Seen) {
	one := []probe.Seen{s}
	chunks := operations.Chunks(one)
	x.chunks = append(x.chunks, chunks...)
	for _, r := range append(chunks, operations.Progress(one)...) {
		if reached, ok := r.Reached(); ok {
			x.done = max(x.done, reached)
		}
		token, ok := r.Text("checkpoint_token")
		if !ok || token == "" || slices.Contains(x.tokens, token) {
			continue
		}
		x.tokens, x.token = append(x.tokens, token), token
		x.Said = append(x.Said, s.Frame)
		if id, ok := r.Text("operation_id"); ok && id != "" {
			x.id = id
		}
	}
}

// located reports whether there is nothing to wait for that tells behind which chunk
// the checkpoint lies. A progress record may have it before its chunk does; where one
// more checkpoint comes meanwhile, that chunk is not waited for.
func (x *interrupted) located(checkpoints int) bool {
	has := func(chunk operations.Record) bool { return chunk.Checkpoint() == x.token }
	some := func(chunk operations.Record) bool { return chunk.Checkpoint() != "" }
	return len(x.tokens) > checkpoints || slices.ContainsFunc(x.chunks, has) || !slices.ContainsFunc(x.chunks, some)
}

// delivered is the data of the chunks up to the checkpoint, and the number of the
// last of them; false where the checkpoint came with no chunk.
func (x *interrupted) delivered() (data []any, through int, ok bool) {
	for _, chunk := range x.chunks {
		data = append(data, chunk.Fields["data"])
		if chunk.Checkpoint() == x.token {
			through, ok = chunk.Sequence()
			return data, through, ok
		}
	}
	return nil, 0, false
}

// unread is why nothing is said of a call that is made again.
const unread = "nothing shows that the server reads the checkpoint of a call that is made again"

// A resumption is the answer to resume, and the chunks that came for it.
type resumption struct {
	*probe.Reply
	chunks []operations.Record
	tells  []operations.Record // of progress
	answer proposal.Answer     // to the method; its form is empty where the server has none
	again  bool                // the call itself was made again instead
	late   bool                // it was refused before, and nothing said that this was for the moment only
}

// resumeMethod is the method of the extension.
func resumeMethod() proposal.Method {
	return proposal.Method{Extension: "streaming", Name: "resume", Aliases: []string{"operations/resume", "operation/resume"},
		Tools: []string{"resume"}}
}

// ask asks for the rest of the operation. Where the server has no such method the
// call itself is made again with the operation and the checkpoint.
func (x *interrupted) ask(values probe.Object) resumption {
	c := x.Client
	mark := c.Mark()
	meta := probe.Object{"progressToken": "kit-" + c.Nonce(), "stream": true, proposal.Prefix + "stream": true}
	params := values.With("_meta", meta)
	if x.Dialect.Has(proposal.Beside) {
		params = params.With("stream", true)
	}
	answer := resumeMethod().Ask(c, params, probe.Within(patience(c, resumable(c))))
	r := resumption{Reply: answer.Reply, answer: answer}
	if answer.Unknown && len(values) == 2 {
		again := x.StartCall(asking(c, values.With("stream", true)), probe.Within(patience(c, resumable(c)))).Reply()
		c.Note("resume is an unknown method; the call was made again with operation_id and checkpoint_token, an accepted form")
		r.Reply, r.again = again, true
	}
	if r.Answered() {
		c.Settle(mark)
	}
	r.chunks, r.tells = operations.Chunks(c.Since(mark)), operations.Progress(c.Since(mark))
	return r
}

// anew reports whether a call that was made again began from its start: the server
// does not read the checkpoint then.
func (x *interrupted) anew(r resumption) bool {
	_, through, numbered := x.delivered()
	return r.again && slices.ContainsFunc(r.chunks, func(chunk operations.Record) bool {
		n, ok := chunk.Sequence()
		id, named := chunk.Text("operation_id")
		return numbered && ok && n <= through || named && id != x.id
	})
}

// unplaced reports whether the first chunk of the call comes again where nothing says
// behind which chunk the checkpoint lies. It may lie before all of them.
func (x *interrupted) unplaced(r resumption) bool {
	if _, _, numbered := x.delivered(); numbered || len(x.chunks) == 0 {
		return false
	}
	first, ok := x.chunks[0].Sequence()
	return ok && slices.ContainsFunc(r.chunks, func(chunk operations.Record) bool {
		n, ok := chunk.Sequence()
		return ok && n <= first
	})
}

// resumed reports whether a call that was made again shows that it continued.
func (r resumption) resumed(x *interrupted) bool {
	return proposal.Done(r.Reply) && !x.anew(r) && (len(r.chunks) > 0 || x.beyond(r))
}

// beyond reports whether the first progress of a resumption is more than all that there
// was up to the checkpoint.
func (x *interrupted) beyond(r resumption) bool {
	if len(r.tells) == 0 || x.done == 0 {
		return false
	}
	reached, ok := r.tells[0].Reached()
	return ok && reached > x.done
}

// params name the operation and the checkpoint.
func (x *interrupted) params() probe.Object {
	return probe.Object{"operation_id": x.id, "checkpoint_token": x.token}
}

// refuses expects a refusal as the proposals know it, whose record, where there is
// one, does not tell the client to try again. A call that is made again is refused by
// a server that reads the checkpoint; what others do with it is not the matter.
func (x *interrupted) refuses(r resumption, what string) error {
	x.NotSeenIf(r.HasCode(protocol.MethodNotFound), "the server resumes in no form, which ext-streaming/resume-continues judges")
	if r.again && !proposal.Declined(r.Reply) {
		x.NotSeenIf(!x.resume(x.params()).resumed(x), unread)
	}
	shown := x.Said.And(r.Reply)
	if !proposal.Declined(r.Reply) {
		return shown.Violation("%s, want a refusal such as -32602", r.AnswerTo("resume with "+what))
	}
	if record, place, ok := proposal.Record(r.Reply); ok && record["category"] != "invalid_input" && record["category"] != "permanent" {
		return shown.Violation(`the category of the record in %s is %s, want "invalid_input" or "permanent"`,
			place, probe.Show(record["category"])).AtMostWarn().Unless(proposal.Misrecorded(record))
	}
	return nil
}

// resume asks with the values that a case looks at. A call that was given up may take
// as long to stop as it takes at all; a server that says so has not looked at them yet.
func (x *interrupted) resume(values probe.Object) resumption {
	limit := time.Second + x.Role(resumable(x.Client)).Fields().Duration("duration", 0)
	return x.until(values, limit, func(r *probe.Reply) bool { return forNow(r) && proposal.StatedWait(r) <= limit })
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
		proposal.Pause(x.Client, max(wait, proposal.StatedWait(r.Reply)))
	}
}

// forNow reports whether a refusal says that it is for the moment only.
func forNow(r *probe.Reply) bool {
	record, _, ok := proposal.Record(r)
	return ok && !proposal.Done(r) && (record["category"] == "transient" || record["category"] == "rate_limited")
}

// unexplained reports whether a refusal does not say of which kind it is.
func unexplained(r *probe.Reply) bool {
	record, _, _ := proposal.Record(r)
	return proposal.Declined(r) && !slices.Contains(proposal.Categories(), probe.TextOf(record["category"]))
}
