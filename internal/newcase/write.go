package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// page writes the literal and its function, and lists them in the suite. It makes a
// missing package, with its proof.
func page(n names) ([]string, error) {
	var written []string
	list := filepath.Join(n.dir(), n.pkg()+".go")
	if _, err := os.Stat(list); err != nil {
		if err := create(list, suiteText, n); err != nil {
			return nil, err
		}
		if err := create(filepath.Join(n.dir(), "proof_test.go"), proofText, n); err != nil {
			return nil, err
		}
		if err := register(n); err != nil {
			return nil, err
		}
		written = append(written, list, filepath.Join(n.dir(), "proof_test.go"), "suites/internal/pages/pages.go")
	}
	path := filepath.Join(n.dir(), n.file())
	text := caseText
	if n.watch {
		text = watcherText
	}
	if err := create(path, text, n); err != nil {
		return written, err
	}
	return append(written, path, enlist(list, n)), nil
}

// breaker writes the fault.
func breaker(n names) ([]string, error) {
	var written []string
	list := filepath.Join(n.faults(), n.pkg()+".go")
	if n.extension() {
		list = filepath.Join(n.faults(), "faults.go")
	}
	if _, err := os.Stat(list); err != nil {
		if err := create(list, faultsText, n); err != nil {
			return nil, err
		}
		if err := area(n); err != nil {
			return nil, err
		}
		written = append(written, list, "reference-server/faults/faults.go")
	}
	path := filepath.Join(n.faults(), n.file())
	if err := create(path, faultText, n); err != nil {
		return written, err
	}
	return append(written, path, appendTo(list, n.fn()+"Faults()")), nil
}

// lawful adds a server that the case must not fail. The servers of lawful.Servers know no
// revision without a handshake: the reference server does.
func lawful(n names) ([]string, error) {
	if n.stateless() {
		path := filepath.Join(n.dir(), strings.TrimSuffix(n.file(), ".go")+"_test.go")
		return []string{path}, create(path, statelessText, n)
	}
	path := filepath.Join(n.dir(), "lawful_test.go")
	if _, err := os.Stat(path); err != nil {
		return []string{path}, create(path, lawfulText, n)
	}
	end := fmt.Sprintf("lawful.Servers(t, %q, []lawful.Row{\n", n.suite)
	row := fmt.Sprintf("\t\t// TODO: a lawful server that %s could fail by mistake.\n", n.id()) +
		fmt.Sprintf("\t\t{Name: %q, Server: &fakeserver.Server{}},\n", n.id())
	return []string{path}, replace(path, end, end+row)
}

// register lists a new suite.
func register(n names) error {
	const path = "suites/internal/pages/pages.go"
	before := "\t\"github.com/mcp-conform/mcp-conform/suites/requirements\"\n"
	if err := replace(path, before, imported(n.ident(), n.pkg(), n.dir())+before); err != nil {
		return err
	}
	return inOrder(path, regexp.MustCompile(`\t\t(\w+)\.Suite\(\),\n`), n.ident()+".Suite(),", n)
}

// area lists a new folder of faults.
func area(n names) error {
	const path = "reference-server/faults/faults.go"
	before := ")\n\n// An Area"
	if err := replace(path, before, imported(n.ident(), filepath.Base(n.faults()), n.faults())+before); err != nil {
		return err
	}
	return inOrder(path, regexp.MustCompile(`\t\t\{"([a-z-]+)", \w+\.Faults\},\n`), fmt.Sprintf("{%q, %s.Faults},", n.suite, n.ident()), n)
}

// imported is the line that imports a package, under its own name or another.
func imported(ident, name, dir string) string {
	if ident == name {
		ident = ""
	}
	return "\t" + ident + " \"github.com/mcp-conform/mcp-conform/" + dir + "\"\n"
}

// inOrder adds an entry to a list of areas, before the first entry that comes later in
// the catalogue.
func inOrder(path string, entry *regexp.Regexp, line string, n names) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(data)
	entries := entry.FindAllStringSubmatchIndex(text, -1)
	if len(entries) == 0 {
		return fmt.Errorf("%s does not list areas any more", path)
	}
	at := entries[len(entries)-1][1]
	for _, e := range entries {
		if n.place(text[e[2]:e[3]]) > n.place(n.suite) {
			at = e[0]
			break
		}
	}
	return writeGo(path, text[:at]+"\t\t"+line+"\n"+text[at:])
}

// create writes a new file, formatted.
func create(path, text string, n names) error {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s is there already", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	kind, proposal := "", ""
	if n.extension() {
		kind = fmt.Sprintf("\t\tExtension: proposal.Extension(%q),\n", n.short())
		proposal = "\t\"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal\"\n"
	}
	filled := strings.NewReplacer(
		"$KIND", kind, "$PROPOSAL", proposal,
		"$PKG", n.pkg(), "$SUITE", n.suite, "$SHORT", n.short(), "$ID", n.id(), "$RULES", quoted(n.rules()), "$EACH", faultsOf(n),
		"$FUNC", n.fn(), "$TEST", strings.ToUpper(n.fn()[:1])+n.fn()[1:],
	).Replace(text)
	return writeGo(path, filled)
}

func quoted(list []string) string {
	return `"` + strings.Join(list, `", "`) + `"`
}

// faultsOf are the literals of the faults, one for each rule.
func faultsOf(n names) string {
	var literals []string
	for i, rule := range n.rules() {
		name := n.fault()
		if i > 0 {
			name += legacy
		}
		literals = append(literals, strings.NewReplacer("$FAULT", name, "$RULE", rule).Replace(oneFault))
	}
	return strings.Join(literals, ", ")
}

func writeGo(path, text string) error {
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return fmt.Errorf("format %s: %w", path, err)
	}
	return os.WriteFile(path, formatted, 0o600)
}

// replace changes the only occurrence of an old text.
func replace(path, old, text string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.Count(string(data), old) != 1 {
		return fmt.Errorf("%s does not have the place for a new line: %q", path, old)
	}
	return writeGo(path, strings.Replace(string(data), old, text, 1))
}
