package http

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The headers of the transport.
const (
	headerSession   = "Mcp-Session-Id"
	headerVersion   = "Mcp-Protocol-Version"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerParam     = "Mcp-Param-"
	headerLastEvent = "Last-Event-Id"
	headerOrigin    = "Origin"
)

const (
	headerMismatch = -32020
	begins, ends   = "=?base64?", "?="
	foreignVersion = "2099-12-31" // a version that no server has
)

// modern is the column in which headers repeat the body.
func modern() []fault.Column { return fault.OverHTTP(requirements.R20260728) }

// A post is the body of a POST.
type post struct {
	Method string `json:"method"`
	Params struct {
		Name string            `json:"name"`
		URI  string            `json:"uri"`
		Task string            `json:"taskId"`
		Meta map[string]string `json:"_meta"`

		Arguments struct { // of the tools with repeated arguments
			Basin  string      `json:"basin"`
			Year   json.Number `json:"year"`
			Filter struct {
				Kind string `json:"kind"`
			} `json:"filter"`
		} `json:"arguments"`
	} `json:"params"`
}

func (p post) named() string { return p.Params.Name + p.Params.URI + p.Params.Task }

// changesHeaders changes the headers of a request before the server reads them, to
// hide a mistake from the server or to make one.
func changesHeaders(change func(header http.Header, p post)) fault.HTTP {
	return fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var p post
		// Errors are ignored: only the texts of the metadata matter.
		_ = json.Unmarshal(body, &p)
		if err == nil && r.Method == http.MethodPost {
			change(r.Header, p)
		}
		return false
	}}
}

// changesNameHeader changes the header for the name of the tool, prompt or resource.
func changesNameHeader(change func(value, name string) string) fault.HTTP {
	return changesHeaders(func(header http.Header, p post) {
		if value := header.Get(headerName); value != "" {
			header.Set(headerName, change(value, p.named()))
		}
	})
}

// refusesHeaders answers some requests with the error for headers.
func refusesHeaders(which func(fault.Exchange) bool) func(fault.Exchange) fault.Verdict {
	return fault.When(which).Refuse(headerMismatch, "the headers differ from the body")
}

// argument is a value within the arguments of a tools/call.
func argument(x fault.Exchange, path ...string) (value any, given bool) {
	value = x.Param("arguments")
	for _, name := range path {
		object, _ := value.(map[string]any)
		if value, given = object[name]; !given {
			return nil, false
		}
	}
	return value, given
}

// changesHeader changes one header if the request has it.
func changesHeader(name string, change func(string) string) fault.HTTP {
	return changesHeaders(func(header http.Header, _ post) {
		if value := header.Get(name); value != "" {
			header.Set(name, change(value))
		}
	})
}

// hasBase64Form reports whether a value has the form for base64.
func hasBase64Form(value string) bool {
	return strings.HasPrefix(value, begins) && strings.HasSuffix(value, ends)
}
