package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The commands in the documents work, and print the findings that the documents show.
func TestDocuments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: the commands of the documents are not run")
	}
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents", err)
	}
	dir := t.TempDir()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		script := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".md")+".txtar")
		if err := os.WriteFile(script, []byte(scripted(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmds := commands(t.Context())
	cmds["configured"] = configured
	testscript.Run(t, testscript.Params{Dir: dir, Setup: surroundings, Cmds: cmds})
}

// configured puts the configuration where the command reads it, with a free address.
func configured(ts *testscript.TestScript, _ bool, _ []string) {
	text := strings.ReplaceAll(ts.ReadFile("config.yaml"), "$DEAD_ADDRESS", ts.Getenv("DEAD_ADDRESS"))
	ts.Check(os.WriteFile(ts.MkAbs("mcp-conform.yaml"), []byte(text), 0o600))
}

var titled = regexp.MustCompile(`\A# ([a-z-]+\.yaml)\n`)

var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// scripted makes a script of a document: the first block of YAML is the configuration, or
// the file that its first line names. Each line of sh is run, and a block of text must be in the output of the command
// before it. A command with an exit code other than 0 names the code behind #.
func scripted(document string) string {
	document = strings.ReplaceAll(document, "127.0.0.1:8080", "$DEAD_ADDRESS")
	var script, config, files string
	for _, found := range block.FindAllStringSubmatch(document, -1) {
		switch kind, body := found[1], found[2]; kind {
		case "yaml":
			if name := titled.FindStringSubmatch(body); name != nil {
				files += "-- " + name[1] + " --\n" + body
			} else if config == "" {
				config = body
			}
		case "sh":
			for line := range strings.Lines(body) {
				command, code, ends := strings.Cut(strings.TrimSpace(line), " # exit code ")
				if !ends {
					code = "0"
				}
				script += "exits " + code + " " + command + "\n"
			}
		case "text":
			for line := range strings.Lines(body) {
				script += "stdout '" + strings.ReplaceAll(pattern(strings.TrimSpace(line)), "'", "''") + "'\n"
			}
		}
	}
	return "configured\n" + script + "-- config.yaml --\n" + config + files
}

// pattern matches a line of a document, even if the document cuts it.
func pattern(line string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".*")
}

// Each test that SECURITY.md names exists, and each fuzz test is one of those that
// "make fuzz" runs.
func TestSecurityNamesTests(t *testing.T) {
	t.Parallel()
	policy, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, cell := range regexp.MustCompile("`([a-z/_-]+)` ((?:(?:Test|Fuzz)[A-Za-z0-9]+(?:/[a-z]+)?(?:, )?)+)").FindAllStringSubmatch(string(policy), -1) {
		dir := filepath.Join("../..", cell[1])
		code := ""
		files, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is well formed
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code += string(text)
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(cell[2], ", "), ", ") {
			named++
			function, script, _ := strings.Cut(name, "/")
			if !strings.Contains(code, "func "+function+"(") {
				t.Errorf("there is no %s in %s", function, cell[1])
			}
			if _, err := os.Stat(filepath.Join(dir, "testdata", "script", script+".txtar")); script != "" && err != nil {
				t.Error(err)
			}
			if strings.HasPrefix(name, "Fuzz") && !strings.Contains(string(makefile), cell[1]+":"+name+" ") && !strings.Contains(string(makefile), cell[1]+":"+name+"\n") {
				t.Errorf("make fuzz does not run %s of %s", name, cell[1])
			}
		}
	}
	if named < 30 {
		t.Errorf("SECURITY.md names %d tests", named)
	}
}

// The documents name the files that a finding may point to, in the order in which they are looked for.
func TestPlacesInDocuments(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Join(strings.Fields(string(text)), " ")
	if want := "`" + strings.Join(likely(), "`, `") + "`"; !strings.Contains(listed, want) {
		t.Errorf("docs/reports.md lacks %s", want)
	}
}
