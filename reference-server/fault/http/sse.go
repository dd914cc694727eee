package http

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// sse are the ways to break basic/transports#http-with-sse of 2024-11-05.
func sse() []fault.Fault {
	all := append(announcing(), posting()...)
	all = append(all, streaming()...)
	for i := range all {
		all[i].In = fault.OverSSE(requirements.R20241105)
	}
	return all
}

// announcing are faults at the beginning of a stream.
func announcing() []fault.Fault {
	return []fault.Fault{
		{
			Name: "http-sse-stream-as-text", Title: "the stream has the content type text/plain",
			Breaks: "http-sse-two-endpoints",
			HTTP: fault.HTTP{Head: func(x fault.Exchange, status int, header http.Header) int {
				if x.HTTP == http.MethodGet {
					header.Set("Content-Type", "text/plain")
				}
				return status
			}},
		},
		{Breaks: "http-sse-endpoint-event", Each: []fault.Fault{{
			Name: "http-sse-endpoint-late", Title: "a ping comes before the endpoint event",
			Kills: []string{"http/sse-endpoint-event"},
			HTTP: fault.HTTP{Event: onEndpoint(func(_ fault.Exchange, event string) string {
				return "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"early\",\"method\":\"ping\"}\n\n" + event
			})},
		}, {
			Name:  "http-sse-endpoint-braces",
			Title: "the endpoint event carries a template in braces, which a URI does not have, and the path takes it",
			Kills: []string{"http/sse-endpoint-event"},
			HTTP: fault.HTTP{Event: onEndpoint(func(_ fault.Exchange, event string) string {
				return strings.TrimSpace(event) + "&client={client}\n\n"
			})},
		}}},
		{
			Name: "http-sse-endpoint-elsewhere", Title: "the endpoint event names another port, which is forwarded to the server",
			Breaks: "http-sse-endpoint-origin",
			HTTP: fault.HTTP{Event: onEndpoint(func(x fault.Exchange, event string) string {
				return strings.Replace(event, "data: ", "data: http://"+forwarded(x.Header.Get("Host")), 1)
			})},
		},
	}
}

// forwarded is the host with the port above its own. In trials that port leads to the
// server as well.
func forwarded(host string) string {
	name, port, _ := strings.Cut(host, ":")
	number, _ := strconv.Atoi(port)
	return name + ":" + strconv.Itoa(number+1)
}

func onEndpoint(change func(fault.Exchange, string) string) func(fault.Exchange, string) string {
	return func(x fault.Exchange, event string) string {
		if strings.HasPrefix(event, "event: endpoint\n") {
			return change(x, event)
		}
		return event
	}
}

// posting are faults in the answers to posts.
func posting() []fault.Fault {
	refused := func(of string) fault.HTTP {
		return fault.HTTP{Head: func(x fault.Exchange, status int, _ http.Header) int {
			if x.HTTP == http.MethodPost && x.Method == of && status < http.StatusBadRequest {
				return http.StatusBadRequest
			}
			return status
		}}
	}
	return []fault.Fault{
		{
			Name:   "http-sse-notification-refused",
			Title:  "the POST of notifications/initialized gets status 400, though it is taken",
			Breaks: "http-sse-post-accepted", HTTP: refused("notifications/initialized"),
		}, {
			Name:   "http-sse-answer-in-body",
			Title:  "the answer to a ping that asks for progress stands in the body of the POST only",
			Breaks: "http-sse-message-events", Kills: []string{"http/sse-answer-on-stream"}, Hangs: true,
			HTTP: routed(func(x fault.Exchange, _ fault.Message) bool { return x.Method == "ping" && x.Param("_meta") != nil }, fault.Body),
		},
		{Breaks: "http-origin-validated", Each: []fault.Fault{{
			Name: "http-sse-origin-open", Title: "streams and messages are served whatever the Origin is",
			Kills: []string{"http/sse-origin-stream", "http/sse-origin-post"}, Skip: []fault.Check{fault.CheckOrigin},
		}, {
			Name: "http-sse-origin-by-beginning", Title: "an Origin is allowed when it begins like that of this machine",
			Kills: []string{"http/sse-origin-stream-lookalike", "http/sse-origin-post-lookalike"},
			HTTP: fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				if strings.HasPrefix(r.Header.Get("Origin"), "http://localhost") {
					r.Header.Del("Origin")
				}
				return false
			}},
		}, {
			Name: "http-sse-origin-of-stream-only", Title: "the Origin of a message that is posted is not looked at",
			Kills: []string{"http/sse-origin-post"}, HTTP: unchecked(http.MethodPost),
		}, {
			Name: "http-sse-origin-of-post-only", Title: "the Origin of who opens a stream is not looked at",
			Kills: []string{"http/sse-origin-stream"}, HTTP: unchecked(http.MethodGet),
		}}},
	}
}

func unchecked(method string) fault.HTTP {
	return fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == method {
			r.Header.Del("Origin")
		}
		return false
	}}
}

// streaming are faults of the messages on the stream.
func streaming() []fault.Fault {
	onMessage := func(change func(string) string) fault.HTTP {
		return fault.HTTP{Event: func(_ fault.Exchange, event string) string {
			if strings.HasPrefix(event, "event: message\n") {
				return change(event)
			}
			return event
		}}
	}
	return []fault.Fault{
		{Breaks: "http-sse-message-events", Kills: []string{"http/sse-message-events"}, Each: []fault.Fault{{
			Name: "http-sse-message-type", Title: "messages come in events of the type response",
			HTTP: onMessage(func(event string) string { return strings.Replace(event, "message", "response", 1) }),
		}, {
			Name:  "http-sse-message-not-json",
			Title: "a line of text comes as an event of the type message before each message",
			HTTP:  onMessage(func(event string) string { return "event: message\ndata: here it comes\n\n" + event }),
		}}},
	}
}
