package fault

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Meta returns a member of the protocol's own metadata in params.
func Meta(params json.RawMessage, name string) any {
	var read struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(params, &read) != nil {
		return nil
	}
	return read.Meta["io.modelcontextprotocol/"+name]
}

// Current says whether the params name the revision without a handshake.
func Current(params json.RawMessage) bool {
	return Meta(params, "protocolVersion") == string(requirements.R20260728)
}

// Foreign says whether the request names a revision that the server does not serve.
func Foreign(x Exchange) bool {
	version, named := Meta(x.Params, "protocolVersion").(string)
	return named && version != string(requirements.R20260728)
}

// Client is the name of the client in the params; nil if it is missing.
func Client(params json.RawMessage) any {
	info, _ := Meta(params, "clientInfo").(map[string]any)
	return info["name"]
}

// Unversioned says whether a request names no revision, like requests of the handshake
// era.
func Unversioned(x Exchange) bool {
	return x.ID != nil && x.Method != "" && Meta(x.Params, "protocolVersion") == nil
}

// WithoutHandshake makes the server of a fault one without a handshake. Being modern
// only is lawful by itself.
func WithoutHandshake(f Fault) Fault {
	own, served := f.Inbound, []any{string(requirements.R20260728)}
	f.Inbound = func(x Exchange) Verdict {
		if own != nil {
			if v := own(x); v.Instead {
				return v
			}
		}
		switch {
		case !Unversioned(x):
			return Verdict{}
		case x.Method == "initialize":
			return Refuse(x, -32601, "there is no handshake; 2026-07-28 is served")
		default:
			return Refuse(x, -32602, "_meta names no protocol version")
		}
	}
	f.Reply = Changes(Set("server/discover", "/result/supportedVersions", served), On().Error(func(failure Message) {
		if failure["code"] == -32022 {
			failure.Object("data")["supported"] = served
		}
	}))
	return f
}
