package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// parts lists the modules inside a program, as CycloneDX does.
func parts(path, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl"`
	}
	module := func(kind, path, version string) component {
		return component{kind, path, version, "pkg:golang/" + path + "@" + version}
	}
	all := []component{{"library", "std", info.GoVersion, "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, module("library", m.Path, m.Version))
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": module("application", info.Main.Path, version)},
		"components": all,
	}, "", "  ")
}

// A used module is one that the program is built from.
type used struct{ Path, Version, Dir string }

// thirdParties are the licences of everything that is built into the program.
func thirdParties() ([]byte, error) {
	seen := map[string]used{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		const module = `{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`
		cmd := exec.CommandContext(context.Background(), "go", "list", "-deps", "-f", module, "./cmd/mcp-conform")
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
				seen[f[0]] = used{f[0], f[1], f[2]}
			}
		}
	}
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	all := []used{{Path: "The Go standard library", Dir: strings.TrimSpace(string(root))}}
	for _, m := range seen {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b used) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	b.WriteString("mcp-conform is built from these modules, under their licences.\n")
	for _, m := range all {
		texts, err := licences(m.Dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.TrimSpace(m.Path+" "+m.Version), strings.Repeat("=", 80),
			strings.TrimSpace(texts))
	}
	return b.Bytes(), nil
}

// licences are the texts of the licence files in a folder. There has to be one.
func licences(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var all []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"},
			func(start string) bool { return strings.HasPrefix(name, start) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		all = append(all, strings.TrimSpace(string(text)))
	}
	if len(all) == 0 {
		// The distributions of some systems keep the licence of Go elsewhere.
		return "", errors.Join(errors.New("there is no licence in "+dir), fs.ErrNotExist)
	}
	return strings.Join(all, "\n\n"), nil
}
