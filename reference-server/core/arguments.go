package core

import (
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/schemas"
)

// An input is an input schema that is compiled when it is first needed: a process that
// lists its tools and exits should not pay for schemas.
type input struct {
	schema  func() *schemas.Schema // nil when the schema is not usable
	mirrors func() []Mirror
}

// inputs holds the inputs of all servers of a program by the text of the schema: except
// for faults the servers have the same tools, and selftest makes thousands of servers.
//
//nolint:gochecknoglobals // see above
var inputs sync.Map

func inputOf(schema json.RawMessage) *input {
	if known, ok := inputs.Load(string(schema)); ok {
		return known.(*input)
	}
	made := &input{
		schema: sync.OnceValue(func() *schemas.Schema {
			document, err := tree(schema)
			if err != nil {
				return nil
			}
			compiled, _ := schemas.Compile(document) // without a schema every call is refused
			return compiled
		}),
		mirrors: sync.OnceValue(func() []Mirror { return mirrors(&mcp.Tool{RawInputSchema: schema}) }),
	}
	known, _ := inputs.LoadOrStore(string(schema), made)
	return known.(*input)
}

// misfit says what is wrong with arguments, in words for a model; empty if nothing is
// wrong.
func misfit(schema, arguments json.RawMessage) string {
	usable := inputOf(schema).schema()
	if usable == nil {
		return "the input schema is not usable"
	}
	return mismatch("arguments", usable, arguments)
}

// mismatch says where a value does not fit the schema; empty if it fits everywhere.
// The text calls the value by the name.
func mismatch(name string, schema *schemas.Schema, raw json.RawMessage) string {
	value, err := tree(raw)
	if err != nil {
		return name + " cannot be read"
	}
	faults, undecided := schema.Validate(value)
	switch {
	case undecided:
		return "there is too much to check in " + name
	case len(faults) > 0:
		return oneLine(name + faults[0].Pointer + " is " + faults[0].Got + ", want " + faults[0].Want)
	default:
		return ""
	}
}
