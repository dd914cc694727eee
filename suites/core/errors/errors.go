// Package errors holds the cases of basic/index#error-codes: which codes an error
// may have, and what methods that are not there are answered with.
package errors

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/declared"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "errors",
		Title: "errors have codes that mean what they say",
		Cases: slices.Concat(codeCases(), messageCases(), absentCases(), removedCases()),
	}
}

// codeCases watch the codes of all errors, whatever provoked them.
func codeCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "errors/reserved-codes",
			Title:  "codes from -32099 to -32020 are those that the specification defines",
			Checks: []requirements.ID{"errors-reserved-band-defined-only"},
			Fix:    "take codes of your own from outside -32768 to -32000",
			Sees:   "an error",
			Watch:  onCodes(reservedCodes),
		},
		{
			ID:     "errors/defined-codes",
			Title:  "the errors -32020, -32021 and -32022 answer what they are defined for",
			Checks: []requirements.ID{"errors-defined-codes-meaning"},
			Fix: "answer -32020 for headers over HTTP, -32021 for a client capability that the request does not declare, " +
				"and -32022 for a revision that is not served, and nothing else with them",
			Sees:  "an error",
			Watch: onCodes(definedCodes),
		},
		{
			ID:     "errors/no-former-not-found",
			Title:  "errors of other requests than resources/read have another code than -32002",
			Checks: []requirements.ID{"errors-no-32002"},
			Fix:    "answer -32602 for what does not exist",
			Sees:   "an error for anything but a resource",
			Watch:  onCodes(exceptReads(former(protocol.FormerNotFound))),
		},
		{
			ID:     "errors/missing-resource-code",
			Title:  "the error for a resource that does not exist has another code than -32002",
			Checks: []requirements.ID{"errors-no-32002"},
			Needs:  []suite.Need{suite.Capability("resources")},
			Fix:    "answer -32602 for a resource that does not exist",
			Run:    missingResource,
		},
		{
			ID:     "errors/no-former-url-elicitation",
			Title:  "no error has the code -32042",
			Checks: []requirements.ID{"errors-no-32042"},
			Fix:    "ask for a visit to a URL with an input_required result instead of an error",
			Sees:   "an error",
			Watch:  onCodes(former(protocol.FormerURLWanted)),
		},
		{
			ID:     "errors/own-codes",
			Title:  "codes from -32768 to -32100 are those of JSON-RPC",
			Checks: []requirements.ID{"errors-custom-codes-outside-range"},
			Fix:    "take codes of your own from outside -32768 to -32000",
			Sees:   "an error",
			Watch:  onCodes(ownCodes),
		},
	}
}

// onCodes judges errors that answer a request at the revision of the column. What is
// wrong with the rest of such a request does not matter.
func onCodes(judge func(m probe.Message, code int) probe.Opinion) func() probe.Watcher {
	return probe.OnEach(func(m probe.Message) probe.Opinion {
		if m.Class != frame.Error || m.Place != "$" || m.Frame.Truncated || m.Request.Meta(protocol.MetaVersion) != string(m.Revision) {
			return probe.Nothing()
		}
		number, _ := m.Value("/error/code").(json.Number)
		code, ok := frame.Integer(number.String())
		if !ok {
			return probe.Nothing() // jsonrpc/error-code-integer says it
		}
		return judge(m, code)
	})
}

func defined() []int {
	return []int{protocol.HeaderMismatch, protocol.MissingCapability, protocol.UnsupportedVersion}
}

// A code of an earlier revision that lies in the range is left to its own case.
func reservedCodes(m probe.Message, code int) probe.Opinion {
	switch {
	case code == protocol.FormerURLWanted:
		return probe.Nothing()
	case code < protocol.LowestOwn, code > protocol.HighestOwn, slices.Contains(defined(), code):
		return probe.Kept()
	}
	return probe.Breaks("%s is %d, want a code outside -32099 to -32020, or one that the specification defines", m.Where("/error/code"), code)
}

func former(given int) func(probe.Message, int) probe.Opinion {
	return func(m probe.Message, code int) probe.Opinion {
		if code == given {
			return probe.Breaks("%s is %d, a code of earlier revisions, want another", m.Where("/error/code"), code)
		}
		return probe.Kept()
	}
}

// exceptReads leaves errors about resources to errors/missing-resource-code, which asks
// for one.
func exceptReads(judge func(probe.Message, int) probe.Opinion) func(probe.Message, int) probe.Opinion {
	return func(m probe.Message, code int) probe.Opinion {
		if m.Request.Method == "resources/read" {
			return probe.Nothing()
		}
		return judge(m, code)
	}
}

// missingResource judges the former code alone: which error is due is a rule of the page
// on resources.
func missingResource(c *probe.Client) error {
	reply := c.Call("resources/read", nowhere(c))
	switch code, coded := reply.Code(); {
	case coded && code == protocol.FormerNotFound:
		return reply.Violation("$.error.code is %d, a code of earlier revisions, want %d", code, protocol.InvalidParams)
	case !coded:
		c.NotSeen("a resource that does not exist got no error: " + reply.Outcome())
	}
	return nil
}

func ownCodes(m probe.Message, code int) probe.Opinion {
	standard := []int{protocol.ParseError, protocol.InvalidRequest, protocol.MethodNotFound, protocol.InvalidParams, protocol.InternalError}
	if code >= protocol.LowestReserved && code < protocol.LowestOwn && !slices.Contains(standard, code) {
		return probe.Breaks("%s is %d, which JSON-RPC reserves, want a code of JSON-RPC or one outside -32768 to -32000",
			m.Where("/error/code"), code)
	}
	return probe.Kept()
}

// definedCodes holds a code against the request that it answers. Where the request
// gives a reason for it, or may do so, nothing is said.
func definedCodes(m probe.Message, code int) probe.Opinion {
	switch code {
	case protocol.HeaderMismatch:
		if m.Frame.Transport == requirements.Stdio {
			return probe.Breaks("%s is %d over stdio, where there are no headers, want another code", m.Where("/error/code"), code)
		}
		if plain(m) {
			return probe.Breaks("%s is %d, and the headers say what the request says, want another code", m.Where("/error/code"), code)
		}
	case protocol.UnsupportedVersion:
		if plain(m) {
			return probe.Breaks("%s is %d for %s, which is served, want another code", m.Where("/error/code"), code, m.Revision)
		}
	case protocol.MissingCapability:
		required, _ := m.Value("/error/data/requiredCapabilities").(map[string]any)
		if len(required) > 0 && covers(probe.ObjectOf(m.Request.Meta(protocol.MetaCapabilities)), required) {
			return probe.Breaks("%s is %d for %s, which the request declares, want another code",
				m.Where("/error/code"), code, probe.Show(required))
		}
	}
	return probe.Kept()
}

// plain reports whether a request is good, names nothing that a header repeats
// beside its method, and over HTTP has headers that repeat it exactly.
func plain(m probe.Message) bool {
	method, known := protocol.MethodOf(protocol.Client, m.Request.Method)
	if m.Frame.Malformed || !known || method.Named != "" {
		return false
	}
	if m.Frame.Transport != requirements.HTTP {
		return true
	}
	header := http.Header(m.Request.Header)
	return slices.Equal(header.Values(protocol.HeaderVersion), []string{string(m.Revision)}) &&
		slices.Equal(header.Values(protocol.HeaderMethod), []string{m.Request.Method}) && header.Get(protocol.HeaderName) == ""
}

// covers reports whether all that is required is declared. An elicitation without modes means
// forms, whether it is declared or required. What has the type of no capability requires nothing
// that anybody could declare.
func covers(declared, required map[string]any) bool {
	for name, wanted := range required {
		_, object := wanted.(map[string]any)
		if _, flag := wanted.(bool); !object && !flag {
			return false
		}
		given, ok := declared[name]
		if !ok || !covers(settings(name, given), settings(name, wanted)) {
			return false
		}
	}
	return true
}

func settings(capability string, v any) map[string]any {
	given := probe.ObjectOf(v)
	if capability == "elicitation" && len(given) == 0 {
		return map[string]any{"form": map[string]any{}}
	}
	return given
}

// absentCases ask for lists that the server does not declare.
func absentCases() []suite.Case {
	var rows []declared.Row
	for _, l := range []protocol.List{protocol.Tools(), protocol.Resources(), protocol.Prompts()} {
		rows = append(rows, declared.Row{
			ID: "errors/undeclared-" + l.Name, List: l,
			Title:  l.Method + " is an unknown method where " + l.Capability + " is not declared",
			Checks: []requirements.ID{"errors-unadvertised-capability"},
			Fix:    "answer error -32601 to " + l.Method + ", or declare the " + l.Capability + " capability",
		})
	}
	return declared.Unknown(rows...)
}

// removedCases ask for what 2026-07-28 has no more. The params do nothing where a
// server still serves it: they name no level, and a resource that nobody has.
func removedCases() []suite.Case {
	var rows []refusals.Row
	for _, row := range []struct {
		slug, method string
		params       func(c *probe.Client) probe.Object
	}{
		{"ping", "ping", func(*probe.Client) probe.Object { return nil }},
		{"set-level", "logging/setLevel", nil},
		{"subscribe", "resources/subscribe", nowhere},
		{"unsubscribe", "resources/unsubscribe", nowhere},
	} {
		rows = append(rows, refusals.Row{
			ID: "errors/removed-" + row.slug, Method: row.method, Params: row.params, Well: true, Judge: unknown,
			Title:  row.method + " is an unknown method",
			Checks: []requirements.ID{"errors-removed-methods"},
			Fix:    "answer error -32601 to " + row.method + " wherever the metadata of the request names 2026-07-28",
		})
	}
	return refusals.Cases(rows...)
}

func nowhere(c *probe.Client) probe.Object { return probe.Object{"uri": "test://no-such-" + c.Nonce()} }

// That an unknown method has this code and no other is the rule of
// jsonrpc/method-not-found; what is served is the slip here.
func unknown(_ *probe.Client, reply *probe.Reply) error {
	err := reply.WantError(protocol.MethodNotFound)
	switch {
	case reply.Status() == http.StatusNotFound && !reply.Answered():
		return nil
	case reply.Failed():
		return probe.AtMostWarn(err)
	}
	return err
}

// messageCases watch what else is said in place of an answer.
func messageCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "errors/message",
			Title:  "the message of an error is one short sentence",
			Checks: []requirements.ID{"errors-message-concise"},
			Fix:    "say in one line what is wrong, and put details, such as a list of problems, into data",
			Sees:   "an error",
			Watch:  probe.OnEach(message),
		},
		{
			ID:     "errors/no-former-notifications",
			Title:  "no notification is sent that the revision no longer has",
			Checks: []requirements.ID{"errors-no-legacy-notifications"},
			Fix:    "send modern clients only the notifications of their revision",
			Sees:   "a notification",
			Watch:  probe.OnBinding(formerNotifications),
		},
	}
}

// longest is how many characters count as short. Nobody gives a number; this is
// five lines of a terminal.
const longest = 400

// A message may repeat what it complains of, so what was sent is given free.
func message(m probe.Message) probe.Opinion {
	text, ok := m.Value("/error/message").(string)
	if m.Class != frame.Error || !ok || m.Request.Method == "" || m.Frame.Truncated {
		return probe.Nothing()
	}
	trimmed := strings.TrimSpace(text)
	sent := string(m.Request.Frame.Raw())
	length := utf8.RuneCountInString(text)
	broken := slices.ContainsFunc(probe.Texts(m.Request.Params()), func(sent string) bool { return strings.Contains(sent, "\n") })
	switch lines := strings.Count(trimmed, "\n") + 1; {
	case trimmed == "":
		return probe.Breaks("%s is %s, want a short sentence", m.Where("/error/message"), probe.Show(text))
	case lines > 1 && !broken:
		return probe.Breaks("%s has %d lines, want one short sentence: %s", m.Where("/error/message"), lines, probe.Show(text))
	case length > longest+len(sent):
		return probe.Breaks("%s has %d characters, want one short sentence: %s", m.Where("/error/message"), length, probe.Show(text))
	}
	return probe.Kept()
}

func formerNotifications(m probe.Message) probe.Opinion {
	if m.Class != frame.Notification {
		return probe.Nothing()
	}
	switch n, known := protocol.NotificationOf(m.Method); {
	case !known:
		return probe.Nothing() // an extension may have it
	case n.In(m.Revision):
		return probe.Kept()
	}
	return probe.Breaks("%s is %q, which %s does not have, want no such notification", m.Where("/method"), m.Method, m.Revision)
}
