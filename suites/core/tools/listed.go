package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A tool is one entry of the list, whatever it is made of, and where it stood.
type tool struct {
	page    *probe.Reply
	pointer string // in the message of its page
	value   any
}

// member is a member of the tool, or that there is none.
func (t tool) member(name string) any {
	if o, ok := t.value.(map[string]any); ok {
		if v, ok := o[name]; ok {
			return v
		}
	}
	return probe.Absent{}
}

// name is the tool's name; false when it has none that is a string.
func (t tool) name() (string, bool) {
	name, ok := t.member("name").(string)
	return name, ok
}

// reads reports whether the tool says of itself that it changes nothing.
func (t tool) reads() bool {
	hints, _ := t.member("annotations").(map[string]any)
	return hints["readOnlyHint"] == true
}

// at is the place of a member, as problems show it.
func (t tool) at(path ...string) string {
	return probe.Place(strings.Join(append([]string{t.pointer}, path...), "/"))
}

// A pages is the list as it was read: all pages, up to the limit, and the
// entries of those that have any.
type pages struct {
	replies []*probe.Reply
	tools   []tool
	cut     bool // there is more
}

// read asks for the list page by page. It stops, without an error, at a page
// that is none, at a cursor that comes again, and where the list starts over:
// what is wrong with cursors is judged elsewhere.
func read(ctx context.Context, c *probe.Client) (pages, error) {
	var all pages
	var params probe.Object
	used := map[string]bool{}
	var first []any
	for range max(1, c.Waits().Pages) {
		reply, err := c.Call(ctx, "tools/list", params)
		if err != nil {
			return pages{}, err
		}
		all.replies = append(all.replies, reply)
		items, _ := reply.At("/result/tools")
		entries, ok := items.([]any)
		if !ok || params != nil && probe.Same(first, entries) {
			return all, nil
		}
		if params == nil {
			first = entries
		}
		for i, value := range entries {
			all.tools = append(all.tools, tool{reply, "/result/tools/" + strconv.Itoa(i), value})
		}
		next, _ := reply.At("/result/nextCursor")
		cursor, more := next.(string)
		if !more || used[cursor] {
			return all, nil
		}
		used[cursor] = true
		params = probe.Object{"cursor": cursor}
	}
	all.cut = true
	return all, nil
}

// readable reports whether the list could be read to its end, as an error that
// leaves a case undecided. There is at least one answer.
func (p pages) readable() error {
	last := p.replies[len(p.replies)-1]
	if items, _ := last.At("/result/tools"); !isArray(items) {
		return probe.Undecide("the list could not be read: the answer to tools/list is " + last.Outcome())
	}
	return nil
}

// shown is the list for cases that look at what it holds: the connection asks
// for it once.
func shown(ctx context.Context, c *probe.Client) (pages, error) {
	all, err := probe.Once(c, "tools/list", func() (pages, bool, error) {
		all, err := read(ctx, c)
		return all, err == nil && all.readable() == nil, err
	})
	if all.cut {
		c.Note(fmt.Sprintf("only the first %d pages of the list were read", c.Waits().Pages))
	}
	return all, err
}

// list is the tools that are shown. That there is a list at all is the business
// of tools/list-answered and tools/list-schema.
func list(ctx context.Context, c *probe.Client) ([]tool, error) {
	all, err := shown(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := all.readable(); err != nil {
		return nil, err
	}
	if len(all.tools) == 0 {
		return nil, probe.NotSeen("the server lists no tools")
	}
	return all.tools, nil
}

func isArray(v any) bool { _, ok := v.([]any); return ok }

// A check judges one tool. Its problem is empty when the tool keeps the rule;
// judged is false where the rule does not speak of it.
type check func(c *probe.Client, t tool) (judged bool, problem string, err error)

// each makes a case of a check that every tool of the list has to pass.
func each(passes check) func(context.Context, *probe.Client) error {
	return func(ctx context.Context, c *probe.Client) error {
		tools, err := list(ctx, c)
		if err != nil {
			return err
		}
		return judge(c, tools, passes)
	}
}

func judge(c *probe.Client, tools []tool, passes check) error {
	var problems []string
	var frames []frame.Frame
	spoken := false
	for _, t := range tools {
		judged, problem, err := passes(c, t)
		if err != nil {
			return err
		}
		spoken = spoken || judged
		if problem == "" {
			continue
		}
		if name, ok := t.name(); ok {
			problem += " (tool " + probe.Show(name) + ")"
		}
		if problems = append(problems, problem); len(problems) == 1 {
			frames = t.page.Evidence()
		}
	}
	switch {
	case len(problems) > 0:
		return probe.Broken(frames, "%s", some(problems))
	case !spoken:
		return probe.NotSeen("no listed tool has what this rule speaks of")
	}
	return nil
}

// some joins the first few problems and counts the rest.
func some(problems []string) string {
	const most = 3
	if len(problems) > most {
		problems = append(problems[:most:most], fmt.Sprintf("and %d more", len(problems)-most))
	}
	return strings.Join(problems, "; ")
}
