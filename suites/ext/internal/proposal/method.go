package proposal

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A Method is one of an extension's own, in the forms in which servers offer it: as
// a JSON-RPC method under its own or an older name, or as a tool that takes the
// params as its arguments.
type Method struct {
	Extension string
	Name      string   // the canonical one
	Aliases   []string // older names of the method
	// Diagrammed are names that the text and the diagrams of the proposal use. They are
	// tried as methods where the server claims the extension by name.
	Diagrammed []string
	Tools      []string // names as a tool
	// Harmless tools are also called where the server does not claim the extension
	// by name, unless it lists them and not as read-only. Other names are ordinary
	// ones, which servers of all kinds use, and are never called on suspicion. A
	// listed tool that is not marked as read-only is called only if the configuration
	// asks for it.
	Harmless bool
	// Claimed: the server claims the extension by name, whether or not its suite is
	// among those that run.
	Claimed bool
}

// An Answer is what a method gave, whatever its form.
type Answer struct {
	*probe.Reply
	Value   any            // the payload
	Object  map[string]any // the payload where it is an object, else nil
	Form    string         // the name that was called, after "M:" or "T:"
	Unknown bool           // the server offers the method in no form
}

// Tool reports whether the method is offered as a tool, and whether that is listed.
func (a Answer) Tool(c *probe.Client) (called, listed bool) {
	name, called := strings.CutPrefix(a.Form, "T:")
	return called, called && Lists(c, name)
}

// Ask calls the method in the form in which the server offers it, which is learned
// with the first call. A method that is offered in no form gives an answer that
// says so.
func (m Method) Ask(c *probe.Client, params probe.Object, options ...probe.Option) Answer {
	var last *probe.Reply
	form := c.Learn("form:"+m.Extension+"/"+m.Name, func() (form string) {
		forms := m.forms(c)
		answer := m.asking(c, forms, params, options)
		var away, canonical *probe.Reply
		for _, form := range forms {
			last = answer(form)
			if form == "M:"+m.Name {
				canonical = last
			}
			if !unknown(c, last, form) {
				return form
			}
			if turnedAway(last) {
				away = last
			}
		}
		if away != nil {
			c.Undecide("the answer to " + m.Name + " is " + away.Outcome() + ", which does not say whether the server has it")
		}
		last = canonical // the last form may be a tool, whose absence is told otherwise
		return ""
	})
	if last == nil {
		asked := form
		if asked == "" {
			asked = "M:" + m.Name
		}
		last = m.send(c, asked, params, options)
	}
	if tool := m.withheld(c); form == "" && tool != "" {
		c.Undecide("the server has a tool " + tool + " that is not marked as read-only, which may be " + m.Name +
			"; with claims: [" + m.Extension + "] in the configuration it is called")
	}
	a := Answer{Reply: last, Form: form, Unknown: form == ""}
	a.Value = payload(last, form)
	a.Object, _ = a.Value.(map[string]any)
	return a
}

// NoteForm says that the server offers the method in an older form, or as a tool
// that it does not list, which is worth a warning.
func (m Method) NoteForm(c *probe.Client, a Answer) error {
	called, listed := a.Tool(c)
	name := strings.TrimPrefix(strings.TrimPrefix(a.Form, "M:"), "T:")
	switch {
	case a.Unknown:
	case called && !listed:
		return a.Violation("%s is offered as the tool %q, which tools/list does not have; the canonical form is the method %s",
			m.Name, name, m.Name).AtMostWarn()
	case called:
		c.Note(m.Name + " is offered as the tool " + name + "; the canonical form is the method " + m.Name)
	case name != m.Name:
		c.Note(m.Name + " is offered as " + name + ", an older name")
	}
	return nil
}

// forms are the ways to call the method, in the order in which they are tried. The
// configuration may say which of them it is.
func (m Method) forms(c *probe.Client) []string {
	pinned := c.Learn("method:"+m.Extension, func() string { return "" })
	forms := []string{"M:" + m.Name}
	for _, alias := range m.names(c) {
		forms = append(forms, "M:"+alias)
	}
	for _, tool := range m.Tools {
		if pinned != "" || m.claimed(c) && !m.guarded(c, tool) || m.Harmless && harmless(c, tool) {
			forms = append(forms, "T:"+tool)
		}
	}
	return slices.DeleteFunc(forms, func(form string) bool { return pinned != "" && !strings.HasPrefix(form, pinned) })
}

// names are the further names of the method that are tried.
func (m Method) names(c *probe.Client) []string {
	if m.claimed(c) {
		return slices.Concat(m.Aliases, m.Diagrammed)
	}
	return m.Aliases
}

// Tried says in which forms a method that is unknown was asked for.
func (m Method) Tried(c *probe.Client) string {
	var methods, tools []string
	for _, form := range m.forms(c) {
		if tool, ok := strings.CutPrefix(form, "T:"); ok {
			tools = append(tools, tool)
		} else {
			methods = append(methods, strings.TrimPrefix(form, "M:"))
		}
	}
	text := m.Name + " is unknown, tried"
	if len(methods) > 0 {
		text += " as a method (" + strings.Join(methods, ", ") + ")"
	}
	if len(tools) > 0 {
		text += strings.Repeat(" and", min(len(methods), 1)) + " as a tool (" + strings.Join(tools, ", ") + ")"
	}
	return text
}

func (m Method) claimed(c *probe.Client) bool {
	return m.Claimed || Explicit(c, m.Extension) || c.Survey().Claims[m.Extension].Configured
}

// guarded reports whether a tool may change something, and nobody but the server has
// said that it belongs to the extension.
func (m Method) guarded(c *probe.Client, tool string) bool {
	s := c.Survey()
	return !readOnly(c, tool) && !unlisted(c, tool) && !s.Claims[m.Extension].Configured && !s.Given.SideEffects
}

// withheld is the first tool that is not called although the server claims the
// extension; empty when there is none.
func (m Method) withheld(c *probe.Client) string {
	i := slices.IndexFunc(m.Tools, func(tool string) bool { return m.claimed(c) && Lists(c, tool) && m.guarded(c, tool) })
	if i < 0 {
		return ""
	}
	return m.Tools[i]
}

// payload is the answer of an extension method without what core adds to it.
func payload(r *probe.Reply, form string) any {
	result, ok := r.Result()
	if !ok {
		return nil
	}
	if strings.HasPrefix(form, "T:") && !bare(result) {
		return probe.Payload(result)
	}
	own := map[string]any{}
	for name, value := range result {
		if !slices.Contains([]string{"resultType", "_meta", "ttlMs", "cacheScope"}, name) {
			own[name] = value
		}
	}
	if len(own) == 1 {
		for _, wrapper := range []string{"manifest", "result", "data"} {
			if inner, ok := own[wrapper].(map[string]any); ok {
				return inner
			}
		}
	}
	return own
}

// bare reports whether a tool answers as a method would: without what core puts a
// tool's answer into, and without the wrapper of the example servers. That the core
// properties are missing is for the cases of tools to say.
func bare(result map[string]any) bool {
	for _, name := range []string{"content", "structuredContent", "result"} {
		if _, ok := result[name]; ok {
			return false
		}
	}
	return true
}

// harmless reports whether a tool of this name may be called on suspicion: it is
// marked as read-only, or the server has tools and not this one.
func harmless(c *probe.Client, tool string) bool {
	return readOnly(c, tool) || c.Survey().Capabilities["tools"] != nil && unlisted(c, tool)
}

// unlisted reports whether the server lists all its tools and not this one, which is
// refused then or stands for the method.
func unlisted(c *probe.Client, tool string) bool {
	s := c.Survey()
	return (s.Capabilities["tools"] == nil || s.Whole[protocol.Tools().Method]) && !Lists(c, tool)
}

// Lists reports whether tools/list has a tool of this name.
func Lists(c *probe.Client, tool string) bool { return len(entries(c, tool)) > 0 }

// readOnly reports whether tools/list has it, and says wherever it does that it
// changes nothing.
func readOnly(c *probe.Client, tool string) bool {
	return Lists(c, tool) && !slices.ContainsFunc(entries(c, tool), func(entry map[string]any) bool {
		return probe.ObjectOf(entry["annotations"])["readOnlyHint"] != true
	})
}

func entries(c *probe.Client, tool string) []map[string]any {
	var all []map[string]any
	for _, item := range c.Survey().Lists[protocol.Tools().Method] {
		if listed := probe.ObjectOf(item); listed["name"] == tool {
			all = append(all, listed)
		}
	}
	return all
}

// Methods of proposals that others look for too: a manifest may promise them. The
// form of a method is learned once, so that each is written down once.

// BeginTransaction opens a transaction that the client names.
func BeginTransaction() Method {
	return Method{
		Extension: "transactions", Name: "transaction/begin", Aliases: []string{"BEGIN_TRANSACTION"},
		Diagrammed: []string{"begin_transaction"}, Tools: []string{"begin_transaction"},
	}
}

// RollbackTransaction takes back what was done in a transaction, and ends it.
func RollbackTransaction() Method {
	return Method{
		Extension: "transactions", Name: "transaction/rollback", Aliases: []string{"ROLLBACK"},
		Diagrammed: []string{"rollback_transaction", "ROLLBACK_TRANSACTION"}, Tools: []string{"rollback_transaction"},
	}
}

// SubscribeEvents asks for events to be sent.
func SubscribeEvents() Method {
	return Method{Extension: "push", Name: "events/subscribe", Aliases: []string{"subscribe"}, Tools: []string{"subscribe"}}
}

// UnsubscribeEvents ends a subscription.
func UnsubscribeEvents() Method {
	return Method{Extension: "push", Name: "events/unsubscribe", Aliases: []string{"unsubscribe"}, Tools: []string{"unsubscribe"}}
}

// RecommendServers asks which other servers can do something.
func RecommendServers() Method {
	return Method{Extension: "server-discovery", Name: "recommend_servers", Tools: []string{"recommend_servers"}, Harmless: true}
}

// CheckPermission is the method that says before a call whether it would be
// allowed. It changes nothing, so it is tried on suspicion too.
func CheckPermission() Method {
	return Method{
		Extension: "permissions", Name: "permissions/check", Aliases: []string{"can_execute", "check_permissions"},
		Tools: []string{"check_permissions", "can_execute"}, Harmless: true,
	}
}

// NegotiateScopes is the method that gives out sessions. As a tool its name is only
// tried where the extension is claimed by name.
func NegotiateScopes() Method {
	return Method{
		Extension: "permissions", Name: "scopes/negotiate", Aliases: []string{"negotiate_scopes"}, Tools: []string{"negotiate_scopes"},
	}
}

// permissionsAnswered asks servers that do not claim the extension whether they
// have the method: an answer that fits shows it. Nothing is learned for the column,
// since a claim in the configuration allows more forms than this.
func permissionsAnswered(c *probe.Client) (probe.Strength, string) {
	if Explicit(c, "permissions") {
		return "", ""
	}
	m := CheckPermission()
	forms := []string{"M:" + m.Name}
	for _, alias := range m.Aliases {
		forms = append(forms, "M:"+alias)
	}
	for _, tool := range m.Tools {
		if harmless(c, tool) {
			forms = append(forms, "T:"+tool)
		}
	}
	answer := m.asking(c, forms, probe.Object{"tool": SomeTool(c), "scopes_held": []string{}}, nil)
	for _, form := range forms {
		reply := answer(form)
		_, told := probe.ObjectOf(payload(reply, form))["allowed"].(bool)
		tool, called := strings.CutPrefix(form, "T:")
		switch {
		case told && called:
			return probe.Weak, "an answer of the tool " + tool
		case told:
			return probe.Strong, "an answer to " + strings.TrimPrefix(form, "M:")
		case !called && !reply.Answered():
			return "", "" // one that stays silent would do so each time
		}
	}
	return "", ""
}

// SomeTool is the name of a tool that the server lists, for questions about one.
// Where it lists none, it is a name that no tool has.
func SomeTool(c *probe.Client) string {
	for _, item := range c.Survey().Lists[protocol.Tools().Method] {
		if name, _ := probe.ObjectOf(item)["name"].(string); name != "" {
			return name
		}
	}
	return "no_such_tool_" + c.Nonce()
}
