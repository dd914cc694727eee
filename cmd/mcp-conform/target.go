package main

import (
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// targetFlags name the target on the command line.
type targetFlags struct {
	url     string
	from    string // file of a client
	server  string // its name there
	all     bool   // every server of the file
	headers []string
	env     []string
	cwd     string
	command []string // after --
}

func (f *targetFlags) section() section {
	s := flags()
	s.Var(&single{value: &f.url}, "url", "judge the HTTP endpoint `URL`; a command after -- is started to serve it")
	s.Var(&single{value: &f.from}, "from", "judge a server that `FILE` names, which is .mcp.json or what another client, or the registry, "+
		"reads; or a fleet in YAML")
	s.Var(&single{value: &f.server}, "server", "the `NAME` of the server in the file of --from, if it has several")
	s.StringArrayVar(&f.headers, "header", nil, "send `'Name: value'` with every HTTP request, ${NAME} from the environment; repeatable")
	s.StringArrayVar(&f.env, "env", nil, "add `KEY=VALUE` to the environment of the command; repeatable")
	s.Var(&single{value: &f.cwd}, "cwd", "start the command in this `directory`")
	return section{"Target", s}
}

// named tells whether the command line names the target.
func (f *targetFlags) named(set *pflag.FlagSet) bool {
	return set.Changed("url") || set.Changed("from") && !namesFleet(f.from) || len(f.command) > 0
}

// apply puts the flags into the configuration. A target on the command line replaces the
// command and the URL of the file; headers, environment and the rest are added to or
// kept.
func (f *targetFlags) apply(c config.Config, set *pflag.FlagSet, env config.Environment) (config.Config, error) {
	t := &c.Target
	if f.named(set) {
		t.Command, t.Args, t.Start = nil, nil, nil
		t.URL, t.SSEURL, t.WellKnownURL, t.CapabilitiesURL = "", "", "", ""
		if t.Cwd == c.Dir {
			t.Cwd = "" // the directory of the file is for its own command
		}
	}
	switch {
	case set.Changed("url"):
		if err := checkURL(f.url); err != nil {
			return c, err
		}
		t.URL, t.Start = f.url, f.command
	case len(f.command) > 0 && !set.Changed("from"):
		t.Command = f.command
	}
	if set.Changed("from") && !namesFleet(f.from) {
		var err error
		if c, err = f.takeFrom(c, env); err != nil {
			return c, err
		}
		t = &c.Target
	}
	if set.Changed("cwd") {
		t.Cwd = f.cwd
	}
	c, err := f.add(c, env)
	if err != nil {
		return c, err
	}
	if err := c.Target.Check(); err != nil {
		return c, &misuse{problem: err.Error()}
	}
	return c, f.useless(c.Target, set)
}

// add puts headers and environment into the target. Values of ${NAME} are secret.
func (f *targetFlags) add(c config.Config, env config.Environment) (config.Config, error) {
	var secrets []string
	headers, err := pairs("--header", f.headers, ":", config.CheckHeader, env, &secrets)
	if err != nil {
		return c, err
	}
	variables, err := pairs("--env", f.env, "=", config.CheckVariable, env, &secrets)
	if err != nil {
		return c, err
	}
	c.Target.Headers = joined(c.Target.Headers, headers)
	c.Target.Env = joined(c.Target.Env, variables)
	return c.Hide(secrets...), nil
}

// useless finds flags that would have no effect.
func (f *targetFlags) useless(t config.Target, set *pflag.FlagSet) error {
	switch {
	case f.server != "" && !set.Changed("from"):
		return &misuse{"--server is for --from, and no file is named", ""}
	case f.all && !set.Changed("from"):
		return &misuse{"--all is for --from, and no file is named", ""}
	}
	overHTTP, started := t.URL != "" || t.SSEURL != "", len(t.Command) > 0 || len(t.Start) > 0
	switch {
	case len(f.headers) > 0 && !overHTTP:
		return &misuse{"--header is for HTTP, and the target has no URL", "name one with --url"}
	case (len(f.env) > 0 || set.Changed("cwd")) && !started:
		return &misuse{"--env and --cwd are for a command, and none is started", "name one after --"}
	}
	return nil
}

// given is the target as it was named, for people. Secrets are hidden first: a shell's
// quotes could break them up.
func given(t config.Target, hide func(string) string) string {
	var parts []string
	if len(t.Command) > 0 {
		parts = append(parts, shellWords(each(t.Argv(), hide)))
	}
	switch {
	case t.URL != "" && len(t.Start) > 0:
		parts = append(parts, hide(t.URL)+", served by "+shellWords(each(t.StartArgv(), hide)))
	case t.URL != "":
		parts = append(parts, hide(t.URL))
	case t.SSEURL != "":
		parts = append(parts, hide(t.SSEURL))
	}
	return strings.Join(parts, " and ")
}

// rerun is the end of a command line that names the same target.
func (f *targetFlags) rerun(set *pflag.FlagSet) []string {
	var words []string
	if set.Changed("from") {
		words = append(words, "--from", f.from, "--server", f.server)
	}
	if set.Changed("url") {
		words = append(words, "--url", f.url)
	}
	for _, h := range f.headers {
		words = append(words, "--header", h)
	}
	for _, e := range f.env {
		words = append(words, "--env", e)
	}
	if set.Changed("cwd") {
		words = append(words, "--cwd", f.cwd)
	}
	return words
}

// longestSlip is how much is shown of a word that lacks its separator: the word may be a
// secret value.
const longestSlip = 12

// pairs reads NAME, a separator and a value; values from the environment join the
// secrets.
func pairs(flag string, written []string, separator string, check func(name, value string) error,
	env config.Environment, secrets *[]string,
) (map[string]string, error) {
	all := map[string]string{}
	for _, one := range written {
		name, value, found := strings.Cut(one, separator)
		name = strings.TrimSpace(name)
		if !found && len(name) > longestSlip {
			return nil, &misuse{flag + ": want NAME" + separator + "VALUE", ""} // the text may be the value
		}
		if !found || name == "" || strings.ContainsAny(name, " \t\r\n\"") {
			return nil, &misuse{flag + " " + quoted(name) + ": want NAME" + separator + "VALUE", ""}
		}
		expanded, values, err := config.Expand(value, env)
		if err != nil {
			return nil, &misuse{flag + " " + quoted(name) + ": " + err.Error(), ""}
		}
		if separator == ":" {
			expanded = strings.TrimSpace(expanded)
		}
		if err := check(name, expanded); err != nil {
			return nil, &misuse{flag + " " + quoted(name) + ": " + err.Error(), ""}
		}
		*secrets = append(*secrets, values...)
		all[name] = expanded
	}
	return all, nil
}

func joined(all ...map[string]string) map[string]string {
	sum := map[string]string{}
	for _, each := range all {
		maps.Copy(sum, each)
	}
	return sum
}

func checkURL(text string) error {
	if text == "" {
		return &misuse{"--url is empty", "is a variable unset?"}
	}
	if err := config.CheckURL(text); err != nil {
		return &misuse{"--url " + quoted(text) + " is not an HTTP address", err.Error() + ", as in http://127.0.0.1:8080/mcp"}
	}
	return nil
}
