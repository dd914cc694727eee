package core

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// members reads an object one level deep; of anything else it finds none.
func members(raw json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if !isObject(raw) {
		return all
	}
	// The envelope has checked the grammar.
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		end := d.InputOffset()
		all[name] = raw[end-int64(len(value)) : end : end]
	}
	return all
}

func isObject(raw json.RawMessage) bool {
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{'
}

func text(raw json.RawMessage) (string, bool) {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		return "", false
	}
	return *s, true
}

// tree reads any value so that numbers stay as they were written.
func tree(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// Encode writes a message on one line, its members in the customary order.
func Encode(m fault.Message) []byte {
	var line bytes.Buffer
	line.WriteByte('{')
	for i, name := range order(m) {
		if i > 0 {
			line.WriteByte(',')
		}
		line.Write(encode(name))
		line.WriteByte(':')
		line.Write(encode(m[name]))
	}
	line.WriteByte('}')
	return line.Bytes()
}

// EncodeList writes messages as one list.
func EncodeList(all []fault.Message) []byte {
	texts := make([][]byte, len(all))
	for i, m := range all {
		texts[i] = Encode(m)
	}
	return slices.Concat([]byte("["), bytes.Join(texts, []byte(",")), []byte("]"))
}

func order(m fault.Message) []string {
	customary := []string{"jsonrpc", "id", "method", "params", "result", "error"}
	names := slices.Sorted(maps.Keys(m))
	rank := func(name string) int {
		if i := slices.Index(customary, name); i >= 0 {
			return i
		}
		return len(customary)
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// encode leaves <, > and & as they are: a server has no reason to fear HTML.
// What a fault puts into a message and no JSON can say becomes null.
func encode(value any) []byte {
	if raw, ok := value.(json.RawMessage); ok && json.Valid(raw) {
		return raw
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(out.Bytes())
}
