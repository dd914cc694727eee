package golden

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Fits fails the test where a JSON document does not fit a schema.
func Fits(t *testing.T, schema string, document []byte) {
	t.Helper()
	if err := validate(schema, document); err != nil {
		t.Error(err)
	}
}

// FitsNot fails the test where a JSON document fits a schema.
func FitsNot(t *testing.T, schema string, document []byte) {
	t.Helper()
	if validate(schema, document) == nil {
		t.Errorf("the schema takes what it should refuse: %.300s", document)
	}
}

func validate(schema string, document []byte) error {
	judge, err := compiled(schema)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return err
	}
	return judge.Validate(value)
}

// known are the schemas that documents were judged by, by their text.
//
//nolint:gochecknoglobals // compiling one takes longer than judging most documents by it
var known sync.Map

func compiled(schema string) (*jsonschema.Schema, error) {
	if judge, ok := known.Load(schema); ok {
		return judge.(*jsonschema.Schema), nil
	}
	tree, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", tree); err != nil {
		return nil, err
	}
	judge, err := c.Compile("schema.json")
	if err == nil {
		known.Store(schema, judge)
	}
	return judge, err
}
