package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

// A recipe runs the kit on a build server.
type recipe struct {
	name, file, text string                        // RUN in the text is the command
	program          string                        // the kit, as a shell there finds it
	quote            func(shellLine string) string // how the text holds a command
}

// with is the recipe for a configuration: a run that names none may judge another server.
func (r recipe) with(config string) []byte {
	line := r.program + " run --config " + shellWord(filepath.ToSlash(config)) + " --out mcp-conform-report"
	return []byte(strings.ReplaceAll(r.text, "RUN", r.quote(line)))
}

// yamlLine writes a command as a value of YAML.
func yamlLine(line string) string {
	if !strings.ContainsAny(line, `'"`) {
		return line
	}
	text, _ := json.Marshal(line) // every string has a form
	return string(text)
}

// groovyLine writes a command as a string of Groovy.
func groovyLine(line string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(line) + "'"
}

func recipes() []recipe {
	return []recipe{
		{"github", ".github/workflows/conformance.yml", `name: conformance
on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  conformance:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      # Build your server here, as in: npm ci && npm run build
      - uses: actions/setup-go@v6
        with:
          go-version: stable
          cache: false
      - run: go install github.com/mcp-conform/mcp-conform/cmd/mcp-conform@latest
      - run: RUN # also writes the summary of the job
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: mcp-conform-report
          path: mcp-conform-report
`, program, yamlLine},
		{"gitlab", ".gitlab-ci.mcp-conform.yml", `# Include this file: include: .gitlab-ci.mcp-conform.yml
conformance:
  image: golang:latest
  script:
    # Build your server here; the image has to have what the server needs.
    - go install github.com/mcp-conform/mcp-conform/cmd/mcp-conform@latest
    - RUN
  artifacts:
    when: always
    paths: [mcp-conform-report]
    reports:
      junit: mcp-conform-report/junit.xml
`, program, yamlLine},
		{"jenkins", "Jenkinsfile.mcp-conform", `// A pipeline of its own, or a stage of yours.
pipeline {
  agent any
  stages {
    stage('conformance') {
      steps {
        // Build your server here.
        sh 'go install github.com/mcp-conform/mcp-conform/cmd/mcp-conform@latest'
        sh RUN
      }
    }
  }
  post {
    always {
      junit 'mcp-conform-report/junit.xml'
      archiveArtifacts 'mcp-conform-report/**'
    }
  }
}
`, `"$(go env GOPATH)/bin/mcp-conform"`, groovyLine},
	}
}

func recipeNames() []string {
	var names []string
	for _, r := range recipes() {
		names = append(names, r.name)
	}
	return names
}

// recipeOf finds the recipe; without a name it is empty.
func recipeOf(name string) (recipe, error) {
	i := slices.IndexFunc(recipes(), func(r recipe) bool { return r.name == name })
	switch {
	case name == "":
		return recipe{}, nil
	case i < 0:
		return recipe{}, &misuse{"--ci " + quoted(name) + " is not known", "known are " + spelling.Or(recipeNames())}
	}
	return recipes()[i], nil
}
