package errors

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func failures() []suite.Case {
	invalid := []suite.Need{suite.Role(roles.InvalidInput, "invalid-arguments")}
	return []suite.Case{
		provoked("code-stable", "the same failure has the same code each time", "ext-error-code-style",
			"name the cause in code, and put what differs from one time to the next into details", codeStable, suite.Role(roles.Failure, "tool")),
		provoked("invalid-arguments-category", "rejected arguments are told as invalid_input", "ext-error-invalid-arguments",
			"use the category invalid_input where other arguments would help, so that the model corrects its call", invalidArgumentsCategory,
			suite.Role(roles.InvalidInput, "invalid-arguments")),
		{
			ID:     "ext-structured-errors/invalid-arguments-readable",
			Title:  "rejected arguments are a tool result with isError, which the model reads",
			Checks: []requirements.ID{"ext-error-invalid-arguments"},
			Needs:  invalid,
			// Earlier revisions have a JSON-RPC error there.
			Revisions: []requirements.Revision{requirements.R20251125, requirements.R20260728},
			Fix:       "answer with isError: true and say in the content which argument is wrong",
			Run:       invalidArgumentsReadable,
		},
		provoked("unknown-tool-fails", "a call of an unknown tool ends in an error", "ext-error-unknown-tool",
			"look the tool up first, and answer error -32602 where there is none", unknownToolFails, suite.Capability("tools")),
		provoked("unknown-tool-category", "an unknown tool is told as invalid_input or permanent", "ext-error-unknown-tool",
			"look the tool up before rights and quotas: neither a login nor a repeat makes it exist", unknownToolCategory,
			suite.Capability("tools")),
		provoked("not-found-permanent", "what does not exist is told as permanent", "ext-error-not-found-permanent",
			"use RESOURCE_NOT_FOUND and permanent, since a client repeats what it takes for transient", notFoundPermanent,
			suite.Role(roles.Failure, "not-found")),
	}
}

func codeStable(c *probe.Client) error {
	var codes, categories []any
	var shown probe.Evidence
	for range 2 {
		reply := failingTool(c)
		found := toldOf(c, reply)
		codes, categories = append(codes, probe.Member(found.Record, "code")), append(categories, probe.Member(found.Record, "category"))
		shown = shown.And(reply)
	}
	if !probe.Same(categories[0], categories[1]) {
		c.Undecide("the tool failed for different causes: " + probe.Show(categories[0]) + ", then " + probe.Show(categories[1]))
	}
	if !probe.Same(codes[0], codes[1]) {
		return shown.Violation("the code of the second failure is %s, want %s as of the first", probe.Show(codes[1]), probe.Show(codes[0]))
	}
	return nil
}

// That there is a record at all is the rule of record-of-invalid-arguments. Whether a
// tool may accept arguments that the kit made up is for tools/inputs-validated-*.
func invalidArgumentsCategory(c *probe.Client) error {
	reply := invalidArguments(c)
	if err := proposal.WantDeclined(reply); err != nil {
		_, result := reply.Result()
		if result && c.Role(roles.InvalidInput).From("invalid-arguments") != roles.Config {
			c.Undecide("arguments that do not fit the input schema were not rejected: " + reply.Outcome())
		}
		return err
	}
	found := toldOf(c, reply)
	if found.Record["category"] != "invalid_input" {
		return reply.Violation("%s is %s, want invalid_input", name(found, "category"), probe.Show(probe.Member(found.Record, "category")))
	}
	return nil
}

func invalidArgumentsReadable(c *probe.Client) error {
	reply := invalidArguments(c)
	if reply.Message().Class != frame.Error {
		if proposal.WantDeclined(reply) != nil {
			c.Undecide("the arguments were not rejected: " + reply.Outcome())
		}
		return nil
	}
	if code, _ := reply.Code(); code == protocol.HeaderMismatch && c.Transport() == requirements.HTTP {
		// An argument that a header repeats is compared with it before the tool is looked at.
		c.Undecide("the call was rejected for its headers, before its arguments were looked at")
	}
	return reply.Violation("%s, want a result with isError", reply.AnswerTo("rejected arguments")).AtMostWarn()
}

// What the tools of the core protocol want is an error with one code; another
// failure is worth a warning. That there is an answer at all is a rule of theirs.
func unknownToolFails(c *probe.Client) error {
	reply := unknownTool(c)
	code, _ := reply.Code()
	switch {
	case code == protocol.InvalidParams:
		return nil
	case !reply.Answered() && reply.Status() < 400:
		c.Undecide(reply.AnswerTo("a call of an unknown tool") + ", which tools/unknown-name judges")
		return nil
	case reply.Message().Class == frame.Error, reply.ErrorFlag(), !reply.Answered():
		return reply.Violation("%s, want error %d", reply.AnswerTo("a call of an unknown tool"), protocol.InvalidParams).AtMostWarn()
	default:
		return reply.Violation("%s, want an error", reply.AnswerTo("a call of an unknown tool"))
	}
}

func unknownToolCategory(c *probe.Client) error {
	reply := unknownTool(c)
	found := toldOf(c, reply)
	if category := found.Record["category"]; category != "invalid_input" && category != "permanent" {
		return reply.Violation("%s is %s, want invalid_input or permanent", name(found, "category"), probe.Show(probe.Member(found.Record, "category")))
	}
	return nil
}

func notFoundPermanent(c *probe.Client) error {
	reply := callField(c, "not-found")
	found := toldOf(c, reply)
	remark(c, found)
	if code := probe.Member(found.Record, "code"); code != "RESOURCE_NOT_FOUND" {
		c.Note("the code is " + probe.Show(code) + "; the proposal lists RESOURCE_NOT_FOUND for this")
	}
	if found.Record["category"] != "permanent" {
		return reply.Violation("%s is %s, want permanent", name(found, "category"), probe.Show(probe.Member(found.Record, "category")))
	}
	return nil
}
