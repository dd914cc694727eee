package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// grammar checks that the text is one JSON value in UTF-8 without duplicate
// members.
func grammar(raw []byte, f *fault.Fault) *Problem {
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		return &Problem{Code: ParseError, Text: "the text begins with a byte order mark"}
	}
	if jsontext.Value(raw).IsValid() {
		return nil
	}
	switch err := check(raw); {
	case !errors.Is(err, jsontext.ErrDuplicateName):
		return &Problem{Code: ParseError, Text: "the text is not JSON in UTF-8"}
	}
	// A duplicate may precede a real error of the grammar.
	if check(raw, jsontext.AllowDuplicateNames(true)) != nil {
		return &Problem{Code: ParseError, Text: "the text is not JSON in UTF-8"}
	}
	if f.Skips(fault.CheckDuplicates) {
		return nil
	}
	return &Problem{Code: InvalidRequest, Text: "a member appears twice in an object"}
}

func check(raw []byte, options ...jsontext.Options) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw), options...)
	if err := decoder.SkipValue(); err != nil {
		return err
	}
	if _, err := decoder.ReadToken(); err == nil {
		return errors.New("there is text after the value")
	}
	rest := raw[decoder.InputOffset():]
	if len(bytes.TrimLeft(rest, " \t\r\n")) != 0 {
		return errors.New("there is text after the value")
	}
	return nil
}

// idOf finds the id of a request with a duplicate member, unless the id itself is
// ambiguous.
func idOf(raw []byte, p *Problem) json.RawMessage {
	if p.Code != InvalidRequest || kindOf(raw) != '{' {
		return nil
	}
	var id json.RawMessage
	for name, value := range walk(raw) {
		if name != "id" {
			continue
		}
		if _, ok := idKey(value); !ok || id != nil {
			return nil
		}
		id = value
	}
	return id
}

// Members reads an object one level deep; other values have no members. The caller has
// checked the grammar; the returned members are parts of raw.
func Members(raw []byte) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if kindOf(raw) != '{' {
		return all
	}
	maps.Insert(all, walk(raw))
	return all
}

// walk yields the members of an object with a checked grammar: names decoded,
// duplicates included.
func walk(raw []byte) func(yield func(string, json.RawMessage) bool) {
	return func(yield func(string, json.RawMessage) bool) {
		decoder := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if _, err := decoder.ReadToken(); err != nil {
			return
		}
		for decoder.PeekKind() == '"' {
			name, err := decoder.ReadToken()
			if err != nil {
				return
			}
			member := name.String()
			value, err := decoder.ReadValue()
			end := decoder.InputOffset()
			if err != nil || !yield(member, raw[end-int64(len(value)):end:end]) {
				return
			}
		}
	}
}

func elements(raw []byte) []json.RawMessage {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	if _, err := decoder.ReadToken(); err != nil {
		return nil
	}
	var all []json.RawMessage
	for decoder.PeekKind() != ']' {
		value, err := decoder.ReadValue()
		if err != nil {
			return all
		}
		all = append(all, json.RawMessage(value.Clone()))
	}
	return all
}

// kindOf is the first byte of the value: {, [, ", n, t, f, or the digit 0 for
// any number.
func kindOf(raw []byte) byte {
	return byte(jsontext.Value(bytes.TrimLeft(raw, " \t\r\n")).Kind())
}

// Text reads a string; ok is false for anything else.
func Text(raw json.RawMessage) (s string, ok bool) {
	if kindOf(raw) != '"' {
		return "", false
	}
	decoded, err := jsontext.AppendUnquote(nil, raw)
	return string(decoded), err == nil
}

// IDKey returns a text that is equal for equal ids, and false for a value that cannot
// be an id.
func IDKey(raw json.RawMessage) (string, bool) { return idKey(raw) }

func idKey(raw json.RawMessage) (string, bool) {
	switch kindOf(raw) {
	case '"':
		decoded, ok := Text(raw)
		return "text " + decoded, ok
	case '0':
		return integer(string(raw))
	default:
		return "", false
	}
}

// integer takes the digits as they are: an id may be larger than any machine number. A
// fraction of zeros is an integer too; an exponent is not accepted.
func integer(number string) (string, bool) {
	whole, fraction, _ := strings.Cut(number, ".")
	if strings.Trim(fraction, "0") != "" || strings.ContainsAny(number, "eE") {
		return "", false
	}
	if whole == "-0" {
		whole = "0"
	}
	return "number " + whole, true
}
