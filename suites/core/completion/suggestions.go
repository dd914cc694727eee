package completion

import (
	"fmt"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// An argument is something to complete.
type argument struct {
	ref  probe.Object
	name string
}

func (a argument) kind() string { return probe.TextOf(a.ref["type"]) }

// params complete the argument from a value, with the values of other arguments as context
// unless they are nil.
func (a argument) params(value any, context probe.Object) probe.Object {
	params := probe.Object{"ref": a.ref, "argument": probe.Object{"name": a.name, "value": value}}
	if context != nil {
		params["context"] = probe.Object{"arguments": context}
	}
	return params
}

func (a argument) ask(c *probe.Client, value string, context probe.Object) *probe.Reply {
	return c.Call(complete, a.params(value, context))
}

// named is the argument that the configuration names in a field.
func named(fields roles.Fields) argument {
	ref, _ := fields.Arguments("ref")
	return argument{ref, fields.Text("argument")}
}

// arguments are those that may be completed: that of the configuration, those of listed
// prompts, and the variables of listed templates.
func arguments(c *probe.Client) []argument {
	var all []argument
	if one := named(c.Role(roles.Completion).Fields()); one.ref != nil {
		all = append(all, one)
	}
	for _, item := range probe.Surveyed(c, protocol.Prompts()) {
		for _, one := range probe.ArrayOf(item.Get("arguments")) {
			if name, ok := probe.ObjectOf(one)["name"].(string); ok && item.Keyed {
				all = append(all, argument{probe.Object{"type": "ref/prompt", "name": item.Key}, name})
			}
		}
	}
	for _, item := range probe.Surveyed(c, protocol.Templates()) {
		text := probe.TextOf(item.Get("uriTemplate"))
		template, err := uritemplate.New(text)
		if err != nil {
			continue
		}
		for _, name := range template.Varnames() {
			all = append(all, argument{probe.Object{"type": "ref/resource", "uri": text}, name})
		}
	}
	return all
}

// A suggestion is what an argument is completed to, before anything is typed.
type suggestion struct {
	argument
	reply *probe.Reply
}

func (s suggestion) values() []any { return valuesOf(s.reply) }

func (s suggestion) first() string {
	if values := s.values(); len(values) > 0 {
		return probe.TextOf(values[0])
	}
	return ""
}

// typed is a text that something is suggested for: that of the configuration, or the first
// letter of a suggestion.
func (s suggestion) typed(c *probe.Client) string {
	role := c.Role(roles.Completion).Fields()
	if one := named(role); one.name == s.name && probe.Same(one.ref, s.ref) && role.Text("value") != "" {
		return role.Text("value")
	}
	for _, letter := range s.first() {
		return string(letter)
	}
	return ""
}

func valuesOf(r *probe.Reply) []any {
	values, _ := r.At("/result/completion/values")
	return probe.ArrayOf(values)
}

// suggestions asks for all arguments once for the connection, up to limits.reads, and ends
// where the server does not answer, or neither declares nor knows completions.
func suggestions(c *probe.Client) []suggestion {
	of, most := arguments(c), c.Waits().Reads
	if len(of) > most {
		c.Note(fmt.Sprintf("%d of %d arguments were completed, as limits.reads says", most, len(of)))
		of = of[:most]
	}
	return probe.Once(c, "completion:suggestions", func() ([]suggestion, bool) {
		var all []suggestion
		for _, one := range of {
			all = append(all, suggestion{one, one.ask(c, "", nil)})
			last := all[len(all)-1].reply
			unknown := last.HasCode(protocol.MethodNotFound) && !c.Survey().Declares("completions")
			if unknown || !last.Answered() && !last.Refused() {
				break
			}
		}
		return all, true
	})
}

// served are the arguments that the server completes. The case ends without any, and where
// a completion ended the process, which completion/reference-types judges.
func served(c *probe.Client) []suggestion {
	var all []suggestion
	asked := suggestions(c)
	c.NotSeenIf(len(asked) == 0, "the server lists no arguments of prompts and no variables of templates")
	for _, one := range asked {
		c.UndecideIf(one.reply.Died(), "a completion of "+probe.Show(one.name)+" by "+one.kind()+" came first: "+one.reply.Outcome())
		if one.reply.Served() {
			all = append(all, one)
		}
	}
	c.NotSeenIf(len(all) == 0, "the server completes nothing that it lists: "+asked[0].reply.Outcome())
	return all
}
