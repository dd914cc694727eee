package golden

import (
	"bytes"
	"strings"
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

// FitsNot fails the test where it does.
func FitsNot(t *testing.T, schema string, document []byte) {
	t.Helper()
	if validate(schema, document) == nil {
		t.Errorf("the schema takes what it should refuse: %.300s", document)
	}
}

func validate(schema string, document []byte) error {
	tree, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", tree); err != nil {
		return err
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}
