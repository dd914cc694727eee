package clients

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// A dialect is how one client reads its file.
type dialect struct {
	Place
	project string // the folder in which the client starts servers; empty: none is known
	fill    func(d dialect, name string) (value string, secret bool, missing string)
	inputs  map[string]input
}

// An input is what VS Code asks its user for.
type input struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Default     string `json:"default"`
	Password    bool   `json:"password"`
}

// dialectOf tells by the name of the file and by its members whose rules hold. Files with
// another name are read as those of Claude Code, which most clients took over.
func dialectOf(whole map[string]json.RawMessage, at Place) (client string, d dialect) {
	folder := filepath.Dir(at.Path)
	d = dialect{Place: at}
	switch base, parent := filepath.Base(at.Path), filepath.Base(folder); {
	case base == "claude_desktop_config.json":
		return "Claude Desktop", d // it fills in nothing
	case parent == ".cursor":
		d.project, d.fill = filepath.Dir(folder), editor
		return "Cursor", d
	case parent == ".vscode" || whole["servers"] != nil:
		d.project, d.fill = folder, editor
		if parent == ".vscode" {
			d.project = filepath.Dir(folder)
		}
		var inputs []input
		_ = json.Unmarshal(whole["inputs"], &inputs) // an input that cannot be read is missing where it is used
		d.inputs = map[string]input{}
		for _, one := range inputs {
			d.inputs[one.ID] = one
		}
		return "VS Code", d
	default:
		d.fill = environment
		if base == ".mcp.json" {
			d.project = folder
		}
		return "Claude Code", d
	}
}

var placeholder = regexp.MustCompile(`\$\{([^{}]*)\}`)

// expand fills in the variables of a text. What is not known stays as it is written and is
// noted as missing.
func (d dialect) expand(s *Server, text string) string {
	if d.fill == nil {
		return text
	}
	return placeholder.ReplaceAllStringFunc(text, func(written string) string {
		value, secret, missing := d.fill(d, placeholder.FindStringSubmatch(written)[1])
		if missing != "" {
			s.Missing = append(s.Missing, written+": "+missing)
			return written
		}
		if secret && value != "" {
			s.Secrets = append(s.Secrets, value)
		}
		return value
	})
}

// environment fills in ${NAME} and ${NAME:-default}.
func environment(d dialect, name string) (value string, secret bool, missing string) {
	name, preset, hasPreset := strings.Cut(name, ":-")
	if value, set := d.Env(name); set && (value != "" || !hasPreset) {
		return value, !config.Usual(name), ""
	}
	if hasPreset {
		return preset, false, ""
	}
	return "", false, "the environment variable " + name + " is not set"
}

// editor fills in the variables of VS Code, which Cursor has too.
func editor(d dialect, name string) (value string, secret bool, missing string) {
	kind, of, _ := strings.Cut(name, ":")
	switch kind {
	case "workspaceFolder":
		return d.project, false, ""
	case "workspaceFolderBasename":
		return filepath.Base(d.project), false, ""
	case "userHome":
		return d.Home, false, ""
	case "pathSeparator", "/":
		return string(filepath.Separator), false, ""
	case "env":
		if value, set := d.Env(of); set {
			return value, !config.Usual(of), ""
		}
		return "", false, "the environment variable " + of + " is not set"
	case "input":
		return d.ask(of)
	default:
		return "", false, "nothing here can fill it in"
	}
}

// InputVariable is the environment variable that answers for an input of VS Code.
func InputVariable(id string) string {
	return "MCP_INPUT_" + regexp.MustCompile(`[^A-Za-z0-9_]`).ReplaceAllString(id, "_")
}

// ask answers for the user: by the environment, or by the default.
func (d dialect) ask(id string) (value string, secret bool, missing string) {
	variable := InputVariable(id)
	if value, set := d.Env(variable); set {
		return value, true, ""
	}
	asked, known := d.inputs[id]
	if known && asked.Default != "" {
		return asked.Default, asked.Password, ""
	}
	what := ""
	if asked.Description != "" {
		what = " (" + asked.Description + ")"
	}
	return "", false, "the editor asks for it" + what + "; set " + variable
}

// environmentFile reads NAME=value lines.
func (d dialect) environmentFile(s *Server, path string) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.project, path)
	}
	text, err := d.Read(path)
	if err != nil {
		s.Missing = append(s.Missing, "envFile "+path+": it cannot be read")
		return
	}
	for line := range strings.Lines(string(text)) {
		name, value, assigned := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if name = strings.TrimSpace(name); !assigned || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n > 1 && slices.Contains([]string{`""`, `''`}, value[:1]+value[n-1:]) {
			value = value[1 : n-1]
		}
		s.Env[name] = value
	}
}
