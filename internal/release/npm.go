package main

import (
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
)

// scripts are the files of the npm package that picks the program.
//
//go:embed npm
var scripts embed.FS

const scope = "@mcp-conform/"

func (s system) packageName() string { return scope + s.npmOS + "-" + s.npmArch }

// npmPackage holds the program for one system; npm installs the one that fits.
func (s system) npmPackage(version, name string, program []byte, texts map[string][]byte) ([]byte, error) {
	return packed(map[string]any{
		"name": s.packageName(), "version": plainVersion(version), "description": "mcp-conform for " + s.npmOS + " on " + s.npmArch,
		"license": "Apache-2.0", "os": []string{s.npmOS}, "cpu": []string{s.npmArch}, "preferUnplugged": true,
	}, []file{{"bin/" + name, program, true}}, texts)
}

// mainPackage depends on the packages of all systems, which npm skips where they do not fit.
// It downloads nothing when it is installed.
func mainPackage(version string, texts map[string][]byte) ([]byte, error) {
	optional := map[string]string{}
	for _, s := range systems() {
		optional[s.packageName()] = plainVersion(version)
	}
	var files []file
	err := fs.WalkDir(scripts, "npm", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := scripts.ReadFile(path)
		name := path[len("npm/"):]
		files = append(files, file{name, text, name == "bin/mcp-conform.js"})
		return err
	})
	if err != nil {
		return nil, err
	}
	return packed(map[string]any{
		"name": "mcp-conform", "version": plainVersion(version), "description": "Judge MCP servers by the protocol's own requirements",
		"license": "Apache-2.0", "type": "module", "engines": map[string]string{"node": ">=18"},
		"bin": map[string]string{"mcp-conform": "bin/mcp-conform.js"}, "main": "index.js", "types": "index.d.ts",
		"optionalDependencies": optional,
	}, files, texts)
}

// packed is an npm package as npm pack writes it.
func packed(about map[string]any, files []file, texts map[string][]byte) ([]byte, error) {
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return nil, err
	}
	all := append([]file{{"package.json", append(text, '\n'), false}}, files...)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, file{name, texts[name], false})
	}
	return tarred("package/", all)
}
