package errors

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func carriers() []suite.Case {
	return []suite.Case{
		provoked("record-of-failure", "a tool that fails puts a record beside its error", "ext-error-where",
			"write the record into _meta.error of the result, which says isError: true and what went wrong as before", told(failingTool, true),
			suite.Role(roles.Failure, "tool")),
		provoked("record-of-invalid-arguments", "rejected arguments come with a record", "ext-error-where",
			"build the record where arguments are checked, which is often in the SDK and not in the tool", told(invalidArguments, false),
			suite.Role(roles.InvalidInput, "invalid-arguments")),
		provoked("record-of-unknown-tool", "the errors for an unknown tool and of the methods of extensions have a record in their data",
			"ext-error-where",
			"write the record into error.data of each JSON-RPC error, those of the dispatcher included", errorsRecorded,
			suite.Capability("tools")),
		provoked("record-of-unknown-resource", "the error for an unknown resource has a record in its data", "ext-error-where",
			"write the record into error.data of each JSON-RPC error, beside what the protocol has there", elsewhere(unknownResource),
			suite.Capability("resources")),
		provoked("record-of-unknown-prompt", "the error for an unknown prompt has a record in its data", "ext-error-where",
			"write the record into error.data of each JSON-RPC error, whichever method it answers", elsewhere(unknownPrompt),
			suite.Capability("prompts")),
	}
}

// failingTool makes a call that the configuration says fails.
func failingTool(c *probe.Client) *probe.Reply {
	return c.CallTool(c.Role(roles.Failure).Call(), nil)
}

// callField makes a call that a field of the role failure holds.
func callField(c *probe.Client, field string) *probe.Reply {
	return c.CallTool(c.Role(roles.Failure).Field(field), nil)
}

func invalidArguments(c *probe.Client) *probe.Reply {
	return c.CallTool(c.Role(roles.InvalidInput).Call().Using("invalid-arguments"), nil)
}

// unknownTool calls what no server has.
func unknownTool(c *probe.Client) *probe.Reply {
	return c.Call("tools/call", probe.Object{"name": "no_such_tool_" + c.Nonce(), "arguments": probe.Object{}})
}

func unknownResource(c *probe.Client) *probe.Reply {
	return c.Call("resources/read", probe.Object{"uri": "test://no-such-" + c.Nonce()})
}

func unknownPrompt(c *probe.Client) *probe.Reply {
	return c.Call("prompts/get", probe.Object{"name": "no_such_prompt_" + c.Nonce()})
}

// elsewhere is told for an error that has nothing to do with tools. Where that for an unknown tool, or of
// a method of an extension, has no record either, it is one slip.
func elsewhere(provoke func(*probe.Client) *probe.Reply) func(*probe.Client) error {
	return func(c *probe.Client) error {
		reply := provoke(c)
		c.UndecideIf(reply.Message().Class != frame.Error, reply.AnswerTo("a request for what there is not")+", and is not judged here")
		again := func(*probe.Client) *probe.Reply { return reply }
		return probe.Unless(told(again, false)(c), probe.Elsewhere{
			Case: "ext-structured-errors/record-of-unknown-tool", Why: "other JSON-RPC errors have no record either",
		})
	}
}

// told makes a case of something that fails: it expects a record on the failure. The first such case is
// the one that judges a server whose tools never tell a record.
func told(provoke func(*probe.Client) *probe.Reply, first bool) func(*probe.Client) error {
	return func(c *probe.Client) error {
		reply := provoke(c)
		found, ok := of(c, reply)
		switch {
		case ok && reply.Message().Class == frame.Result && !reply.ErrorFlag() && successful(reply, found):
			result, _ := reply.Result()
			return reply.Violation("$.result.isError is %s, want true beside the record in %s",
				probe.Show(probe.Member(result, "isError")), found.Place)
		case ok:
			if reply.Message().Class == frame.Result && !reply.ErrorFlag() {
				c.Note("the record stands in a result that is not marked with isError, an older form, which tools/failure-flagged judges")
			}
			remark(c, found)
			return nil
		case !reply.Answered() || reply.Message().Class == frame.Result && !reply.ErrorFlag():
			c.Undecide(reply.AnswerTo("the call that has to fail") +
				"; where it does not fail, the roles failure and invalid-input name calls that do")
			return nil
		case !first && failsBare(c):
			c.NotSeen("a tool that fails tells no record either, which ext-structured-errors/record-of-failure judges")
			return nil
		case reply.ErrorFlag():
			return reply.Violation("$.result has no record in any place, want one in _meta.error")
		default:
			return reply.Violation("$.error has no record in any place, want one in data")
		}
	}
}

// failsBare reports whether the call of roles.failure, where the role is filled, fails without a
// record.
func failsBare(c *probe.Client) bool {
	if _, filled := c.Role(roles.Failure).Fields().Call(); !filled {
		return false
	}
	reply := failingTool(c)
	_, recorded := of(c, reply)
	return reply.ErrorFlag() && !recorded
}

// successful reports whether a result that is not marked as an error holds more than
// the record, so that a client takes it for a success.
func successful(reply *probe.Reply, found proposal.Told) bool {
	result, _ := reply.Result()
	rest := maps.Clone(result)
	delete(rest, "_meta")
	place, _, _ := strings.Cut(found.Place, ".")
	switch {
	case strings.HasPrefix(found.Place, "the JSON of"):
		delete(rest, "content")
	case place == "result":
		delete(rest, "error")
	case place == "structuredContent":
		delete(rest, "structuredContent")
		delete(rest, "content")
	}
	for _, name := range []string{"content", "structuredContent", "result"} {
		if held, ok := rest[name]; ok && !probe.Same(held, []any{}) && held != nil {
			return true
		}
	}
	return false
}

// remark says what the reader should know of a record and no rule forbids: that it
// stands in an older place, what it asks of people, and where it sends them.
func remark(c *probe.Client, told proposal.Told) {
	canonical := told.Place == "error.data" || strings.HasPrefix(told.Place, "_meta")
	if !canonical {
		c.Note("the record stands in " + told.Place + ", an older form; the canonical places are result._meta.error and error.data")
	}
	if told.Record["user_actionable"] == true {
		text, _ := told.Record["message"].(string)
		if suggestion, ok := told.Record["suggestion"].(string); ok {
			text += " " + suggestion
		}
		c.Note("for the user: " + text)
	}
	if at, err := url.Parse(probe.TextOf(told.Record["documentation_url"])); err == nil && at.Hostname() != "" {
		if own := hosts(c); len(own) > 0 && !slices.Contains(own, at.Hostname()) {
			c.Note("documentation_url leads to " + at.Hostname() + ", a host that the server does not name as its own")
		}
	}
}

// hosts are those that the server is known by.
func hosts(c *probe.Client) []string {
	s := c.Survey()
	links := []any{s.ServerInfo["websiteUrl"]}
	if known := s.Manifest.Load(); known != nil {
		links = append(links, probe.ObjectOf(known.Document["server"])["homepage"])
	}
	var all []string
	if s.Given.Host != "" {
		all = append(all, s.Given.Host)
	}
	for _, link := range links {
		if at, err := url.Parse(probe.TextOf(link)); err == nil && at.Hostname() != "" {
			all = append(all, at.Hostname())
		}
	}
	return all
}

// toldOf is the record of a reply; without one there is nothing to judge, which
// another case says.
func toldOf(c *probe.Client, reply *probe.Reply) proposal.Told {
	found, ok := of(c, reply)
	c.UndecideIf(!ok, "the answer has no record: "+reply.Outcome())
	return found
}

func undeclared() []suite.Case {
	return []suite.Case{
		provoked("plain-client-reads-failure", "a client that does not declare the extension is told of a tool that fails",
			"ext-error-readable-without",
			"add the record to the error of the protocol, never put it in its place", readable(failingTool), suite.Role(roles.Failure, "tool")),
		provoked("plain-client-reads-error", "a client that does not declare the extension gets the error for an unknown tool",
			"ext-error-readable-without",
			"keep code and message of the JSON-RPC error whether or not data holds a record", readable(unknownTool), suite.Capability("tools")),
	}
}

// readable makes a case of something that fails: a client that knows nothing of the
// extension has to see that it did, and read why.
func readable(provoke func(*probe.Client) *probe.Reply) func(*probe.Client) error {
	return func(c *probe.Client) error {
		// What does not fail at all says nothing about plain clients.
		with := provoke(c)
		c.UndecideIf(with.Message().Class != frame.Error && !with.ErrorFlag(),
			with.AnswerTo("the call that has to fail")+", so that there is nothing to compare with")
		reply := provoke(c.Undeclared())
		shown := probe.Shown(with, reply)
		_, coded := reply.Code()
		message, _ := reply.At("/error/message")
		text, _ := message.(string)
		switch {
		case reply.Message().Class == frame.Error && (!coded || strings.TrimSpace(text) == ""):
			return shown.Violation("without the declaration $.error is %s, want an integer code and a message",
				probe.Show(reply.Message().Members["error"])).Unless(uncoded(with))
		case reply.Message().Class == frame.Error:
			return nil
		case !reply.ErrorFlag():
			return shown.Violation("%s, want isError, or a JSON-RPC error", reply.AnswerTo("the same call without the declaration"))
		case strings.TrimSpace(reply.TextContent()) == "":
			return shown.Violation("without the declaration $.result has isError and no text, want what went wrong")
		}
		return nil
	}
}

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
	c.UndecideIf(!probe.Same(categories[0], categories[1]),
		"the tool failed for different causes: "+probe.Show(categories[0])+", then "+probe.Show(categories[1]))
	if !probe.Same(codes[0], codes[1]) {
		return shown.Violation("the code of the second failure is %s, want %s as of the first", probe.Show(codes[1]), probe.Show(codes[0]))
	}
	return nil
}

// That there is a record at all is the rule of record-of-invalid-arguments. Whether a
// tool may accept arguments that the kit made up is for tools/inputs-validated-*.
func invalidArgumentsCategory(c *probe.Client) error {
	reply := invalidArguments(c)
	c.UndecideIf(proposal.WantDeclined(reply) != nil, "the arguments were not rejected, which the cases of tools/ judge: "+reply.Outcome())
	return wantCategory(reply, toldOf(c, reply), "invalid_input")
}

// wantCategory expects one of the categories in the record of a reply.
func wantCategory(reply *probe.Reply, told proposal.Told, want ...string) error {
	category := probe.Member(told.Record, "category")
	if text, ok := category.(string); ok && slices.Contains(want, text) {
		return nil
	}
	broken := reply.Violation("%s is %s, want %s", name(told, "category"), probe.Show(category), strings.Join(want, " or "))
	switch text := probe.TextOf(category); {
	case category == any(probe.Absent{}):
		return broken.Unless(probe.Elsewhere{Case: "ext-structured-errors/category-present", Why: "records have no category"})
	case !slices.Contains(proposal.Categories(), text):
		return broken.Unless(probe.Elsewhere{Case: "ext-structured-errors/category-known", Why: "the category is none that there is"})
	}
	return broken
}

func invalidArgumentsReadable(c *probe.Client) error {
	reply := invalidArguments(c)
	if reply.Message().Class != frame.Error {
		c.UndecideIf(proposal.WantDeclined(reply) != nil, "the arguments were not rejected: "+reply.Outcome())
		return nil
	}
	// An argument that a header repeats is compared with it before the tool is looked at.
	c.UndecideIf(reply.HasCode(protocol.HeaderMismatch) && c.Transport() == requirements.HTTP,
		"the call was rejected for its headers, before its arguments were looked at")
	return reply.Violation("%s, want a result with isError", reply.AnswerTo("rejected arguments")).AtMostWarn().
		Unless(probe.Elsewhere{Case: "tools/invalid-arguments-tool-error", Why: "arguments that do not fit are answered with an error"})
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
		return reply.Violation("%s, want error %d", reply.AnswerTo("a call of an unknown tool"), protocol.InvalidParams).AtMostWarn().
			Unless(uncoded(reply)).Unless(ofNoFreeCode(code))
	default:
		return reply.Violation("%s, want an error", reply.AnswerTo("a call of an unknown tool"))
	}
}

// uncoded tells which watcher judges the code of an error that has no number as its code.
func uncoded(reply *probe.Reply) probe.Elsewhere {
	value, given := reply.At("/error/code")
	_, coded := reply.Code()
	switch {
	case coded || reply.Message().Class != frame.Error:
		return probe.Elsewhere{}
	case given:
		return probe.Elsewhere{Case: "jsonrpc/error-code-integer", Why: "the code of the error is " + probe.Show(value)}
	}
	return probe.Elsewhere{Case: "jsonrpc/error-shape", Why: "the error has no code"}
}

// ofNoFreeCode tells which watcher judges a code that is not free; its case is empty for other codes.
func ofNoFreeCode(code int) probe.Elsewhere {
	at := ""
	switch {
	case code == protocol.FormerURLWanted:
		at = "errors/no-former-url-elicitation"
	case code == protocol.FormerNotFound:
		at = "errors/no-former-not-found"
	case slices.Contains(defined(), code):
		at = "errors/defined-codes"
	case kept(code):
		at = "errors/reserved-codes"
	}
	return probe.Elsewhere{Case: at, Why: fmt.Sprintf("errors have the code %d", code)}
}

func unknownToolCategory(c *probe.Client) error {
	reply := unknownTool(c)
	return wantCategory(reply, toldOf(c, reply), "invalid_input", "permanent")
}

func notFoundPermanent(c *probe.Client) error {
	reply := callField(c, "not-found")
	found := toldOf(c, reply)
	remark(c, found)
	if code := probe.Member(found.Record, "code"); code != "RESOURCE_NOT_FOUND" {
		c.Note("the code is " + probe.Show(code) + "; the proposal lists RESOURCE_NOT_FOUND for this")
	}
	return wantCategory(reply, found, "permanent")
}
