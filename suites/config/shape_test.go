package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// The shape of each field, and of each member of it, is one that a file may have.
func TestShapesAreRead(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, spec := range roles.Known() {
		for _, field := range spec.Fields {
			for _, inner := range append([]string{"no-such-member"}, below("", field)...) {
				if spec.Name == roles.Principals {
					continue
				}
				text := fmt.Sprintf("roles:\n  %s:\n", spec.Name)
				for _, other := range spec.Fields {
					if other.Name != field.Name && (other.Required || other.Name == field.Of || other.Name == "tool" && field.Name == "arguments") {
						text += "    " + other.Name + ": " + other.Shape() + "\n"
					}
				}
				text += "    " + field.Name + ": " + field.Shape(inner) + "\n"
				tried++
				if _, err := config.Parse("shapes.yaml", []byte(strings.ReplaceAll(text, "NUMBER", "2")), environment, known()); err != nil {
					t.Errorf("%v\n%s", err, text)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d shapes were tried", tried)
	}
}

// below lists the paths of all members of a field.
func below(path string, f roles.Field) []string {
	var all []string
	for _, m := range f.Members() {
		all = append(all, path+m.Name)
		all = append(all, below(path+m.Name+".", m)...)
	}
	return all
}
