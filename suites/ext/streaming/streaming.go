// Package streaming holds the cases of the streaming proposal: results that come
// piece by piece, and calls that are resumed behind a checkpoint.
package streaming

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-streaming",
		Title:     "results come piece by piece, and calls can be resumed",
		Extension: proposal.Extension("streaming"),
		Cases:     slices.Concat(chunks(), results(), several(), resuming(), refusals()),
	}
}

// refusing is a case about a resumption that has to be refused.
func refusing(slug, title string, id requirements.ID, fix string, run func(*interrupted) error) suite.Case {
	return bench.Case("ext-streaming/"+slug, title, id, fix, bench.After(checkpointed, run),
		suite.Either(suite.Role(roles.StreamTool), suite.Role(roles.SlowTool, "resumable")))
}

func refusals() []suite.Case {
	const badToken, missing = "ext-resume-bad-token", "ext-resume-required-params"
	const check = "compare a checkpoint with those that were handed out for the operation, and reject any other as invalid params"
	const both = "check that operation_id and checkpoint_token are there before anything is looked up"
	return []suite.Case{
		refusing("resume-unknown-token", "an unknown checkpoint is rejected", badToken, check,
			func(x *interrupted) error {
				return x.rejects(x.params().With("checkpoint_token", "kit-"+x.Nonce()), "a checkpoint that was never handed out")
			}),
		refusing("resume-altered-token", "a checkpoint with a changed character is rejected", badToken, check,
			func(x *interrupted) error {
				token, ok := altered(x.token)
				x.NotSeenIf(!ok || slices.Contains(x.tokens, token), "the checkpoint has no letter or digit to change")
				return x.rejects(x.params().With("checkpoint_token", token), "a checkpoint of which one character was changed")
			}),
		refusing("resume-foreign-token", "a checkpoint of another operation is rejected", badToken, check, foreignToken),
		refusing("resume-without-params", "resume without params is rejected", missing, both,
			func(x *interrupted) error {
				return x.rejects(probe.Object{}, "neither operation nor checkpoint")
			}),
		refusing("resume-without-token", "resume without a checkpoint is rejected", missing, both,
			func(x *interrupted) error {
				return x.rejects(x.params().Without("checkpoint_token"), "operation_id alone")
			}),
		refusing("resume-without-operation", "resume without an operation is rejected", missing, both,
			func(x *interrupted) error {
				return x.rejects(x.params().Without("operation_id"), "checkpoint_token alone")
			}),
		bench.Case("ext-streaming/resume-unknown-operation", "resume of an operation that does not exist is rejected",
			"ext-resume-unsupported-clear",
			"answer resume with -32601 if no call can be resumed, and with an error if this one cannot", unknownOperation),
	}
}

func (x *interrupted) rejects(values probe.Object, what string) error {
	return x.refuses(x.resume(values), what)
}

// altered changes one character in the middle: a letter to a digit and a digit to a
// letter, so that a token which is a plain count does not become another count.
func altered(token string) (string, bool) {
	for offset := range len(token) {
		i := (len(token)/2 + offset) % len(token)
		switch c := token[i]; {
		case c >= '0' && c <= '9':
			return token[:i] + "q" + token[i+1:], true
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			return token[:i] + "7" + token[i+1:], true
		}
	}
	return "", false
}

// Servers may count checkpoints by operation: then two have the same ones, and none
// is foreign.
func foreignToken(x *interrupted) error {
	var other *interrupted
	// What the first operation had still to say may come behind the second call.
	for tries := 0; other == nil || other.id == x.id && tries < 3; tries++ {
		other = checkpointed(x.Client)
	}
	x.NotSeenIf(other.id == x.id || slices.Contains(x.tokens, other.token),
		"two operations have the same checkpoints, so that none is foreign to the other")
	return x.rejects(x.params().With("checkpoint_token", other.token), "a checkpoint of another operation")
}

// A server that offers no checkpoints may not know the method at all. That an
// operation which never was is refused holds for the others, too.
func unknownOperation(c *probe.Client) error {
	reply := c.Call("resume", probe.Object{"operation_id": "kit-op-" + c.Nonce(), "checkpoint_token": "kit-" + c.Nonce()})
	if reply.HasCode(protocol.MethodNotFound) {
		return nil
	}
	return proposal.WantDeclined(reply)
}
