package probe

import "fmt"

// ExtensionMisfit says how a value breaks a definition of an extension's
// schema; it is empty when it fits. The pointer says where the value stands in
// its message.
//
// Deprecated: pages move to proposal.SchemaProblem.
func (c *Client) ExtensionMisfit(extension, definition, pointer string, value any) (string, error) {
	set, err := c.setup.Schemas.Extension(extension)
	if err != nil {
		return "", err
	}
	if !set.Has(definition) {
		return "", fmt.Errorf("the schema of %s has no %s", extension, definition)
	}
	return Faults(pointer, set.Validate(definition, value)), nil
}

// Declares reports whether the output schema of a listed tool has a property
// of this name: then such a member of its answers is the tool's own.
//
// Deprecated: pages move to proposal.Declares.
func (s *Survey) Declares(tool, property string) bool {
	for _, item := range s.Lists["tools/list"] {
		if listed := record(item); listed["name"] == tool {
			_, ok := record(record(listed["outputSchema"])["properties"])[property]
			return ok
		}
	}
	return false
}
