package core

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
)

func members(raw json.RawMessage) map[string]json.RawMessage { return envelope.Members(raw) }

func isObject(raw json.RawMessage) bool {
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{'
}

func text(raw json.RawMessage) (string, bool) { return envelope.Text(raw) }

// tree decodes any value and keeps numbers as they were written.
func tree(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// oneLine makes a text from outside fit for an error message.
func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
