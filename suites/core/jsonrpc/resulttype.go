package jsonrpc

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The types of results that the core protocol knows, and that of the tasks
// extension.
const (
	complete      = "complete"
	inputRequired = "input_required"
	task          = "task"

	tasksExtension    = "io.modelcontextprotocol/tasks"
	dashdashExtension = "io.github.visionik/dashdash"
)

// resultTypeCases watch how results are labelled.
func resultTypeCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-type-present",
			Title:  "every result says of which type it is",
			Checks: []requirements.ID{"jsonrpc-result-type-present"},
			Fix:    `put "resultType": "complete" into every finished result, empty ones included`,
			Watch:  resultTypes(resultTypePresent),
		},
		{
			ID:     "jsonrpc/result-type-known",
			Title:  "the type of a result is one that both sides know",
			Checks: []requirements.ID{"jsonrpc-result-type-known"},
			Fix:    "use complete or input_required, and the type of an extension only where the request declares it",
			Watch:  resultTypes(resultTypeKnown),
		},
		{
			ID:     "jsonrpc/result-type-complete",
			Title:  "a result with its final content is labelled complete",
			Checks: []requirements.ID{"jsonrpc-result-type-complete"},
			Fix:    "label a result complete when nothing is left to ask for",
			Watch:  resultTypes(resultTypeComplete),
		},
	}
}

// resultTypes judges the results that answer well-formed modern requests. A
// server of both eras answers others in the older form.
func resultTypes(r rule) func() probe.Watcher {
	judge := func(m message) (bool, string) {
		request := m.seen.Request.Method
		if m.Class != frame.Result || m.seen.Malformed || request == "" || request == "initialize" {
			return false, ""
		}
		if _, ok := m.member("/result").(map[string]any); !ok {
			return false, ""
		}
		return r(m)
	}
	return func() probe.Watcher { return &modernOnly{reader: newReader(), judge: judge} }
}

func resultTypePresent(m message) (bool, string) {
	kind := m.member("/result/resultType")
	if _, ok := kind.(string); !ok {
		return true, ".result.resultType is " + probe.Show(kind) + ", want a string"
	}
	return true, ""
}

func resultTypeKnown(m message) (bool, string) {
	kind, ok := m.member("/result/resultType").(string)
	switch {
	case !ok:
		return false, ""
	case kind == complete, kind == inputRequired, kind == task && tasksAgreed(m.seen):
		return true, ""
	case foreignExtension(m.seen):
		return false, "" // it may define the value
	}
	return true, ".result.resultType is " + probe.Show(kind) + ", want complete, input_required or the type of an extension that both sides declared"
}

// tasksAgreed reports whether the request and the server both declare tasks.
func tasksAgreed(s probe.Seen) bool {
	meta, _ := s.Request.Params["_meta"].(map[string]any)
	client, _ := meta[probe.MetaCapabilities].(map[string]any)
	return extensions(client)[tasksExtension] != nil && offered(s)[tasksExtension] != nil
}

// foreignExtension reports whether the server has an extension whose types the
// kit does not know.
func foreignExtension(s probe.Seen) bool {
	for name := range offered(s) {
		if name != tasksExtension && name != dashdashExtension && !strings.HasPrefix(name, probe.ExtensionPrefix) {
			return true
		}
	}
	return false
}

func offered(s probe.Seen) map[string]any {
	if s.Survey == nil {
		return nil
	}
	return extensions(s.Survey.Capabilities)
}

func extensions(capabilities map[string]any) map[string]any {
	all, _ := capabilities["extensions"].(map[string]any)
	return all
}

func resultTypeComplete(m message) (bool, string) {
	final := map[string]string{
		"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates",
		"prompts/list": "prompts", "tools/call": "content", "resources/read": "contents",
		"prompts/get": "messages", "server/discover": "supportedVersions",
	}[m.seen.Request.Method]
	kind, _ := m.member("/result/resultType").(string)
	_, holds := m.member("/result/" + final).([]any)
	if final == "" || !holds || !slices.Contains([]string{complete, inputRequired}, kind) {
		return false, ""
	}
	// Results are open objects: one that asks for something may hold anything
	// beside its questions.
	_, asks := m.At("/result/inputRequests")
	_, waits := m.At("/result/requestState")
	if kind == inputRequired && !asks && !waits {
		return true, ".result.resultType is input_required, and it holds " + final + " and asks for nothing, want complete"
	}
	return true, ""
}
