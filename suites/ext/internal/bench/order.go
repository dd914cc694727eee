package bench

import (
	"bytes"
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Reversed is the text of an object whose properties come in the opposite order, also in the
// objects within; nil where no object has two.
func Reversed(object probe.Object) json.RawMessage {
	if text, differs := reversed(json.RawMessage(probe.JSON(object))); differs {
		return text
	}
	return nil
}

func reversed(text json.RawMessage) (other json.RawMessage, differs bool) {
	reader := json.NewDecoder(bytes.NewReader(text))
	if open, err := reader.Token(); err != nil || open != json.Delim('{') {
		return text, false
	}
	var members []byte
	for count := 0; reader.More(); count++ {
		name, _ := reader.Token()
		var value json.RawMessage
		if reader.Decode(&value) != nil {
			return text, false
		}
		value, within := reversed(value)
		differs = differs || within || count > 0
		member := append([]byte(probe.JSON(name)+":"), value...)
		if count > 0 {
			member = append(append(member, ','), members...)
		}
		members = member
	}
	return append(append([]byte{'{'}, members...), '}'), differs
}
