package prompts

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// gettingCases get what is listed, up to limits.reads. The watchers judge the messages.
func gettingCases() []suite.Case {
	return []suite.Case{{
		ID:     "prompts/optional-arguments",
		Title:  "listed prompts are answered, also without the arguments that are not required",
		Checks: []requirements.ID{"prompts-optional-arguments", refusals.Answer},
		Needs:  declared(),
		Fix:    "take arguments that are absent for {}, and list an argument as required where the prompt cannot do without it",
		Run:    optionalArguments,
	}}
}

// A prompt is a listed prompt with values for its arguments.
type prompt struct {
	name               string
	required, optional []string
	values             map[string]any // that the configuration names
}

// prompts are the listed prompts that have a name, those of the configuration first.
func prompts(c *probe.Client) []prompt {
	var all []prompt
	for _, item := range probe.Surveyed(c, protocol.Prompts()) {
		name, ok := item.Get("name").(string)
		if !ok {
			continue
		}
		p := prompt{name: name, values: configured(c, name)}
		for _, one := range probe.ArrayOf(item.Get("arguments")) {
			argument := probe.ObjectOf(one)
			switch word, named := argument["name"].(string); {
			case !named:
			case argument["required"] == true, odd(argument):
				p.required = append(p.required, word)
			default:
				p.optional = append(p.optional, word)
			}
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b prompt) int { return rank(a) - rank(b) })
	return all
}

// odd reports whether an argument says in another way than by a boolean whether it is required,
// which prompts/argument-schema judges. The server may mean that it is.
func odd(argument map[string]any) bool {
	said, there := argument["required"]
	_, boolean := said.(bool)
	return there && !boolean
}

func rank(p prompt) int {
	if p.values != nil {
		return 0
	}
	return 1
}

// configured are the arguments that the configuration names for a prompt; nil where it
// does not name the prompt.
func configured(c *probe.Client, name string) map[string]any {
	role := c.Role(roles.Prompt).Fields()
	for _, fields := range []roles.Fields{role, role.At("image"), role.At("audio"), role.At("resource")} {
		if fields.Text("name") == name {
			given, _ := fields.Arguments("arguments")
			return expanded(c, given)
		}
	}
	return nil
}

func expanded(c *probe.Client, arguments map[string]any) map[string]any {
	call, err := roles.Call{Arguments: arguments}.Expand(roles.Vars{Nonce: c.Nonce()})
	c.Must(err)
	if call.Arguments == nil {
		return map[string]any{}
	}
	return call.Arguments
}

// with are values for arguments: those of the configuration, or what the server suggests,
// or a made-up string.
func (p prompt) with(c *probe.Client, names ...string) probe.Object {
	arguments := probe.Object{}
	for _, name := range names {
		value, ok := p.values[name]
		if !ok {
			value = p.suggested(c, name)
		}
		arguments[name] = value
	}
	return arguments
}

func (p prompt) suggested(c *probe.Client, argument string) any {
	if !c.Survey().Declares("completions") {
		return madeUp
	}
	return probe.Once(c, "prompts:suggested:"+probe.JSON([]string{p.name, argument}), func() (any, bool) {
		reply := c.Call("completion/complete", probe.Object{
			"ref":      probe.Object{"type": "ref/prompt", "name": p.name},
			"argument": probe.Object{"name": argument, "value": ""},
		})
		c.UndecideIf(reply.Died(), "the argument "+probe.Show(argument)+" of the prompt "+probe.Show(p.name)+
			" was to be completed first: "+reply.Outcome())
		first, _ := reply.At("/result/completion/values/0")
		if text, ok := first.(string); ok && text != "" {
			return text, true
		}
		return madeUp, true
	})
}

// madeUp is a value for an argument of which only the name is known.
const madeUp = "example"

// ask gets the prompt with arguments, or without any.
func (p prompt) ask(c *probe.Client, arguments probe.Object) *probe.Reply {
	params := probe.Object{"name": p.name}
	if arguments != nil {
		params["arguments"] = arguments
	}
	return c.Call(get, params)
}

// least gets the prompt with no more arguments than it requires.
func (p prompt) least(c *probe.Client) *probe.Reply {
	if len(p.required) == 0 {
		return p.ask(c, nil)
	}
	return p.ask(c, p.with(c, p.required...))
}

// optionalArguments lets a prompt fail that fails with all its arguments as well: the
// values are made up.
func optionalArguments(c *probe.Client) error {
	all, most := prompts(c), c.Waits().Reads
	c.NotSeenIf(len(all) == 0, "the server lists no prompts")
	if len(all) > most {
		c.Note(fmt.Sprintf("%d of %d listed prompts were got, as limits.reads says", most, len(all)))
		all = all[:most]
	}
	var failed []string
	for _, p := range all {
		reply := p.least(c)
		if reply.Served() {
			continue
		}
		if !reply.Refused() {
			return probe.Under(reply.WantAnswer(), refusals.Answer)
		}
		if err := p.spared(c, reply); err != nil {
			return err
		}
		failed = append(failed, p.name)
	}
	if len(failed) > 0 {
		c.Note(fmt.Sprintf("values for arguments were made up, and %d of %d prompts were answered with an error: %s",
			len(failed), len(all), probe.Show(failed)))
	}
	return nil
}

// spared reports whether the refusal is about what was left out: with it, the prompt is
// there, and it is refused again without.
func (p prompt) spared(c *probe.Client, refused *probe.Reply) error {
	for _, fuller := range p.fuller(c) {
		served := p.ask(c, fuller.arguments)
		if !served.Served() {
			continue
		}
		again := p.least(c)
		c.UndecideIf(!again.Refused(), "the prompt "+probe.Show(p.name)+" is refused at times")
		listed, _ := probe.List(c, protocol.Prompts()).Find(p.name)
		return probe.Shown(listed.Page, refused, served).Violation("%s for %s without %s, and a result with it, want a result",
			refused.AnswerTo(get), probe.Show(p.name), fuller.what).Under("prompts-optional-arguments")
	}
	return nil
}

type fuller struct {
	what      string
	arguments probe.Object
}

func (p prompt) fuller(c *probe.Client) []fuller {
	var all []fuller
	if len(p.required) == 0 {
		all = append(all, fuller{"params.arguments", probe.Object{}})
	}
	if len(p.optional) > 0 {
		all = append(all, fuller{
			"the arguments that are not required, " + probe.Show(p.optional), p.with(c, slices.Concat(p.required, p.optional)...),
		})
	}
	return all
}
