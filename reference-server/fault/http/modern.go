package http

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// receiving are faults of streams that answer a modern request.
func receiving() []fault.Fault {
	return []fault.Fault{
		{
			Name: "http-stream-with-request", Title: "the server asks the client on the stream that answers tools/list",
			Breaks: "http-sse-no-requests", May: []string{"jsonrpc/no-server-requests-to-capable-client"}, In: modern(),
			Send: fault.On("tools/list").Before(fault.Message{"jsonrpc": "2.0", "id": "harbour-1", "method": "roots/list"}),
		},
		{
			Name: "http-stream-with-changes", Title: "the stream that answers tools/list brings that the prompts have changed",
			Breaks: "http-sse-messages-related", Kills: []string{"http/stream-no-changes"}, In: modern(),
			Send: fault.When(func(x fault.Exchange) bool {
				version := string(requirements.R20260728)
				return x.Method == "tools/list" && x.Header.Get(headerMethod) == x.Method &&
					x.Header.Get(headerVersion) == version && fault.Meta(x.Params, "protocolVersion") == version
			}).Before(fault.Message{"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}),
		},
		{Breaks: "http-sse-x-accel-buffering", In: modern(), Each: []fault.Fault{{
			Name: "http-stream-buffered", Title: "event streams lack the header that keeps proxies from holding them back",
			HTTP: fault.HTTP{AlwaysStream: true, Head: buffering("")},
		}, {
			Name: "http-stream-buffering-yes", Title: "event streams have a header that has proxies hold them back",
			HTTP: fault.HTTP{AlwaysStream: true, Head: buffering("yes")},
		}}},
	}
}

// buffering sets X-Accel-Buffering of streams, or removes the header if says is empty.
func buffering(says string) func(fault.Exchange, int, http.Header) int {
	return func(_ fault.Exchange, status int, header http.Header) int {
		if header.Del("X-Accel-Buffering"); says != "" {
			header.Set("X-Accel-Buffering", says)
		}
		return status
	}
}

// earlier are faults of a server without a handshake.
func earlier() []fault.Fault {
	status := func(status int, which func(*http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if which(r) {
				w.WriteHeader(status)
				return true
			}
			return false
		}
	}
	having := func(header string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Header.Get(header) != "" }
	}
	method := func(name string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Method == name }
	}
	return []fault.Fault{
		handshakeless(fault.Fault{
			Name: "http-get-404-modern", Title: "a server without a handshake answers GET with status 404",
			Breaks: "http-get-405-modern", HTTP: fault.HTTP{Serve: status(http.StatusNotFound, method(http.MethodGet))},
		}),
		handshakeless(fault.Fault{
			Name: "http-delete-200", Title: "a server without a handshake answers DELETE with status 200",
			Breaks: "http-delete-405-modern", HTTP: fault.HTTP{Serve: status(http.StatusOK, method(http.MethodDelete))},
		}),
		handshakeless(fault.Fault{
			Name:   "http-session-header-rejected",
			Title:  "a server without a handshake answers requests with a session id with status 404",
			Breaks: "http-session-header-ignored", HTTP: fault.HTTP{Serve: status(http.StatusNotFound, having(headerSession))},
		}),
		handshakeless(fault.Fault{
			Name:   "http-last-event-header-rejected",
			Title:  "a server without a handshake answers requests with Last-Event-ID with status 400",
			Breaks: "http-last-event-id-ignored",
			HTTP:   fault.HTTP{Serve: status(http.StatusBadRequest, having(headerLastEvent))},
		}),
		handshakeless(fault.Fault{
			Name: "http-session-minted", Title: "a server without a handshake puts a session id on its answers",
			Breaks: "http-session-not-minted", HTTP: fault.HTTP{EchoSession: true},
		}),
	}
}

// handshakeless makes the server of a fault one without the handshake era. Being
// modern only is lawful by itself.
func handshakeless(f fault.Fault) fault.Fault {
	own := f.HTTP.Serve
	f.In = modern()
	f.HTTP.Serve = func(w http.ResponseWriter, r *http.Request) bool {
		if own != nil && own(w, r) {
			return true
		}
		if r.Method == http.MethodPost {
			return false
		}
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return true
	}
	f.HTTP.Head = func(x fault.Exchange, status int, _ http.Header) int {
		if fault.Unversioned(x) {
			return http.StatusBadRequest
		}
		return status
	}
	return fault.WithoutHandshake(f)
}
