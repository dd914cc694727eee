// Package permissions holds the cases of the permissions proposal: a client learns
// before a call whether it would be allowed, and works in sessions with the scopes
// that it asked for.
package permissions

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
		Name:      "ext-permissions",
		Title:     "what a call needs is known before it is made, and scopes come with an end",
		Extension: proposal.Extension("permissions"),
		Cases: slices.Concat(
			checks(), denials(), questions(), agreements(), refusals(), []suite.Case{scopesPerTool()},
			negotiations(), partitions(), sessions(), tokens(), bounds(),
		),
	}
}

// checked are the needs of cases that rest on there being a check at all, which
// check-available proves.
func checked(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Claim("permissions")}, more...)
}

// claimed is a case about a server that answers checks.
func claimed(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, more ...suite.Need) suite.Case {
	return bench.Case("ext-permissions/"+slug, title, rule, fix, run, checked(more...)...)
}

// negotiable is a case that has names of scopes to ask for. Most of them make the call of
// state-change with a token. A new session of a caller may end the one before.
func negotiable(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, more ...suite.Need) suite.Case {
	c := claimed(slug, title, rule, fix, run, append([]suite.Need{suite.Role(roles.Scopes, "grantable")}, more...)...)
	c.Contends, c.Observes = true, roles.StateChange
	return c
}

// A question is asked before a call.
type question struct {
	tool       string
	held       []string
	parameters probe.Object // nil: not sent
}

// An answer to it.
type answer struct{ proposal.Answer }

// allowed is what the answer says; told is false where it says nothing of the kind.
func (a answer) allowed() (yes, told bool) {
	yes, told = a.Object["allowed"].(bool)
	return yes, told
}

// denies reports whether the answer says no.
func (a answer) denies() bool {
	yes, told := a.allowed()
	return told && !yes
}

// missing are the scopes that the answer names as missing.
func (a answer) missing() []string { return probe.Strings(a.Object[a.missingName()]) }

// missingName is the property that names them: the canonical one, or that of the text.
func (a answer) missingName() string {
	if _, canonical := a.Object["missing_scopes"]; !canonical && a.Object["missing"] != nil {
		return "missing"
	}
	return "missing_scopes"
}

func ask(c *probe.Client, q question) answer {
	params := probe.Object{"tool": q.tool, "scopes_held": append([]string{}, q.held...)}
	if q.parameters != nil {
		params["parameters"] = q.parameters
	}
	return answer{proposal.CheckPermission().Ask(c, params)}
}

// askAbout asks with the arguments of a call, and without them where a server does
// not take them, which is the rule of check-params-parameters.
func askAbout(c *probe.Client, call *probe.ToolCall, held []string) answer {
	a := ask(c, question{call.Tool, held, call.Arguments})
	if _, told := a.allowed(); told {
		return a
	}
	return ask(c, question{tool: call.Tool, held: held})
}

// unread ends a case that needs an answer which says yes or no.
func unread(c *probe.Client, a answer) {
	c.Undecide("the answer to permissions/check says neither yes nor no: " + a.Outcome())
}

// mayCall is what to do where the configuration is wrong, and not the server.
const mayCall = "if the caller may make this call, give the kit one who may not: in principals.limited over HTTP, by target.env over stdio"

// A denial is a call of the weakest principal that the check says is not allowed. The
// kit itself observes, since that principal need not be allowed to.
type denial struct {
	*bench.Bench
	sure bool // that it is this principal who calls
	said answer
}

// denied asks about the call that is refused to the weakest principal.
func denied(c *probe.Client) *denial {
	d := &denial{Bench: bench.New(c)}
	d.Caller, d.sure = bench.Weakest(c)
	d.ToolCall = c.Role(roles.Denied).Call()
	d.said = askAbout(d.Caller, d.ToolCall, nil)
	return d
}

// refused is denied for cases about the call that follows: the check has to have
// said no, and has to have meant this caller.
func refused(c *probe.Client) *denial {
	d := denied(c)
	switch yes, told := d.said.allowed(); {
	case !told:
		unread(c, d.said)
	case yes:
		c.Undecide("the check allows the denied call, which ext-permissions/check-denied judges")
	case d.sure:
		return d
	}
	c.UndecideIf(!askAbout(d.Caller, d.ToolCall, d.everything()).denies(),
		"the check judges by the scopes that it is told, and over stdio nothing says what the process may do")
	return d
}

// everything lists every scope that the server or the configuration knows.
func (d *denial) everything() []string {
	known := told(d.Client)
	scopes := d.Role(roles.Scopes).Fields()
	all := slices.Concat(known.scopes, d.said.missing(), scopes.Texts("grantable"), scopes.Texts("deniable"))
	slices.Sort(all)
	return slices.Compact(all)
}

// A telling is what a server says of its scopes without being asked: in the
// manifest, in the settings of the capability and in tools/list.
type telling struct {
	scopes   []string            // that there are
	required map[string][]string // by tool; one that says nothing is not there
	tools    []string            // that are listed
	auth     map[string]any      // of the manifest
}

func told(c *probe.Client) telling {
	document := proposal.Manifest(c)
	t := telling{required: map[string][]string{}}
	t.auth, _ = document["auth"].(map[string]any)
	for _, scope := range probe.ArrayOf(t.auth["scopes"]) {
		if name, ok := probe.ObjectOf(scope)["name"].(string); ok {
			t.scopes = append(t.scopes, name)
		}
	}
	key := proposal.Extension("permissions").Key()
	capabilities := c.Survey().Capabilities
	for _, place := range []string{"extensions", "experimental"} {
		t.scopes = append(t.scopes, probe.Strings(probe.ObjectOf(probe.ObjectOf(capabilities[place])[key])["scopes"])...)
	}
	listed := c.Survey().Lists[protocol.Tools().Method]
	for _, item := range slices.Concat(probe.ArrayOf(document["tools"]), listed) {
		t.read(probe.ObjectOf(item))
	}
	for _, item := range listed {
		if name, ok := probe.ObjectOf(item)["name"].(string); ok {
			t.tools = append(t.tools, name)
		}
	}
	return t
}

// read takes the scopes of one tool from wherever they stand.
func (t telling) read(item map[string]any) {
	name, _ := item["name"].(string)
	if name == "" {
		name, _ = item["tool"].(string)
	}
	meta := probe.ObjectOf(item["_meta"])
	for _, v := range []any{item["required_scopes"], meta[proposal.Prefix+"required_scopes"], meta["required_scopes"]} {
		if _, ok := v.([]any); ok {
			t.required[name] = probe.Strings(v)
		}
	}
}

// within reports whether every scope is among others.
func within(scopes, others []string) bool {
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(others, scope) })
}
