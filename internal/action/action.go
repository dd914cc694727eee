// Package action reads action.yml as far as its tests need it: they run the steps of the
// action like a runner, in a made-up environment. Steps that need GitHub, an upload for
// example, are noted and left out.
package action

import (
	"fmt"
	"regexp"
	"strings"
)

// An Action holds the inputs, outputs and steps of action.yml.
type Action struct {
	Inputs  map[string]Input  `yaml:"inputs"`
	Outputs map[string]Output `yaml:"outputs"`
	Runs    struct {
		Using string `yaml:"using"`
		Steps []Step `yaml:"steps"`
	} `yaml:"runs"`
}

// An Input is a setting that a workflow may give.
type Input struct {
	Description string `yaml:"description"`
	Default     string `yaml:"default"`
}

// An Output is a value that a workflow may read.
type Output struct {
	Description string `yaml:"description"`
	Value       string `yaml:"value"`
}

// A Step is a script of ours or a foreign action.
type Step struct {
	ID               string            `yaml:"id"`
	If               string            `yaml:"if"`
	Uses             string            `yaml:"uses"`
	Shell            string            `yaml:"shell"`
	Run              string            `yaml:"run"`
	WorkingDirectory string            `yaml:"working-directory"`
	Env              map[string]string `yaml:"env"`
}

var expression = regexp.MustCompile(`\$\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}`)

// Filled puts values into a text with expressions. Expressions within a value stay as
// they are.
func Filled(text string, values map[string]string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		return values[expression.FindStringSubmatch(found)[1]]
	})
}

var unequal = regexp.MustCompile(`^([A-Za-z0-9_.-]+) != '([^']*)'$`)

// Holds evaluates the condition of a step: comparisons and always(), joined by &&.
// Anything else is an error, so that no test passes by a condition it misread.
func Holds(condition string, values map[string]string, failed bool) (bool, error) {
	always := false
	holds := true
	for term := range strings.SplitSeq(condition, "&&") {
		term = strings.TrimSpace(term)
		parts := unequal.FindStringSubmatch(term)
		switch {
		case term == "":
		case term == "always()":
			always = true
		case parts != nil:
			holds = holds && values[parts[1]] != parts[2]
		default:
			return false, fmt.Errorf("cannot evaluate %q", term)
		}
	}
	return holds && (always || !failed), nil
}
