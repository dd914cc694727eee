package multimodal

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// calling is a case about calls of the tool that takes binary data.
func calling(slug, title string, rule requirements.ID, fix string, run func(*giver) error, more ...suite.Need) suite.Case {
	needs := append([]suite.Need{suite.Role(roles.BinaryTool)}, more...)
	return bench.Case("ext-multimodal/"+slug, title, rule, fix, bench.After(begin, run), needs...)
}

func calls() []suite.Case {
	const accepted, encoding = "ext-multimodal-listed-accepted", "ext-multimodal-bad-encoding"
	return []suite.Case{
		calling("listed-accepted", "data of a listed type is accepted", accepted,
			"take what input_types list, or take the type out of the list", func(g *giver) error {
				return g.accepted(g.give(g.encoded(g.sample), g.mime), "the sample of "+g.mime)
			}),
		calling("half-accepted", "data of half the declared maximum is accepted", accepted,
			"count the bytes of the data and not those of its base64, and let the transport carry as much", halfAccepted),
		calling("oversize", "data beyond the declared maximum is refused, and the server answers further calls", "ext-multimodal-oversize",
			"declare the maximum in bytes, compare the length of the argument with it before decoding it, and answer with a tool error",
			oversize),
		calling("unlisted-handled", "a type that is not listed is tried, or refused", "ext-multimodal-hint-not-allowlist",
			"answer with a tool error where the data cannot be used", unlisted, suite.Role(roles.BinaryTool, "unlisted")),
		calling("output-declared", "what comes back is of a declared type", "ext-multimodal-output-declared",
			"list in output_types the types of all that the tool answers with", outputDeclared),
		calling("broken-base64-rejected", "an argument that is not base64 is rejected", encoding,
			"answer with a tool error of the category invalid_input where the argument cannot be decoded", brokenBase64),
		calling("truncated-handled", "truncated data has a tool error, or is taken as it is", encoding,
			"catch what the decoder of the data throws, and answer with a tool error", truncated),
	}
}

// A giver gives data to the tool of the role.
type giver struct {
	*bench.Bench
	argument, mime string
	sample         []byte
}

// begin reads the sample: the file of the role, or what its arguments hold already.
func begin(c *probe.Client) *giver {
	role := c.Role(roles.BinaryTool)
	g := &giver{Bench: bench.New(c), argument: role.Fields().Text("argument"), mime: role.Fields().Text("mime")}
	g.ToolCall = role.Call()
	if path := role.Fields().Text("sample"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			c.Unfilled(roles.BinaryTool, "roles.binary-tool.sample cannot be read: "+err.Error())
		}
		g.sample = data
	} else if data, err := base64.StdEncoding.DecodeString(probe.TextOf(g.ToolCall.Arguments[g.argument])); err == nil {
		g.sample = data
	}
	if len(g.sample) == 0 {
		c.Unfilled(roles.BinaryTool, "roles.binary-tool has no sample, nor base64 in the argument")
	}
	return g
}

func (*giver) encoded(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// give calls the tool with a text in place of the data, and states its type.
func (g *giver) give(text, mime string) *probe.Reply {
	call := *g.ToolCall
	call.Arguments = call.Arguments.With(g.argument, text)
	meta := probe.Object{}
	if mime != "" {
		meta["content_type"] = mime
	}
	reply := g.MakeCall(bench.Call{Tool: &call, Meta: meta})
	g.Permitted(&call, reply)
	return reply
}

// padded is the sample with bytes behind it that add up to a length.
func (g *giver) padded(length int) []byte {
	g.NotSeenIf(len(g.sample) > length,
		fmt.Sprintf("the sample of roles.binary-tool has %d bytes, and the case needs %d", len(g.sample), length))
	return append(slices.Clone(g.sample), bytes.Repeat([]byte{0}, length-len(g.sample))...)
}

// accepted expects that no call is refused for the type or the size of its data: the tool
// may find something else amiss in it.
func (g *giver) accepted(reply *probe.Reply, what string) error {
	if proposal.Done(reply) {
		return nil
	}
	if !proposal.Declined(reply) {
		return reply.Violation("%s, want a result, or a refusal that is about something else than type and size",
			reply.AnswerTo("the call with "+what))
	}
	record, _, _ := proposal.Record(reply)
	said := strings.ToLower(reply.Outcome() + " " + reply.TextContent() + " " + probe.TextOf(record["code"]))
	for _, word := range []string{
		"payload_too_large", "too large", "too big", "too long", "exceed", "size limit", "maximum size", "larger than", "unsupported",
		"not supported", "content type", "mime", "media type",
	} {
		if strings.Contains(said, word) || reply.Status() == 413 {
			return reply.Violation("%s, want a result: the type is listed and the size is within the maximum", reply.AnswerTo("the call with "+what))
		}
	}
	g.Note("the call with " + what + " is refused for another reason than type and size: " + reply.Outcome())
	return nil
}

// halfAccepted also tries the very maximum, which may be counted in other ways.
func halfAccepted(g *giver) error {
	limit := most(g.Client)
	half := limit / 2 // its base64 is within the maximum too
	g.Must(g.accepted(g.give(g.encoded(g.padded(half)), g.mime), fmt.Sprintf("%d bytes, of %d that are allowed,", half, limit)))
	if whole := g.give(g.encoded(g.padded(limit)), g.mime); !proposal.Done(whole) {
		g.Note("data of exactly max_input_size_bytes is refused: is the base64 counted, or the whole request?")
	}
	return nil
}

func oversize(g *giver) error {
	limit := most(g.Client)
	usual := g.give(g.encoded(g.sample), g.mime)
	g.Require(proposal.WantDone(usual), "the call with the sample had no result, which ext-multimodal/listed-accepted judges")
	if size := len(g.sample); size > limit {
		return usual.Violation("a sample of %d bytes is taken, and max_input_size_bytes is %d, want a refusal, or the maximum that is meant",
			size, limit)
	}
	reply := g.give(g.encoded(g.padded(limit+1)), g.mime)
	if err := proposal.WantDeclined(reply); err != nil {
		return reply.Violation("%s, want a refusal", reply.AnswerTo(fmt.Sprintf("the call with %d bytes, one more than the maximum,", limit+1)))
	}
	if after := g.give(g.encoded(g.sample), g.mime); !after.Answered() {
		return g.Said.Violation("%s, want an answer as before", after.AnswerTo("the call with the sample, after one that was refused,"))
	}
	return g.category(reply)
}

// category warns of a record that says something else than that the input is wrong.
func (g *giver) category(reply *probe.Reply) error {
	record, place, ok := proposal.Record(reply)
	if ok && record["category"] != "invalid_input" && record["code"] != "PAYLOAD_TOO_LARGE" {
		return reply.Violation("category of the record in %s is %s, want invalid_input", place, probe.Show(record["category"])).AtMostWarn().
			Unless(proposal.Misrecorded(record))
	}
	return nil
}

// unlisted gives the file of the role, or a small picture under the other type.
func unlisted(g *giver) error {
	other := g.Role(roles.BinaryTool).Fields().At("unlisted")
	data := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
	if path := other.Text("sample"); path != "" {
		read, err := os.ReadFile(path)
		if err != nil {
			g.Unfilled(roles.BinaryTool, "roles.binary-tool.unlisted.sample cannot be read: "+err.Error())
		}
		data = read
	}
	reply := g.give(g.encoded(data), other.Text("mime"))
	if proposal.Done(reply) || proposal.Declined(reply) {
		return nil
	}
	return reply.Violation("%s, want a result or a refusal", reply.AnswerTo("the call with "+other.Text("mime")+", which is not listed,"))
}

// outputDeclared expects that something of what came back is of a declared type: a text
// for people may come beside it.
func outputDeclared(g *giver) error {
	declared := probe.Strings(signature(g.Client)["output_types"])
	g.NotSeenIf(len(declared) == 0, "the tool of roles.binary-tool declares no output_types")
	g.NotSeenIf(g.ExtensionProblem("multimodal", "MimeTypes", "/output_types", signature(g.Client)["output_types"]) != "",
		"output_types are not MIME types, which ext-multimodal/types-syntax judges")
	reply := g.give(g.encoded(g.sample), g.mime)
	g.Require(proposal.WantDone(reply), "the call with the sample had no result, which ext-multimodal/listed-accepted judges")
	result, _ := reply.Result()
	came := types(result)
	g.NotSeenIf(len(came) == 0, "the answer has no content of a known type")
	for _, mime := range came {
		if slices.ContainsFunc(declared, func(pattern string) bool { return within(mime, pattern) }) {
			return nil
		}
	}
	return reply.Violation("the answer holds %s, and output_types are %s, want one of them", strings.Join(came, " and "), probe.Show(declared))
}

// types are those of what a result holds. Text may be of any type that is text.
func types(result map[string]any) []string {
	var all []string
	if result["structuredContent"] != nil {
		all = append(all, "application/json")
	}
	for _, item := range probe.ArrayOf(result["content"]) {
		block := probe.ObjectOf(item)
		mime := probe.TextOf(block["mimeType"])
		if block["type"] == "resource" {
			mime = probe.TextOf(probe.ObjectOf(block["resource"])["mimeType"])
		}
		if text, ok := block["text"].(string); ok && block["type"] == "text" {
			if mime = "text/*"; frame.Read([]byte(text)).Class != frame.NotJSON {
				all = append(all, "application/json")
			}
		}
		if mime != "" {
			all = append(all, mime)
		}
	}
	return all
}

// within reports whether a type is one that a pattern names. Much that is text has a type
// under application.
func within(mime, pattern string) bool {
	plain := func(s string) string {
		base, _, _ := strings.Cut(s, ";")
		return strings.ToLower(strings.TrimSpace(base))
	}
	mime, pattern = plain(mime), plain(pattern)
	kind, sub, _ := strings.Cut(pattern, "/")
	switch {
	case mime == pattern, kind == "*", sub == "*" && strings.HasPrefix(mime, kind+"/"):
		return true
	case mime == "text/*":
		return kind == "text" || kind == "application" && !slices.Contains([]string{"octet-stream", "pdf", "zip", "json"}, sub)
	}
	return false
}

func brokenBase64(g *giver) error {
	usual := g.give(g.encoded(g.sample), g.mime)
	g.Require(proposal.WantDone(usual), "the call with the sample had no result, which ext-multimodal/listed-accepted judges")
	reply := g.give("%%%", g.mime)
	if err := proposal.WantDeclined(reply); err != nil {
		return reply.Violation("%s, want a refusal", reply.AnswerTo("the call with %%% in place of base64"))
	}
	return g.category(reply)
}

// truncated may be taken by a tool that keeps data as it is.
func truncated(g *giver) error {
	reply := g.give(g.encoded(g.sample[:len(g.sample)/2]), g.mime)
	if proposal.Done(reply) {
		g.Note("half of the sample is taken like the whole of it")
		return nil
	}
	if proposal.Declined(reply) {
		return g.category(reply)
	}
	return reply.Violation("%s, want a refusal", reply.AnswerTo("the call with half of the sample"))
}
