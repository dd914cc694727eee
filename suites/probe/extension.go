package probe

import "fmt"

// ExtensionProblem says how a value breaks a definition of an extension's
// schema; it is empty where the value fits. The pointer is the place of the
// value in its message.
func (c *Client) ExtensionProblem(extension, definition, pointer string, value any) string {
	set, err := c.setup.Schemas.Extension(extension)
	c.must(err)
	if !set.Has(definition) {
		c.Stop(fmt.Errorf("the schema of %s has no %s", extension, definition))
	}
	return Faults(pointer, set.Validate(definition, value))
}
