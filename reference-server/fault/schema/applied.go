package schema

import (
	"encoding/json"
	"net"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// checks is the tool that takes a schema.
const checks = "check_declaration"

// applied are faults in applying schemas.
func applied() []fault.Fault {
	return append(given(), fault.Fault{
		Name: "schema-draft-07-applied", Title: "dependentRequired is ignored, as it was in draft 7",
		Breaks: "schema-2020-12-supported",
		Inbound: func(x fault.Exchange) fault.Verdict {
			arguments, _ := x.Param("arguments").(map[string]any)
			_, discount := arguments["discount"]
			_, card := arguments["card"]
			if x.Tool() != "mooring_fee" || !discount || card {
				return fault.Verdict{}
			}
			result := textAnswer(`{"fee":54}`)
			result["structuredContent"] = map[string]any{"fee": 54}
			return fault.Answer(x, result)
		},
	})
}

// given are faults with schemas of the caller.
func given() []fault.Fault {
	fits := textAnswer("The declaration fits.")
	return []fault.Fault{{
		Name: "schema-dialect-ignored", Title: "$schema is not looked at", Breaks: "schema-unsupported-dialect-error",
		Inbound: onForm("$schema", func(x fault.Exchange, _ string) fault.Verdict { return fault.Answer(x, fits) }),
	}, {
		Name: "schema-reference-fetched", Title: "a reference to a network address is fetched",
		Breaks: "schema-no-network-reference", Inbound: onForm("$ref", fetch),
	}, {
		Name: "schema-reference-permissive", Title: "a reference that cannot be resolved allows everything",
		Breaks: "schema-unresolved-reference-rejected",
		Inbound: onForm("$ref", func(x fault.Exchange, ref string) fault.Verdict {
			if strings.HasPrefix(ref, "#") {
				return fault.Verdict{}
			}
			return fault.Answer(x, fits)
		}),
	}, {
		Name: "schema-endless-work", Title: "a schema that takes endless work is applied without end",
		Breaks: "schema-validation-bounded", Hangs: true,
		Inbound: onForm("$ref", func(_ fault.Exchange, ref string) fault.Verdict {
			return fault.Verdict{Hang: strings.HasPrefix(ref, "#/$defs/")}
		}),
	}}
}

// fetch requests an address on this machine, and no other.
func fetch(_ fault.Exchange, ref string) fault.Verdict {
	host, _, _ := strings.Cut(strings.TrimPrefix(ref, "http://"), "/")
	if !strings.HasPrefix(host, "127.0.0.1:") {
		return fault.Verdict{}
	}
	if addr, err := net.ResolveTCPAddr("tcp", host); err == nil {
		if conn, err := net.DialTCP("tcp", nil, addr); err == nil {
			_ = conn.Close()
		}
	}
	return fault.Verdict{}
}

// onForm decides on calls whose form has the keyword.
func onForm(keyword string, decide func(x fault.Exchange, value string) fault.Verdict) func(fault.Exchange) fault.Verdict {
	return func(x fault.Exchange) fault.Verdict {
		var call struct {
			Arguments struct {
				Form map[string]any `json:"form"`
			} `json:"arguments"`
		}
		if x.Tool() != checks || json.Unmarshal(x.Params, &call) != nil {
			return fault.Verdict{}
		}
		value, ok := call.Arguments.Form[keyword].(string)
		if !ok {
			return fault.Verdict{}
		}
		return decide(x, value)
	}
}

func textAnswer(text string) map[string]any {
	return map[string]any{"content": fault.Text(text), "resultType": "complete"}
}
