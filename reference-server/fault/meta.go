package fault

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Meta is a member of the protocol's own metadata in some params.
func Meta(params json.RawMessage, name string) any {
	var read struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(params, &read) != nil {
		return nil
	}
	return read.Meta["io.modelcontextprotocol/"+name]
}

// Current says that the params name the revision that needs no handshake.
func Current(params json.RawMessage) bool {
	return Meta(params, "protocolVersion") == string(requirements.R20260728)
}

// Foreign says that the request names a revision which is not served.
func Foreign(x Exchange) bool {
	version, named := Meta(x.Params, "protocolVersion").(string)
	return named && version != string(requirements.R20260728)
}

// Client is the name by which the client introduces itself, nil if it does not.
func Client(params json.RawMessage) any {
	info, _ := Meta(params, "clientInfo").(map[string]any)
	return info["name"]
}
