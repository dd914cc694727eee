package http

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// negotiationFaults read headers of a request letter by letter.
func negotiationFaults() []fault.Fault {
	columns := fault.OverHTTP(requirements.R20251125, requirements.R20260728)
	const list = "http-accept-as-list"
	return []fault.Fault{
		{
			Name: "http-accept-begins-with-json", Title: "a request whose Accept does not begin with application/json is refused", Breaks: list,
			Kills: []string{"http/accept-order"}, In: columns,
			HTTP: refusesPost("Accept", http.StatusNotAcceptable, func(value string) bool {
				return !strings.HasPrefix(value, "application/json")
			}),
		}, {
			Name: "http-accept-without-weights", Title: "the types of Accept are compared together with their weights", Breaks: list,
			Kills: []string{"http/accept-weights"}, In: columns,
			HTTP: refusesPost("Accept", http.StatusNotAcceptable, func(value string) bool { return strings.Contains(value, ";") }),
		}, {
			Name: "http-content-type-whole", Title: "a request whose Content-Type has a parameter is refused",
			Breaks: "http-content-type-charset", In: columns,
			HTTP: refusesPost("Content-Type", http.StatusUnsupportedMediaType, func(value string) bool { return strings.Contains(value, ";") }),
		},
	}
}

// refusesPost answers a POST with a status where its header is one of those.
func refusesPost(header string, status int, those func(value string) bool) fault.HTTP {
	return fault.HTTP{Serve: func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !those(r.Header.Get(header)) {
			return false
		}
		http.Error(w, http.StatusText(status), status)
		return true
	}}
}
