package core

import (
	"encoding/json"
	"slices"
)

// The functions here say whether the params of a request fit its method. They check
// the members that the method uses and ignore other members.

func object(map[string]json.RawMessage) *Error { return nil } // the envelope has checked that params is an object

func initializeParams(m map[string]json.RawMessage) *Error {
	switch _, version := text(m["protocolVersion"]); {
	case !version:
		return badParams("protocolVersion is not a string")
	case !isObject(m["capabilities"]):
		return badParams("capabilities is not an object")
	case !isImplementation(m["clientInfo"]):
		return badParams("clientInfo lacks a name or a version")
	}
	return nil
}

func listParams(m map[string]json.RawMessage) *Error {
	if raw, given := m["cursor"]; given {
		if _, ok := text(raw); !ok {
			return badParams("cursor is not a string")
		}
	}
	return nil
}

func callParams(m map[string]json.RawMessage) *Error {
	if _, ok := text(m["name"]); !ok {
		return badParams("name is not a string")
	}
	if raw, given := m["arguments"]; given && !isObject(raw) {
		return badParams("arguments is not an object")
	}
	return nil
}

func uriParams(m map[string]json.RawMessage) *Error {
	uri, ok := text(m["uri"])
	switch {
	case !ok:
		return badParams("uri is not a string")
	case !absolute(uri):
		return badParams("uri is not an absolute URI")
	}
	return nil
}

func promptParams(m map[string]json.RawMessage) *Error {
	if _, ok := text(m["name"]); !ok {
		return badParams("name is not a string")
	}
	return textMap(m, "arguments")
}

func levelParams(m map[string]json.RawMessage) *Error {
	if _, ok := text(m["level"]); !ok {
		return badParams("level is not a string")
	}
	return nil
}

func completeParams(m map[string]json.RawMessage) *Error {
	ref, argument := members(m["ref"]), members(m["argument"])
	kind, _ := text(ref["type"])
	_, prompt := text(ref["name"])
	_, resource := text(ref["uri"])
	_, name := text(argument["name"])
	_, value := text(argument["value"])
	switch {
	case kind == "ref/prompt" && !prompt:
		return badParams("ref has no name")
	case kind == "ref/resource" && !resource:
		return badParams("ref has no uri")
	case kind != "ref/prompt" && kind != "ref/resource":
		return badParams("ref is neither a prompt nor a resource")
	case !name || !value:
		return badParams("argument lacks a name or a value")
	}
	raw, given := m["context"]
	switch {
	case given && !isObject(raw):
		return badParams("context is not an object")
	case given:
		return textMap(members(raw), "arguments")
	}
	return nil
}

func listenParams(m map[string]json.RawMessage) *Error {
	raw := m["notifications"]
	if !isObject(raw) {
		return badParams("notifications is not an object")
	}
	filter := members(raw)
	for _, name := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		value, given := filter[name]
		if given && !slices.Contains([]string{"true", "false"}, string(value)) {
			return badParams(name + " is not a boolean")
		}
	}
	for _, name := range []string{"resourceSubscriptions", "taskIds"} {
		if value, given := filter[name]; given {
			var texts []*string
			if json.Unmarshal(value, &texts) != nil || texts == nil || slices.Contains(texts, nil) {
				return badParams(name + " is not a list of strings")
			}
		}
	}
	return nil
}

func textMap(m map[string]json.RawMessage, name string) *Error {
	raw, given := m[name]
	if !given {
		return nil
	}
	if !isObject(raw) {
		return badParams(name + " is not an object")
	}
	for _, value := range members(raw) {
		if _, ok := text(value); !ok {
			return badParams(name + " holds a value that is not a string")
		}
	}
	return nil
}
