package prompts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/landmarks"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// guardedCases write into arguments what a renderer must not obey.
func guardedCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct{ slug, title, before, after string }{
		{"braces", "{{ }}", "{{", "}}"}, {"dollar", "${ }", "${", "}"}, {"percent", "<%= %>", "<%= ", " %>"}, {"hash", "#{ }", "#{", "}"},
	} {
		cases = append(cases, suite.Case{
			ID:     "prompts/template-" + row.slug,
			Title:  "an expression in " + row.title + " within an argument is not evaluated",
			Checks: []requirements.ID{"prompts-inputs-outputs-validated"},
			Needs:  declared(),
			Fix:    "put arguments into the rendered prompt as data, never into the source of a template",
			Run:    func(c *probe.Client) error { return notEvaluated(c, row.before, row.after) },
		})
	}
	return append(cases, suite.Case{
		ID:     "prompts/path-dots",
		Title:  "an argument with ../ leads to no file outside the served ones",
		Checks: []requirements.ID{"prompts-inputs-outputs-validated"},
		Needs:  declared(),
		Fix:    "clean a path that an argument names, and read it only where it lies below a served directory; Go has os.Root for that",
		Run:    enclosed,
	})
}

// A trial is an argument of a prompt that is tried.
type trial struct {
	prompt   prompt
	argument string
}

// trials are the arguments of the listed prompts, up to limits.reads.
func trials(c *probe.Client) []trial {
	var all []trial
	for _, p := range prompts(c) {
		for _, argument := range slices.Concat(p.required, p.optional) {
			all = append(all, trial{p, argument})
		}
	}
	c.NotSeenIf(len(all) == 0, "no listed prompt has an argument")
	if most := c.Waits().Reads; len(all) > most {
		c.Note(fmt.Sprintf("%d of %d arguments of prompts were tried, as limits.reads says", most, len(all)))
		return all[:most]
	}
	return all
}

// with gets the prompt with a value for the argument, and good values for the others that
// are required.
func (t trial) with(c *probe.Client, value string) *probe.Reply {
	return t.prompt.ask(c, t.prompt.with(c, t.prompt.required...).With(t.argument, value))
}

// tried is the same for a value that a case is about. The case ends where neither the prompt nor an error comes.
func (t trial) tried(c *probe.Client, value string) *probe.Reply {
	reply := t.with(c, value)
	c.UndecideIf(!reply.Answered() && !reply.Refused(), "prompts/get of "+probe.Show(t.prompt.name)+" gets "+reply.Outcome())
	return reply
}

// notEvaluated looks for a product that nobody wrote into the argument.
func notEvaluated(c *probe.Client, before, after string) error {
	const one, other = 8623, 9719
	product := strconv.Itoa(one * other)
	expression := before + strconv.Itoa(one) + "*" + strconv.Itoa(other) + after
	for _, t := range trials(c) {
		if reply := t.tried(c, expression); strings.Contains(written(reply), product) {
			return reply.Violation("the prompt %s contains %s where the argument %s is %s, want no argument evaluated",
				probe.Show(t.prompt.name), product, probe.Show(t.argument), probe.Show(expression))
		}
	}
	return nil
}

// enclosed passes over prompts that read any file on purpose: they take the path from the
// root as well.
func enclosed(c *probe.Client) error {
	for _, t := range trials(c) {
		for _, mark := range landmarks.All() {
			path := strings.Repeat("../", landmarks.Levels) + mark.Path
			reply := t.tried(c, path)
			if !mark.In(written(reply)) || mark.In(written(t.prompt.least(c))) || mark.In(written(t.with(c, "/"+mark.Path))) {
				continue
			}
			return reply.Violation("the prompt %s contains the file /%s where the argument %s is %s, want no file outside the served ones",
				probe.Show(t.prompt.name), mark.Path, probe.Show(t.argument), probe.Show(path))
		}
	}
	return nil
}

// written is all text in a prompt.
func written(r *probe.Reply) string {
	messages, _ := r.At("/result/messages")
	var text strings.Builder
	for _, one := range probe.ArrayOf(messages) {
		content := probe.ObjectOf(probe.ObjectOf(one)["content"])
		resource := probe.ObjectOf(content["resource"])
		data, _ := shapes.Bytes(resource["blob"])
		for _, part := range []string{probe.TextOf(content["text"]), probe.TextOf(resource["text"]), string(data)} {
			text.WriteString(part + "\n")
		}
	}
	return text.String()
}
