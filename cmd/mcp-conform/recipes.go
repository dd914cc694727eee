package main

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

// A recipe runs the kit on a build server.
type recipe struct{ name, file, text string }

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
      - run: mcp-conform run --format text,summary --out mcp-conform-report
      - if: always()
        run: cat mcp-conform-report/summary.md >> "$GITHUB_STEP_SUMMARY"
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: mcp-conform-report
          path: mcp-conform-report
`},
		{"gitlab", ".gitlab-ci.mcp-conform.yml", `# Include this file: include: .gitlab-ci.mcp-conform.yml
conformance:
  image: golang:latest
  script:
    # Build your server here; the image has to have what the server needs.
    - go install github.com/mcp-conform/mcp-conform/cmd/mcp-conform@latest
    - mcp-conform run --out mcp-conform-report
  artifacts:
    when: always
    paths: [mcp-conform-report]
    reports:
      junit: mcp-conform-report/junit.xml
`},
		{"jenkins", "Jenkinsfile.mcp-conform", `// A pipeline of its own, or a stage of yours.
pipeline {
  agent any
  stages {
    stage('conformance') {
      steps {
        // Build your server here.
        sh 'go install github.com/mcp-conform/mcp-conform/cmd/mcp-conform@latest'
        sh '"$(go env GOPATH)/bin/mcp-conform" run --out mcp-conform-report'
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
`},
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
