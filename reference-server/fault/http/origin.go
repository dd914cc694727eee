package http

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// origins are faults in deciding who may reach the server.
func origins() []fault.Fault {
	newest := fault.OverHTTP(requirements.R20251125)
	return []fault.Fault{
		{Breaks: "http-origin-validated", Each: []fault.Fault{{
			Name: "http-origin-unread", Title: "the origin of a request does not matter",
			Kills: []string{"http/origin-foreign"},
			In:    fault.OverHTTP(requirements.R20260728, requirements.R20251125, requirements.R20241105),
			Skip:  []fault.Check{fault.CheckOrigin},
		}, {
			Name: "http-origin-any-https", Title: "each origin with the scheme https is allowed",
			Kills: []string{"http/origin-foreign-https"}, In: append(modern(), newest...),
			HTTP: ignoresOrigin(func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get(headerOrigin), "https://") }),
		}, {
			Name: "http-origin-by-prefix", Title: "an origin is allowed if it begins as an allowed one does",
			Kills: []string{"http/origin-lookalike"}, In: modern(),
			HTTP: ignoresOrigin(func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get(headerOrigin), "http://127.0.0.1") }),
		}, {
			Name: "http-origin-by-end", Title: "an origin is allowed if it ends as an allowed one does",
			Kills: []string{"http/origin-lookalike-end"}, In: modern(),
			HTTP: ignoresOrigin(func(r *http.Request) bool {
				_, port, _ := strings.Cut(r.Host, ":")
				return strings.HasSuffix(r.Header.Get(headerOrigin), "localhost:"+port)
			}),
		}, {
			Name: "http-origin-by-port", Title: "an origin is allowed if it has the port of the server",
			Kills: []string{"http/origin-foreign"}, In: newest,
			HTTP: ignoresOrigin(func(r *http.Request) bool {
				_, port, _ := strings.Cut(r.Host, ":")
				return strings.HasSuffix(r.Header.Get(headerOrigin), ":"+port)
			}),
		}, {
			Name: "http-origin-null", Title: "the origin null is allowed",
			Kills: []string{"http/origin-null"}, In: newest,
			HTTP: ignoresOrigin(func(r *http.Request) bool { return r.Header.Get(headerOrigin) == "null" }),
		}, {
			Name: "http-origin-unread-for-calls", Title: "the origin of tools/call does not matter",
			Kills: []string{"http/origin-foreign-call"}, In: append(modern(), newest...),
			HTTP: changesHeaders(func(header http.Header, p post) {
				if p.Method == "tools/call" {
					header.Del(headerOrigin)
				}
			}),
		}, {
			Name:  "http-origin-by-host",
			Title: "an origin is allowed if the header Host names it too, and Host may be anything",
			Kills: []string{"http/origin-rebound"}, In: append(modern(), newest...),
			HTTP: ignoresOrigin(func(r *http.Request) bool {
				same := r.Header.Get(headerOrigin) == "http://"+r.Host
				if same {
					r.Host = "localhost"
				}
				return same
			}),
		}, {
			Name: "http-origin-unread-for-get", Title: "the origin of a GET does not matter",
			Kills: []string{"http/origin-foreign-get"}, In: newest,
			HTTP: ignoresOrigin(func(r *http.Request) bool { return r.Method == http.MethodGet }),
		}, {
			Name: "http-origin-unread-for-delete", Title: "the origin of a DELETE does not matter",
			Kills: []string{"http/origin-foreign-delete"}, In: newest,
			HTTP: ignoresOrigin(func(r *http.Request) bool { return r.Method == http.MethodDelete }),
		}}},
		{
			Name: "http-origin-400", Title: "a request of a foreign origin is rejected with status 400",
			Breaks: "http-origin-403", In: append(modern(), newest...),
			HTTP: fault.Status(http.StatusForbidden, http.StatusBadRequest, fault.On()),
		}, {
			Name: "http-listens-everywhere", Title: "the server listens on all addresses of the machine",
			Breaks: "http-localhost-bind", In: modern(),
			// A server on all addresses is reached by other host names.
			Skip: []fault.Check{fault.CheckHost}, HTTP: fault.HTTP{Everywhere: true},
		},
	}
}

// ignoresOrigin ignores the origin of some requests.
func ignoresOrigin(which func(*http.Request) bool) fault.HTTP {
	return fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
		if which(r) {
			r.Header.Del(headerOrigin)
		}
		return false
	}}
}
