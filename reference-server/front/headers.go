package front

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// modernHeaders are the headers of a modern request, which repeat parts of its body.
type modernHeaders struct {
	http.Header
	core  *core.Core
	fault *fault.Fault
}

// problem compares the headers with the message.
func (h modernHeaders) problem(in core.Inbound) *core.Error {
	version, named := core.MetaVersion(in.Message)
	values := h.Values(headerVersion)
	switch {
	case h.fault.Skips(fault.CheckVersionMatch):
	case len(values) != 1:
		return mismatch("MCP-Protocol-Version is missing or given twice")
	case named && strings.TrimSpace(values[0]) != version:
		return mismatch("MCP-Protocol-Version differs from the body")
	}
	if !h.fault.Skips(fault.CheckMethodHeader) {
		if problem := h.compare(headerMethod, in.Method, false); problem != nil {
			return problem
		}
	}
	if member := nameMember(in.Method); member != "" && !h.fault.Skips(fault.CheckNameHeader) {
		if name, ok := envelope.Text(in.Param[member]); ok {
			if problem := h.compare(headerName, name, true); problem != nil {
				return problem
			}
		}
	}
	if in.Method == "tools/call" && !h.fault.Skips(fault.CheckParamHeader) {
		return h.paramProblem(in.Message)
	}
	return nil
}

func nameMember(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId"
	default:
		return ""
	}
}

func mismatch(text string) *core.Error {
	return &core.Error{Code: core.HeaderMismatch, Message: text}
}

// compare demands that the header is there once, with the value want.
func (h modernHeaders) compare(name, want string, encoded bool) *core.Error {
	got, problem := h.value(name, encoded)
	switch {
	case problem != nil:
		return problem
	case got != want:
		return mismatch(name + " differs from the body")
	}
	return nil
}

// value reads a header that is mandatory, decoded where it may be encoded.
func (h modernHeaders) value(name string, encoded bool) (string, *core.Error) {
	values := h.Values(name)
	if len(values) != 1 {
		return "", mismatch(name + " is missing or given twice")
	}
	value := strings.Trim(values[0], " \t")
	if !printable(value) && !h.fault.Skips(fault.CheckHeaderBytes) {
		return "", mismatch(name + " holds bytes that may not be there")
	}
	if !encoded {
		return value, nil
	}
	payload, marked := strings.CutPrefix(value, "=?base64?")
	payload, ended := strings.CutSuffix(payload, "?=")
	if !marked || !ended {
		return value, nil
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(payload)
	switch {
	case err == nil:
		return string(decoded), nil
	case h.fault.Skips(fault.CheckHeaderEncoding):
		return value, nil
	default:
		return "", mismatch(name + " is not valid base64")
	}
}

func printable(value string) bool {
	for i := range len(value) {
		if c := value[i]; (c < ' ' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// paramProblem compares the headers that mirror arguments of a tools/call with the
// arguments.
func (h modernHeaders) paramProblem(call envelope.Message) *core.Error {
	name, _ := envelope.Text(call.Param["name"])
	mirrors := h.core.Mirrors(name)
	if len(mirrors) == 0 {
		return nil
	}
	var arguments map[string]any
	decoder := json.NewDecoder(bytes.NewReader(call.Param["arguments"]))
	decoder.UseNumber()
	if decoder.Decode(&arguments) != nil {
		return nil //nolint:nilerr // the core says why the params are wrong
	}
	for _, mirror := range mirrors {
		argument, given := lookUp(arguments, mirror.Path)
		if !given || argument == nil {
			continue
		}
		got, problem := h.value(headerParam+mirror.Header, true)
		switch {
		case problem != nil:
			return problem
		case !equal(got, argument):
			return mismatch(headerParam + mirror.Header + " differs from the argument")
		}
	}
	return nil
}

func lookUp(arguments map[string]any, path []string) (any, bool) {
	var value any = arguments
	for _, name := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = object[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

// equal compares a header with an argument; numbers by value.
func equal(header string, argument any) bool {
	switch a := argument.(type) {
	case string:
		return header == a
	case bool:
		return header == strconv.FormatBool(a)
	case json.Number:
		got, err := strconv.ParseFloat(header, 64)
		want, wrong := a.Float64()
		return err == nil && wrong == nil && got == want
	default:
		return true // no header can carry the argument; the schema refuses it
	}
}
