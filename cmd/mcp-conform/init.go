package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/starter"
)

// initFlags are the flags of init.
type initFlags struct {
	target     targetFlags
	file, ci   string
	force, yes bool
}

func initCommand(w world) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [flags] [-- command args...]",
		Short: "write a first mcp-conform.yaml for a server",
		Long: `Judge a server once, and write a configuration for it: how the server is
reached, what was found by itself, and what would let more cases be judged, with
a tool of the server for each where one seems to fit. Proposals stand behind #
until you take it away; the kit calls no tool that you have not allowed and that
does not say it only reads.

On a terminal init asks at most five questions, each about a tool that the kit
may call. With --ci it writes a recipe for a build server too; where the
configuration is there already, only the recipe, and --force replaces only that.`,
		Example: "mcp-conform init -- node dist/index.js\n" +
			"mcp-conform init --from .mcp.json --server tides --ci github",
		DisableFlagsInUseLine: true,
		Args:                  onlyBehindDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.target.command = args
			return f.run(cmd.Context(), w, cmd.Flags())
		},
	}
	s := flags()
	s.StringVar(&f.file, "file", config.FileName, "write this `FILE`")
	s.BoolVar(&f.force, "force", false, "replace the files that are there")
	s.BoolVar(&f.yes, "yes", false, "ask nothing")
	s.StringVar(&f.ci, "ci", "", "also write a recipe for this build server: `github|gitlab|jenkins`")
	sectioned(w, cmd, f.target.section(), section{"Files", s})
	complete(cmd, "ci", recipeNames)
	return cmd
}

func (f *initFlags) run(ctx context.Context, w world, set *pflag.FlagSet) error {
	kind, err := recipeOf(f.ci)
	if err != nil {
		return err
	}
	if f.file == "" {
		return &misuse{"--file is empty", "is a variable unset?"}
	}
	if kind.file != "" && exists(f.file) {
		return f.onlyRecipe(w, kind)
	}
	if !f.target.named(set) {
		if problem, hint := namedNearby(w.env); problem != "" {
			return &misuse{problem, strings.Replace(hint, " run ", " init ", 1)}
		}
		return &misuse{"no server is named", "name a command after --, or --url, or --from"}
	}
	if !f.force && exists(f.file) {
		return &misuse{f.file + " is there already", "--force replaces it; --file names another"}
	}
	if err := f.free(kind); err != nil {
		return err
	}
	cfg, err := f.target.apply(config.Default(), set, w.env)
	if err != nil {
		return err
	}
	hide := cfg.Redactor()
	written, err := f.target.lines(w.env, hide, f.file)
	if err != nil {
		return err
	}
	seen, report, err := look(ctx, w, cfg)
	if err != nil {
		return err
	}
	specs := suites.Roles(suites.All())
	proposals := seen.Proposals(report, specs)
	allowed := f.ask(w, proposals)
	const header = "# What mcp-conform knows about this server. `mcp-conform explain ROLE` shows what a role can hold."
	text := seen.Write(header, written, proposals, specs, func(p starter.Proposal) bool { return allowed[string(p.Role)] })
	locked := reports.Locked(report) > 0
	if locked {
		why, _, _ := strings.Cut(report.Verdict.Text, "\n")
		w.say("%s", why)
		text = append(text, loginLines...)
	}
	if err := put(f.file, text); err != nil {
		return err
	}
	w.say("wrote %s", f.file)
	if kind.file != "" {
		if err := f.putRecipe(w, kind); err != nil {
			return err
		}
	}
	first := ""
	if unset := unsetIn(written, w.env); len(unset) > 0 {
		first = "set " + strings.Join(unset, " and ") + " in the environment, then "
	}
	if locked {
		first = "give the token in " + f.file + ", then "
	}
	_, err = fmt.Fprintf(w.out, "%s: %s; next: %s%s\n", report.Verdict.Status, summed(report), first, f.next())
	return err
}

// loginLines stand at the end of the configuration of a server that wants a login.
const loginLines = `
# The server wants a login: set TOKEN in the environment, and take the # away.
# principals:
#   first: {token: "${TOKEN}"}
`

// unsetIn lists the variables that lines name and the environment lacks.
func unsetIn(lines []string, env config.Environment) []string {
	var names []string
	variable := regexp.MustCompile(`(?:^|[^$])\$\{([A-Za-z_][A-Za-z0-9_]*)\}`) // "$${" is no variable
	for _, line := range lines {
		for _, name := range variable.FindAllStringSubmatch(line, -1) {
			if _, set := env(name[1]); !set && !slices.Contains(names, name[1]) {
				names = append(names, name[1])
			}
		}
	}
	return names
}

// next is the command that reads the written file.
func (f *initFlags) next() string {
	if f.file == config.FileName {
		return program + " run"
	}
	return program + " run " + shellWords([]string{"--config", f.file})
}

// onlyRecipe writes the recipe for a configuration that is there: somebody may have filled it in.
func (f *initFlags) onlyRecipe(w world, kind recipe) error {
	if err := f.free(kind); err != nil {
		return err
	}
	w.say("%s is there already and stays as it is; only the recipe is written", f.file)
	if err := f.putRecipe(w, kind); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w.out, "next: %s\n", f.next())
	return err
}

// free refuses a recipe that would replace a file.
func (f *initFlags) free(kind recipe) error {
	if kind.file != "" && !f.force && exists(kind.file) {
		return &misuse{kind.file + " is there already", "--force replaces it"}
	}
	return nil
}

func (f *initFlags) putRecipe(w world, kind recipe) error {
	if err := put(kind.file, kind.with(f.file)); err != nil {
		return err
	}
	w.say("wrote %s, which runs with %s", kind.file, f.file)
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// summed says in short what was found.
func summed(r reports.Report) string {
	var fails, warns, passes int
	for _, f := range r.Findings {
		switch f.Status {
		case reports.Fail:
			fails++
		case reports.Warn:
			warns++
		case reports.Pass:
			passes++
		case reports.Skip, reports.Error: // nothing was found
		}
	}
	return fmt.Sprintf("%d failed, %s, %d passed", fails, plural(warns, "warning"), passes)
}

// look judges the server once.
func look(ctx context.Context, w world, cfg config.Config) (*starter.Seen, reports.Report, error) {
	processes := suites.NewProcesses()
	defer processes.Close()
	ctx, interrupted, stop := interruptible(ctx, w, processes.Kill)
	defer stop()
	seen := &starter.Seen{}
	w.say("judging %s", given(cfg.Target, cfg.Redactor()))
	report, err := suites.Judge(ctx, suites.Plan{
		Config: cfg.Settled(), Processes: processes, Found: seen.Found, Timeout: 10 * time.Second,
		Version: version(), Started: w.now(), Given: given(cfg.Target, cfg.Redactor()),
	})
	switch {
	case err != nil:
		return seen, report, &misuse{problem: err.Error()}
	case interrupted():
		return seen, report, exit(reports.ExitInterrupted)
	case report.Verdict.Status == reports.Unjudged:
		return seen, report, errors.New(report.Verdict.Text)
	}
	return seen, report, nil
}

// lines are the target as the file names it. What came from the environment stays a
// variable of the environment, and a secret becomes one: the file may be committed.
func (f *targetFlags) lines(env config.Environment, hide func(string) string, of string) ([]string, error) {
	var lines []string
	say := func(key string, words ...string) {
		if words = each(words, hide); key == "url" || key == "sse-url" {
			lines = append(lines, key+": "+starter.Text(words[0]))
			return
		}
		lines = append(lines, key+": "+starter.Text(words))
	}
	if f.from != "" {
		file, err := readClients(f.from, func(name string) (string, bool) {
			if _, set := env(name); !set {
				return "", false
			}
			return "${" + name + "}", true
		})
		if err != nil {
			return nil, err
		}
		s, err := file.Find(f.server)
		if err != nil {
			return nil, err
		}
		lines = append(lines, "# as "+filepath.ToSlash(f.from)+" names "+s.Name)
		switch {
		case s.URL != "":
			say("url", s.URL)
		case s.SSE != "":
			say("sse-url", s.SSE)
		}
		switch {
		case len(s.Command) > 0 && s.URL+s.SSE != "":
			say("start", s.Command...)
		case len(s.Command) > 0:
			say("command", s.Command...)
		}
		return append(lines, surroundingLines(unsaid(s.Env, hide), unsaid(s.Headers, hide), folderFrom(of, s.Cwd, len(s.Command) > 0))...), nil
	}
	url, command := roles.Literal(f.url), each(f.command, roles.Literal) // a flag takes them as they are
	switch {
	case f.url != "" && len(f.command) > 0:
		say("url", url)
		say("start", command...)
	case f.url != "":
		say("url", url)
	default:
		say("command", command...)
	}
	around := surroundingLines(unsaid(pairsAsWritten(f.env, "="), hide), unsaid(pairsAsWritten(f.headers, ":"), hide),
		folderFrom(of, f.cwd, len(f.command) > 0))
	return append(lines, around...), nil
}

// folderFrom is the directory of a command as a configuration names it: from the folder of its
// file, where the flag means the working directory.
func folderFrom(file, cwd string, started bool) string {
	dir := filepath.Dir(file)
	if dir == "." || filepath.IsAbs(cwd) || !started {
		return cwd
	}
	from, err := filepath.Abs(dir)
	to, err2 := filepath.Abs(cwd)
	if err != nil || err2 != nil {
		return cwd
	}
	if path, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(path)
	}
	return to
}

func surroundingLines(env, headers map[string]string, cwd string) []string {
	var lines []string
	for _, one := range []struct {
		key  string
		what map[string]string
	}{{"env", env}, {"headers", headers}} {
		if len(one.what) > 0 {
			lines = append(lines, one.key+": "+starter.Text(one.what))
		}
	}
	if cwd != "" {
		lines = append(lines, "cwd: "+starter.Text(cwd))
	}
	return lines
}

// unsaid has a variable of the environment in the place of each value that is secret.
func unsaid(values map[string]string, hide func(string) string) map[string]string {
	all := joined(values)
	other := regexp.MustCompile(`[^A-Za-z0-9]`)
	for name, value := range all {
		if hide(value) != value {
			all[name] = "${" + strings.ToUpper(other.ReplaceAllString(name, "_")) + "}"
		}
	}
	return all
}

func pairsAsWritten(written []string, separator string) map[string]string {
	all := map[string]string{}
	for _, one := range written {
		name, value, _ := strings.Cut(one, separator)
		all[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return all
}

// put writes a file, and its folder if that is missing.
func put(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return replace(path, text)
}

// most is how many questions init asks.
const most = 5

// ask asks on a terminal which proposed tools the kit may call.
func (f *initFlags) ask(w world, proposals []starter.Proposal) map[string]bool {
	allowed := map[string]bool{}
	_, reads := terminal(w.in)
	if _, shows := terminal(w.err); f.yes || !reads || !shows {
		return allowed
	}
	return answers(w.in, w.err, proposals)
}

func answers(in io.Reader, out io.Writer, proposals []starter.Proposal) map[string]bool {
	allowed := map[string]bool{}
	typed := bufio.NewScanner(in)
	asked := 0
	for _, p := range proposals {
		if p.Tool == "" || asked == most {
			continue
		}
		asked++
		_, _ = fmt.Fprintf(out, "May the kit call %s, to judge %d cases of %s? [y/N] ", p.Tool, p.Cases, p.Role)
		if !typed.Scan() {
			break
		}
		answer := bytes.ToLower(bytes.TrimSpace(typed.Bytes()))
		allowed[string(p.Role)] = slices.Contains([]string{"y", "yes"}, string(answer))
	}
	return allowed
}
