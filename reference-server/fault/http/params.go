package http

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// paramHeaders are faults of the headers that repeat arguments.
func paramHeaders() []fault.Fault {
	const basin, year, kind = headerParam + "Basin", headerParam + "Year", headerParam + "Kind"
	all := []fault.Fault{{
		Name: "http-param-header-unread", Title: "headers that repeat arguments are not looked at",
		Breaks: "http-param-header-mismatch", Kills: []string{"http/param-header-mismatch"},
		Silent: []string{
			"http/param-header-missing", "http/param-header-mismatch-integer", "http/param-header-mismatch-nested",
			"http/param-header-case", "http/param-header-invalid-characters",
		},
		Skip: []fault.Check{fault.CheckParamHeader},
	}, {
		Name: "http-param-header-optional", Title: "a call without the header that repeats an argument is served",
		Breaks: "http-param-header-missing",
		HTTP: changesHeaders(func(header http.Header, p post) {
			if value := p.Params.Arguments.Basin; value != "" && header.Get(basin) == "" {
				header.Set(basin, value)
			}
		}),
	}, {
		Name: "http-param-header-integer-unread", Title: "the header that repeats an integer is not looked at",
		Breaks: "http-param-header-mismatch", Kills: []string{"http/param-header-mismatch-integer"},
		HTTP: changesHeaders(agrees(year, func(p post) string { return p.Params.Arguments.Year.String() })),
	}, {
		Name: "http-param-header-nested-unread", Title: "the header that repeats a nested argument is not looked at",
		Breaks: "http-param-header-mismatch", Kills: []string{"http/param-header-mismatch-nested"},
		HTTP: changesHeaders(agrees(kind, func(p post) string { return p.Params.Arguments.Filter.Kind })),
	}, {
		Name: "http-param-header-literal", Title: "headers that repeat arguments in base64 form are compared as they stand",
		Breaks: "http-param-header-base64",
		HTTP: changesHeader(basin, func(value string) string {
			if hasBase64Form(value) {
				return "literally " + value
			}
			return value
		}),
	}, {
		Name: "http-param-header-folded", Title: "a header that repeats an argument is compared without regard to letter case",
		Breaks: "http-header-values-case-sensitive", Kills: []string{"http/param-header-case"},
		HTTP: changesHeader(basin, func(value string) string {
			if hasBase64Form(value) {
				return value
			}
			return strings.ToLower(value)
		}),
	}, {
		Name: "http-param-header-for-null", Title: "a header is demanded for an argument that is null",
		Breaks: "http-param-header-null",
		Inbound: refusesHeaders(func(x fault.Exchange) bool {
			value, given := argument(x, "basin")
			return x.Tool() == "basin_level" && given && value == nil && x.Header.Get(basin) == ""
		}),
	}, {
		Name: "http-param-header-for-nothing", Title: "a header is demanded for an argument that is not given",
		Breaks: "http-param-header-absent-argument",
		Inbound: refusesHeaders(func(x fault.Exchange) bool {
			_, given := argument(x, "basin")
			return x.Tool() == "basin_level" && !given && x.Header.Get(basin) == ""
		}),
	}, {
		Name: "http-param-header-integer-text", Title: "the header of an integer is compared as text",
		Breaks: "http-param-integer-numeric",
		HTTP:   changesHeader(year, func(value string) string { return strings.ReplaceAll(value, ".", "point") }),
	}, {
		Name: "http-param-header-any-place", Title: "a header is compared with the argument of that name on the first level",
		Breaks: "http-param-nested-path",
		Inbound: refusesHeaders(func(x fault.Exchange) bool {
			value, given := argument(x, "kind")
			return x.Tool() == "vessel_traffic" && given && value != x.Header.Get(kind)
		}),
	}, {
		Name: "http-param-header-any-bytes", Title: "headers that repeat arguments may hold any bytes",
		Breaks: "http-header-invalid-characters", Skip: []fault.Check{fault.CheckHeaderBytes},
	}, {
		Name: "http-param-header-unknown-rejected", Title: "a call with an Mcp-Param header that nothing announces is rejected",
		Breaks:  "http-param-unknown-ignored",
		Inbound: refusesHeaders(func(x fault.Exchange) bool { return x.Header.Get(headerParam+"Mcp-Conform") != "" }),
	}}
	for i := range all {
		all[i].In = modern()
	}
	return all
}

// agrees makes a header say what the argument says, if the request has the header.
func agrees(name string, argument func(post) string) func(http.Header, post) {
	return func(header http.Header, p post) {
		if value := argument(p); value != "" && header.Get(name) != "" {
			header.Set(name, value)
		}
	}
}
