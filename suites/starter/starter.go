// Package starter writes the first configuration of a server: what a run found by itself,
// and what an operator can add so that more is judged. It proposes tools; it calls none.
package starter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Seen is what a run learned of a server. The zero Seen is ready.
type Seen struct {
	mu     sync.Mutex
	at     requirements.Column
	tools  []tool
	filled []roles.Filled
}

// Found keeps what was learned of a column; that of the newest revision counts. It is for
// the field of the same name of a plan.
func (s *Seen) Found(at requirements.Column, survey *probe.Survey, filled roles.Set) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at.Revision > at.Revision {
		return
	}
	s.at, s.tools, s.filled = at, toolsOf(survey), filled.All()
}

// A Proposal is a role that the file may fill, and how.
type Proposal struct {
	Role  roles.Name
	Cases int    // that it enables
	Tool  string // that the proposal calls; empty where no tool of the server seems to fit
	Acts  bool   // the tool does not say that it only reads
	lines []string
	open  []blank
}

// A blank is a field that nobody has filled in.
type blank struct {
	field string
	inner []string // paths of members in it that cases need too
	cases int      // that it enables
}

// miss notes a field, or a member of it by its path, that cases need.
func (p *Proposal) miss(path string, cases int) {
	field, inner, deep := strings.Cut(path, ".")
	if slices.ContainsFunc(p.lines, func(line string) bool { return strings.HasPrefix(line, field+": ") }) {
		return // a tool is proposed with it
	}
	i := slices.IndexFunc(p.open, func(b blank) bool { return b.field == field })
	if i < 0 {
		i = len(p.open)
		p.open = append(p.open, blank{field: field})
	}
	p.open[i].cases += cases
	if deep {
		p.open[i].inner = append(p.open[i].inner, inner)
	}
}

// Proposals are the roles that would enable cases, the one that enables most first.
func (s *Seen) Proposals(r reports.Report, specs []roles.Spec) []Proposal {
	var all []Proposal
	at := map[roles.Name]int{}
	for _, gap := range r.Gaps() {
		name, field, _ := strings.Cut(strings.TrimPrefix(gap.Role, "roles."), ".")
		if gap.Kind != reports.NoRole || !strings.HasPrefix(gap.Role, "roles.") {
			continue
		}
		role := roles.Name(name)
		i, known := at[role]
		if !known {
			i = len(all)
			at[role] = i
			all = append(all, s.propose(role, specs))
		}
		all[i].Cases += len(gap.Cases)
		if field != "" && field != "tool" {
			all[i].miss(field, len(gap.Cases))
		}
	}
	for i := range all {
		all[i].lines = append(all[i].lines, s.blanks(all[i], specs)...)
	}
	slices.SortStableFunc(all, func(a, b Proposal) int { return cmp.Compare(b.Cases, a.Cases) })
	return all
}

// blanks are the lines of the fields that nobody has filled in, each in the shape of its
// value.
func (s *Seen) blanks(p Proposal, specs []roles.Spec) []string {
	var lines []string
	for _, b := range p.open {
		field, _ := roles.Find(specs, string(p.Role)+"."+b.field)
		line, note := field.Shape(b.inner...), ""
		if t, ok := s.asker(p.Role, b.field); ok {
			var call string
			call, note = t.call(roles.ReadOnlyTool)
			line = strings.Replace(line, "tool: NAME_OF_A_TOOL, arguments: {}", call, 1)
		}
		lines = append(lines, b.field+": "+line+" # enables "+cases(b.cases)+note)
	}
	return lines
}

// call is a call of the tool as members of a map, and what is to be said behind the map.
func (t tool) call(role roles.Name) (members, note string) {
	arguments, open, noted := strings.Cut(t.arguments(role), " # ")
	if noted {
		note = " # " + open
	}
	return "tool: " + quoted(t.name) + ", arguments: " + arguments, note
}

func cases(n int) string {
	if n == 1 {
		return "1 case"
	}
	return fmt.Sprintf("%d cases", n)
}

// propose writes the role with a tool of the server that may fit it.
func (s *Seen) propose(role roles.Name, specs []roles.Spec) Proposal {
	p := Proposal{Role: role}
	calls := slices.ContainsFunc(specs, func(spec roles.Spec) bool {
		return spec.Name == role && slices.ContainsFunc(spec.Fields, func(f roles.Field) bool { return f.Name == "tool" })
	})
	filled := slices.ContainsFunc(s.filled, func(f roles.Filled) bool { return f.Name == role && f.Text("tool") != "" })
	if !calls || filled {
		return p
	}
	fitting := s.fitting(role)
	if len(fitting) == 0 {
		p.lines = append(p.lines, "tool: NAME_OF_A_TOOL")
		return p
	}
	best := fitting[0]
	p.Tool, p.Acts = best.name, !best.reads
	line := "tool: " + quoted(best.name)
	if others := names(fitting[1:]); others != "" {
		line += " # or " + others
	}
	p.lines = append(p.lines, line, "arguments: "+best.arguments(role))
	if role == roles.StateChange {
		p.lines = append(p.lines, "observe: "+s.observer(best))
	}
	return p
}

// hints are words in the names of tools that fill a role.
func hints() map[roles.Name]*regexp.Regexp {
	return map[roles.Name]*regexp.Regexp{
		roles.SlowTool:      regexp.MustCompile(`slow|long|wait|sleep|delay|run|build|render`),
		roles.ProgressTool:  regexp.MustCompile(`progress|long|run|build|import|index|sync`),
		roles.LoggingTool:   regexp.MustCompile(`log`),
		roles.SchemaTool:    regexp.MustCompile(`schema|validat`),
		roles.ClientRequest: regexp.MustCompile(`elicit|sampl|roots|ask|confirm`),
		roles.InputRequired: regexp.MustCompile(`elicit|input.?required|ask|confirm`),
	}
}

// failing is the name of a tool that is there to fail.
var failing = regexp.MustCompile(`(?i)(^|[_-])(fail|throw|broken)`)

// fitting are the tools that may fill a role, the likeliest first.
func (s *Seen) fitting(role roles.Name) []tool {
	word := hints()[role]
	fit := slices.DeleteFunc(slices.Clone(s.tools), func(t tool) bool {
		switch {
		case t.destroys:
			return true
		case role == roles.StateChange:
			return t.reads
		case role == roles.TaskTool:
			return !t.tasks
		case role == roles.Failure:
			return !t.reads || !failing.MatchString(t.name) && !t.findsNothing()
		case word != nil:
			return !word.MatchString(strings.ToLower(t.name))
		default:
			return true
		}
	})
	if role == roles.Failure {
		made := slices.IndexFunc(fit, func(t tool) bool { return failing.MatchString(t.name) })
		if made > 0 {
			fit[0], fit[made] = fit[made], fit[0]
		}
	}
	return fit
}

// observer is the call of a reading tool that may show what a tool changed: the one whose
// name and arguments have most words of the tool.
func (s *Seen) observer(of tool) string {
	best, most := tool{}, 0
	for _, t := range s.tools {
		if n := t.shares(of); t.reads && n > most {
			best, most = t, n
		}
	}
	if best.name == "" {
		return "{tool: NAME_OF_A_TOOL_THAT_SHOWS_THE_EFFECT, arguments: {}}"
	}
	call, note := best.call(roles.ReadOnlyTool)
	return "{" + call + "}" + note
}

// Write writes the file. The target is given as the lines below its key. The roles that
// live names are written without comment signs.
func (s *Seen) Write(header string, target []string, proposals []Proposal, specs []roles.Spec, live func(Proposal) bool) []byte {
	var b bytes.Buffer
	say := func(format string, values ...any) { _, _ = fmt.Fprintf(&b, format+"\n", values...) }
	say("%s", header)
	say("target:")
	for _, line := range target {
		say("  %s", line)
	}
	for _, f := range s.filled {
		if call, ok := f.Call(); ok {
			say("# %s is found by itself: {tool: %s, arguments: %s}", f.Name, quoted(call.Tool), Text(call.Arguments))
		}
	}
	say("")
	if slices.ContainsFunc(proposals, live) {
		say("roles:")
	} else {
		say("# roles:")
	}
	for _, p := range proposals {
		sign := "# "
		if live(p) {
			sign = ""
		}
		what := ""
		for _, spec := range specs {
			if spec.Name == p.Role {
				what = spec.Text
			}
		}
		say("  # %s, for %s. Without one: %s: none", what, cases(p.Cases), p.Role)
		if len(p.lines) == 0 {
			say("  # %s: none", p.Role)
			continue
		}
		say("  %s%s:", sign, p.Role)
		for _, line := range p.lines {
			if open.MatchString(line) && sign == "" {
				line = "# " + line
			}
			say("  %s  %s", sign, line)
		}
	}
	return b.Bytes()
}

// open matches a line in which something is left to fill in.
var open = regexp.MustCompile(`\b(NAME_OF_A_|URI_OF_A_|NAME|VALUE|NUMBER)|fill in$`)

// Text is a value as JSON, which YAML reads too.
func Text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // values of a message are values of JSON
	return strings.TrimSpace(b.String())
}

var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func quoted(name string) string {
	if plain.MatchString(name) && !slices.Contains([]string{"none", "true", "false", "null", "yes", "no", "on", "off"},
		strings.ToLower(name)) {
		return name
	}
	return Text(name)
}

func names(tools []tool) string {
	var all []string
	for _, t := range tools[:min(len(tools), 4)] {
		all = append(all, t.name)
	}
	return strings.Join(all, ", ")
}

// A tool is one that the server lists.
type tool struct {
	name, about     string
	schema          map[string]any
	reads, destroys bool
	tasks           bool // it runs as a task
}

func toolsOf(s *probe.Survey) []tool {
	var all []tool
	for _, one := range s.Tools {
		o := probe.ObjectOf(one)
		marks := probe.ObjectOf(o["annotations"])
		if name := probe.TextOf(o["name"]); name != "" {
			all = append(all, tool{
				name: name, about: probe.TextOf(o["title"]) + " " + probe.TextOf(o["description"]), schema: probe.ObjectOf(o["inputSchema"]),
				reads: marks["readOnlyHint"] == true, destroys: marks["destructiveHint"] == true,
				tasks: slices.Contains([]any{"optional", "required"}, probe.ObjectOf(o["execution"])["taskSupport"]),
			})
		}
	}
	return all
}

// arguments are made up from the schema. Texts that a state-change needs are new each time,
// and what a failing tool is asked for does not exist.
func (t tool) arguments(role roles.Name) string {
	made, ok := discover.Arguments(t.schema)
	if !ok {
		return "{} # the schema asks for more than can be made up; fill in"
	}
	for name, value := range made {
		plain, _ := value.(string)
		switch {
		case plain != "example":
			if plain != "" {
				made[name] = roles.Literal(plain) // what looks like a placeholder is none
			}
		case role == roles.StateChange:
			made[name] = "kit-${nonce}"
		case role == roles.Failure && name == t.named():
			made[name] = "no-such-${nonce}"
		}
	}
	return Text(made)
}

// findsNothing reports whether the tool can be asked for something that does not exist.
func (t tool) findsNothing() bool {
	made, ok := discover.Arguments(t.schema)
	return ok && t.named() != "" && made[t.named()] == "example"
}

// named is the required argument that names something of the server's own; empty if no
// argument does.
func (t tool) named() string {
	for _, name := range []string{"id", "path", "name", "uri", "url", "key", "file"} {
		for _, required := range probe.Strings(t.schema["required"]) {
			property := probe.ObjectOf(probe.ObjectOf(t.schema["properties"])[required])
			if strings.HasSuffix(strings.ToLower(required), name) && property["type"] == "string" {
				return required
			}
		}
	}
	return ""
}

var word = regexp.MustCompile(`[a-z]{3,}`)

// shares counts the words that two tools have in common in their names and arguments.
func (t tool) shares(other tool) int {
	own := t.words()
	n := 0
	for w := range other.words() {
		if own[w] {
			n++
		}
	}
	return n
}

func (t tool) words() map[string]bool {
	all := map[string]bool{}
	texts := []string{t.name}
	for name := range probe.ObjectOf(t.schema["properties"]) {
		texts = append(texts, name)
	}
	for _, text := range texts {
		for _, w := range word.FindAllString(strings.ToLower(text), -1) {
			all[strings.TrimSuffix(w, "s")] = true
		}
	}
	return all
}
