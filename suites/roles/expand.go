package roles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Vars are the values of placeholders. Expanding a placeholder without a value
// is an error.
type Vars struct {
	Nonce  string         // ${nonce}
	Result any            // ${result:/pointer}: result of the previous call, decoded JSON
	Given  map[string]any // ${schema}, ${path}, ${url} and similar ones, by name
}

// Expand returns the value with every placeholder in its texts filled in,
// however deep. A placeholder that is the whole text keeps the type of its
// value. Expand never changes the input.
func Expand(v any, vars Vars) (any, error) {
	switch v := v.(type) {
	case string:
		return expandString(v, vars)
	case []string:
		return ExpandTexts(v, vars)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			expanded, err := Expand(item, vars)
			if err != nil {
				return nil, err
			}
			list[i] = expanded
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			expanded, err := Expand(v[key], vars)
			if err != nil {
				return nil, err
			}
			object[key] = expanded
		}
		return object, nil
	default:
		return v, nil
	}
}

// ExpandTexts fills in the placeholders of a list of texts, such as a command.
func ExpandTexts(texts []string, vars Vars) ([]string, error) {
	expanded := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if expanded[i], err = expandText(text, vars); err != nil {
			return nil, err
		}
	}
	return expanded, nil
}

// Mentions reports whether a value holds a placeholder with this name.
func Mentions(v any, name string) bool {
	switch v := v.(type) {
	case string:
		parts, err := Scan(v)
		return err == nil && slices.ContainsFunc(parts, func(p Part) bool { return p.Name == name })
	case []string:
		return slices.ContainsFunc(v, func(s string) bool { return Mentions(s, name) })
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return Mentions(item, name) })
	case map[string]any:
		for _, item := range v {
			if Mentions(item, name) {
				return true
			}
		}
	}
	return false
}

// Part is a piece of a text: literal, or a placeholder.
type Part struct {
	Text string // the literal, or the placeholder as written
	Name string // of a placeholder; "result" for ${result:/pointer}
	Arg  string // the text after the colon
}

// Scan cuts a text into literals and placeholders; "$${" is a literal "${".
func Scan(text string) ([]Part, error) {
	var parts []Part
	literal := ""
	for text != "" {
		at := strings.Index(text, "${")
		if at < 0 {
			break
		}
		if at > 0 && text[at-1] == '$' {
			literal += text[:at-1] + "${"
			text = text[at+2:]
			continue
		}
		end := strings.IndexByte(text[at:], '}')
		if end < 0 {
			return nil, errors.New(`"${" without "}"; a literal "${" is written "$${"`)
		}
		if literal += text[:at]; literal != "" {
			parts = append(parts, Part{Text: literal})
			literal = ""
		}
		inner := text[at+2 : at+end]
		name, arg, _ := strings.Cut(inner, ":")
		if name == "" {
			return nil, errors.New(`"${}" names nothing; a literal "${" is written "$${"`)
		}
		parts = append(parts, Part{Text: text[at : at+end+1], Name: name, Arg: arg})
		text = text[at+end+1:]
	}
	if literal += text; literal != "" {
		parts = append(parts, Part{Text: literal})
	}
	return parts, nil
}

// Literal writes a text so that Expand gives it back unchanged.
func Literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }

func expandString(text string, vars Vars) (any, error) {
	parts, err := Scan(text)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 && parts[0].Name != "" {
		return vars.value(parts[0])
	}
	var out strings.Builder
	for _, part := range parts {
		if part.Name == "" {
			out.WriteString(part.Text)
			continue
		}
		value, err := vars.value(part)
		if err != nil {
			return nil, err
		}
		piece, err := textOf(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Text, err)
		}
		out.WriteString(piece)
	}
	return out.String(), nil
}

func expandText(text string, vars Vars) (string, error) {
	value, err := expandString(text, vars)
	if err != nil {
		return "", err
	}
	return textOf(value)
}

func expandArguments(arguments map[string]any, vars Vars) (map[string]any, error) {
	expanded, err := Expand(arguments, vars)
	if err != nil {
		return nil, err
	}
	object, _ := expanded.(map[string]any)
	return object, nil
}

func (v Vars) value(part Part) (any, error) {
	switch part.Name {
	case "nonce":
		if v.Nonce == "" || part.Arg != "" {
			return nil, fmt.Errorf("%s has no value here", part.Text)
		}
		return v.Nonce, nil
	case "result":
		if v.Result == nil {
			return nil, fmt.Errorf("%s: there is no result of a call before", part.Text)
		}
		value, err := lookUp(v.Result, part.Arg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Text, err)
		}
		return value, nil
	}
	value, ok := v.Given[part.Name]
	if !ok || part.Arg != "" {
		return nil, fmt.Errorf("%s has no value here", part.Text)
	}
	return value, nil
}

// lookUp follows a JSON pointer.
func lookUp(value any, pointer string) (any, error) {
	if pointer == "" {
		return value, nil
	}
	if pointer[0] != '/' {
		return nil, fmt.Errorf("%q is not a JSON pointer: it does not begin with /", pointer)
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch inner := value.(type) {
		case map[string]any:
			next, ok := inner[unescape.Replace(token)]
			if !ok {
				return nil, fmt.Errorf("the result has no %s", pointer)
			}
			value = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(inner) || strconv.Itoa(i) != token {
				return nil, fmt.Errorf("the result has no %s", pointer)
			}
			value = inner[i]
		default:
			return nil, fmt.Errorf("the result has no %s", pointer)
		}
	}
	return value, nil
}

// textOf turns a value into text: a string unchanged, anything else as JSON.
func textOf(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
