package core

import (
	"encoding/json"
	"sync"

	"github.com/mcp-conform/mcp-conform/schemas"
)

// A checker compiles a schema when it is first needed: a process that lists
// its tools and exits should not pay for schemas.
type checker struct {
	once   sync.Once
	schema *schemas.Schema // nil when the schema is not usable
}

// misfit says what is wrong with arguments, in words for a model; empty if
// nothing is.
func (c *Core) misfit(schema, arguments json.RawMessage) string {
	entry, _ := c.schemas.LoadOrStore(string(schema), &checker{})
	check, ok := entry.(*checker)
	if !ok {
		return "the input schema is not usable"
	}
	check.once.Do(func() {
		if document, err := tree(schema); err == nil {
			check.schema, _ = schemas.Compile(document) // without it no call is let through
		}
	})
	value, err := tree(arguments)
	if check.schema == nil || err != nil {
		return "the input schema is not usable"
	}
	faults, undecided := check.schema.Validate(value)
	switch {
	case undecided:
		return "the arguments are too much to check"
	case len(faults) > 0:
		return oneLine("arguments" + faults[0].Pointer + " is " + faults[0].Got + ", want " + faults[0].Want)
	default:
		return ""
	}
}
