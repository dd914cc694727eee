package safety_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An offer maps each tool of a list to its annotations, one entry for each time the name
// is listed.
type offer map[string][]object

func (o offer) add(items []any) {
	for _, item := range items {
		tool, _ := item.(object)
		name, _ := tool["name"].(string)
		annotations, _ := tool["annotations"].(object)
		o[name] = append(o[name], annotations)
	}
}

// permits reports whether the kit may call a tool without a configuration. Either every
// entry says that it is read-only, and then destructiveHint means nothing; or test
// servers are known to use the name, and no entry warns.
func (o offer) permits(name string) bool {
	reads, warns := true, false
	for _, annotations := range o[name] {
		reads = reads && annotations["readOnlyHint"] == true
		warns = warns || annotations["destructiveHint"] == true
	}
	return reads || fixture.MatchString(name) && !warns
}

var fixture = regexp.MustCompile(`^(test_.*|slow_compute|failing_job|protocol_error_job|confirm_delete|multi_input|json_schema_2020_12_tool)$`)

// passive lists the methods whose changes end with the connection, and made-up methods.
// Look at the calls of a new suite before you add them here.
func passive(method string) bool {
	return slices.Contains([]string{
		"initialize", "server/discover", "ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list",
		"prompts/get", "resources/read", "completion/complete", "subscriptions/listen",
		"resources/subscribe", "resources/unsubscribe",
		"logging/setLevel", // of the kit's own session, and set back
		"get_manifest", "manifest/get", "capabilities", "permissions/check", "check_permissions", "can_execute", "recommend_servers", "ai_help",
	}, method) || strings.HasPrefix(method, "notifications/") || strings.HasPrefix(method, "kit") || strings.HasPrefix(method, "no/")
}

// judgeAll counts the problems of texts, and the calls of listed tools.
func (o offer) judgeAll(texts []string) (problems map[string]int, called int) {
	problems = map[string]int{}
	for _, text := range texts {
		if problem := o.judge(text); problem != "" {
			problems[problem]++
		}
		var m struct {
			Method string
			Params struct{ Name any }
		}
		if json.Unmarshal([]byte(text), &m) == nil && m.Method == "tools/call" {
			if name, ok := m.Params.Name.(string); ok && len(o[name]) > 0 {
				called++
			}
		}
	}
	return problems, called
}

// judge names the problem of a text that was sent; empty for a good text.
func (o offer) judge(text string) string {
	var message any
	if json.Unmarshal([]byte(text), &message) != nil {
		return o.unreadable(text)
	}
	all, batch := message.([]any)
	if !batch {
		all = []any{message}
	}
	for _, each := range all {
		m, _ := each.(object)
		method, _ := m["method"].(string)
		params, _ := m["params"].(object)
		if problem := o.asks(method, params); problem != "" {
			return problem
		}
	}
	return ""
}

// unreadable judges texts that are not JSON, which a generous server may still read.
func (o offer) unreadable(text string) string {
	if !strings.Contains(text, "tools/call") {
		return ""
	}
	for name := range o {
		if strings.Contains(text, `"`+name+`"`) && !o.permits(name) {
			return "a broken message names the tool " + name
		}
	}
	return ""
}

func (o offer) asks(method string, params object) string {
	switch method {
	case "", "tools/call":
		if method == "" {
			return "" // a response, or a message that no server acts upon
		}
		name, ok := params["name"].(string)
		if !ok {
			return ""
		}
		return o.calls(name, params)
	case "resume", "operations/resume", "operation/resume":
		return made("checkpoint_token", params)
	case "logging/setLevel":
		if _, named := params["level"]; !named {
			return "" // it names no level to set
		}
	}
	switch method {
	case "tasks/get", "tasks/list", "tasks/result", "tasks/cancel", "tasks/update":
		return "" // of tasks that the kit has made, whose ids nobody else knows
	}
	if passive(method) {
		return ""
	}
	if tool := extensionMethods()[method]; tool != "" {
		return bounded(method, tool, params)
	}
	return "the method " + method + " is called"
}

// calls judges the call of a tool.
func (o offer) calls(name string, params object) string {
	if _, listed := o[name]; listed {
		if !o.permits(name) {
			return "the tool " + name + " is called"
		}
		return ""
	}
	for listed := range o {
		// A server that ignores case runs the listed tool.
		if strings.EqualFold(strings.TrimSpace(name), listed) && !o.permits(listed) {
			return fmt.Sprintf("the tool %s is called as %q", listed, name)
		}
	}
	if !slices.Contains(likeMethods(), name) {
		return "" // a made-up name
	}
	arguments, _ := params["arguments"].(object)
	if passive(name) {
		return ""
	}
	return bounded("the tool "+name+", which is not listed", name, arguments)
}

// bounded lists methods that a server invites by its claim, and calls of them that
// change nothing: they ask for rights that nobody has, and open and end empty, made-up
// things.
func bounded(method, tool string, params object) string {
	switch tool {
	case "negotiate_scopes":
		requested, _ := params["requested_scopes"].([]any)
		for _, scope := range requested {
			if name, _ := scope.(string); !strings.HasPrefix(name, "nope:") {
				return fmt.Sprintf("%s requests %v", method, requested)
			}
		}
		return ""
	case "begin_transaction", "commit_transaction", "rollback_transaction":
		return made("transaction_id", params)
	case "subscribe", "unsubscribe":
		return made("subscription_id", params)
	}
	return method + " is called"
}

// made reports an id that the kit has not made up.
func made(name string, params object) string {
	id, ok := params[name].(string)
	if id = strings.ToLower(id); ok && id != "" && !strings.HasPrefix(id, "kit") {
		return fmt.Sprintf("%s is %q, which is not the kit's own", name, id)
	}
	return ""
}
