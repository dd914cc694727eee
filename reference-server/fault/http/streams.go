package http

import (
	"io"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// polled is the tool whose stream the server closes before the response.
const polled = "test_reconnection"

func streamFaults() []fault.Fault {
	silent := func(x fault.Exchange, m fault.Message) []fault.Message {
		if x.Tool() == polled && m["method"] == nil {
			return nil
		}
		return []fault.Message{m}
	}
	return append(formFaults(), []fault.Fault{
		{
			Name: "http-stream-ends-early", Title: "the stream of a call ends without its response",
			Breaks: "http-sse-no-early-close",
			May: []string{
				"http/polled-response-arrives", "http/response-type", "tools/read-only-tools-answer", "tools/varied-arguments",
			}, // the case calls the polled tool
			In: fault.OverHTTP(requirements.R20250326, requirements.R20250618), Send: silent,
		}, {
			Name: "http-polled-response-lost", Title: "the response is lost when the server closes the connection of a stream",
			Breaks: "http-sse-response-arrives", Kills: []string{"http/polled-response-arrives"},
			May: []string{"http/response-type"}, In: newest(), Hangs: true,
			Send: silent,
		},
		{Breaks: "http-sse-closed-after-response", Hangs: true, Each: []fault.Fault{{
			Name: "http-stream-not-closed", Title: "event streams stay open after the response",
			Kills: []string{"http/stream-closed-after-messages"},
			In:    fault.OverHTTP(requirements.R20250326, requirements.R20251125, requirements.R20260728),
			HTTP:  fault.HTTP{KeepStream: true},
		}, {
			Name: "http-stream-never-closed", Title: "every request is answered by an event stream that stays open",
			May: []string{"tasks/get-no-stream"},
			In:  newest(), HTTP: fault.HTTP{AlwaysStream: true, KeepStream: true},
		}}},
		{
			Name: "http-stream-not-primed", Title: "event streams begin with a message", Breaks: "http-sse-priming-event",
			In: newest(),
			HTTP: fault.HTTP{Event: func(x fault.Exchange, event string) string {
				if x.HTTP == http.MethodPost && x.Tool() != polled && strings.HasSuffix(event, "data: \n\n") {
					return ""
				}
				return event
			}},
		}, {
			Name:   "http-stream-without-retry",
			Title:  "the server closes the connection of a stream and does not say when to come back",
			Breaks: "http-sse-retry-before-disconnect",
			May:    []string{"http/polled-response-arrives"}, // the case calls the polled tool
			In:     newest(),
			HTTP: fault.HTTP{Event: func(_ fault.Exchange, event string) string {
				if retry, rest, ok := strings.Cut(event, "\n"); ok && strings.HasPrefix(retry, "retry:") {
					return rest
				}
				return event
			}},
		}, {
			Name: "http-lost-connection-cancels", Title: "a call ends when its connection is lost",
			Breaks: "http-disconnect-not-cancel", In: newest(), HTTP: fault.HTTP{CancelsLost: true},
		},
	}...)
}

// formFaults break the form of event streams.
func formFaults() []fault.Fault {
	progress := func(change func(event string) string) func(fault.Exchange, string) string {
		return func(_ fault.Exchange, event string) string {
			if strings.Contains(event, `"notifications/progress"`) {
				return change(event)
			}
			return event
		}
	}
	formed := func(name, title string, change func(string) string) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: "http-sse-wellformed", Kills: []string{"http/stream-wellformed"},
			In: fault.OverHTTP(requirements.R20250618), HTTP: fault.HTTP{Event: progress(change)},
		}
	}
	// A stream whose events have ids could be resumed, and the response could come then.
	nameless := func(event string) string {
		before, id, found := strings.Cut(event, "id: ")
		if !found {
			return event
		}
		_, behind, _ := strings.Cut(id, "\n")
		return before + behind
	}
	onResponse := func(breaks requirements.ID, name, title string, change func(response string) string) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: breaks, Kills: []string{"http/stream-wellformed"},
			In: fault.OverHTTP(requirements.R20250618),
			HTTP: fault.HTTP{Event: func(x fault.Exchange, event string) string {
				if x.Method != "tools/call" {
					return event
				}
				before, response, found := strings.Cut(nameless(event), "data: ")
				if !found || !strings.Contains(response, `"result":`) {
					return nameless(event)
				}
				return before + change(strings.TrimSpace(response))
			}},
		}
	}
	return []fault.Fault{
		formed("http-stream-with-text", "events with plain text stand among the messages of a stream",
			func(event string) string { return event + "data: still working\n\n" }),
		formed("http-stream-with-bare-json", "lines of bare JSON stand among the events of a stream",
			func(event string) string { return event + "{\"level\":\"info\"}\n\n" }),
		onResponse("jsonrpc-single-response", "http-stream-response-torn", "the event with the response to a call ends in the middle of it",
			func(response string) string { return "data: " + response[:len(response)-1] + "\n\n" }),
		onResponse("jsonrpc-single-response", "http-stream-response-cut", "the event with the response to a call has no blank line behind it",
			func(response string) string { return "data: " + response + "\n" }),
		onResponse("jsonrpc-single-response", "http-stream-response-bare", "the response to a call stands in its stream as bare JSON",
			func(response string) string { return response + "\n\n" }),
		onResponse("http-sse-wellformed", "http-stream-cut", "the last event of a stream, behind the response, has no blank line behind it",
			func(response string) string { return "data: " + response + "\n\ndata: {\"level\":\"info\"}\n" }),
	}
}

// notifications sends the notifications of requests on these streams.
func notifications(streams ...fault.Stream) fault.HTTP {
	return routed(func(_ fault.Exchange, m fault.Message) bool { return m["method"] != nil }, streams...)
}

// continued gives the stream to clients that send Last-Event-ID.
func continued(stream fault.Stream) fault.HTTP {
	return routed(func(x fault.Exchange, m fault.Message) bool { return m == nil && x.Header.Get(headerLastEvent) != "" }, stream)
}

func routed(which func(fault.Exchange, fault.Message) bool, streams ...fault.Stream) fault.HTTP {
	return fault.HTTP{Route: func(x fault.Exchange, m fault.Message) []fault.Stream {
		if which(x, m) {
			return streams
		}
		return nil
	}}
}

// trafficFaults send messages on the wrong streams.
func trafficFaults() []fault.Fault {
	return []fault.Fault{
		{In: newest(), Each: []fault.Fault{{
			Name: "http-messages-cross-streams", Title: "a notification of one request comes on the stream of another",
			Breaks: "http-sse-messages-related",
			May: []string{
				"http/resumed-stream-own", "ext-streaming/joins", "ext-streaming/resume-continues", "cancellation/server-names-own-request",
				"progress/ends-with-answer",
			},
			Silent: []string{
				"logging/filter-debug", "logging/filter-info", "logging/filter-notice", "logging/filter-warning",
				"logging/filter-error", "logging/filter-critical", "logging/filter-alert", "logging/filter-emergency",
			},
			HTTP: notifications(fault.Another),
		}, {
			Name: "http-messages-on-get-stream", Title: "notifications of requests come on the stream that GET opened",
			Breaks: "http-get-messages-unrelated",
			May:    []string{"ext-streaming/chunk-shape"},
			Silent: []string{"ext-progress/reported", "ext-streaming/flag-matches"},
			HTTP:   notifications(fault.Standing),
		}, {
			Name: "http-questions-on-get-stream", Title: "questions of calls come on the stream that GET opened",
			Breaks: "http-get-messages-unrelated", Kills: []string{"http/get-stream-questions-unrelated"},
			Silent: []string{"http/get-stream-messages-unrelated"},
			HTTP:   routed(func(_ fault.Exchange, m fault.Message) bool { return m["method"] != nil && m["id"] != nil }, fault.Standing),
		}, {
			Name: "http-messages-broadcast", Title: "notifications of requests come on the stream that GET opened as well",
			Breaks: "http-message-on-one-stream", Kills: []string{"http/message-on-one-stream"},
			May: []string{
				"http/get-stream-messages-unrelated", "http/get-stream-questions-unrelated", "jsonrpc/server-request-id-unique",
				"progress/server-tokens",
			},
			HTTP: notifications(fault.Own, fault.Standing),
		}, {
			Name:   "http-get-streams-broadcast",
			Title:  "a message that belongs to no request comes on all streams that GET opened",
			Breaks: "http-message-on-one-stream", Kills: []string{"http/message-on-one-get-stream"},
			May:  []string{"http/event-id-unique"},
			HTTP: routed(func(_ fault.Exchange, m fault.Message) bool { return m == nil }, fault.Shared),
		}, {
			Name: "http-responses-on-get-stream", Title: "responses come on the stream that GET opened as well",
			Breaks: "http-get-no-responses", Silent: []string{"jsonrpc/single-response"},
			HTTP: routed(func(_ fault.Exchange, m fault.Message) bool { return m != nil && m["method"] == nil }, fault.Own, fault.Standing),
		}}},
		{
			Name: "http-get-404", Title: "the endpoint answers GET with status 404", Breaks: "http-get-stream-or-405",
			In: newest(), May: []string{"http/polled-response-arrives", "ext-push/poll-fallback"},
			HTTP: fault.HTTP{Serve: onGet(http.StatusNotFound, "")},
		}, {
			Name: "http-get-json", Title: "the endpoint answers GET with JSON", Breaks: "http-get-stream-or-405", In: newest(),
			May:    []string{"http/polled-response-arrives", "http/session-ended-get", "ext-push/poll-fallback"},
			Silent: []string{"http/version-header-get"}, // an answer that is not a stream lets no stream through
			HTTP:   fault.HTTP{Serve: onGet(http.StatusOK, `{"status":"ok"}`)},
		},
	}
}

// onGet answers every GET except for GETs of foreign web pages.
func onGet(status int, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || r.Header.Get("Origin") != "" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// resumeFaults break the ids of events, and the resuming of streams.
func resumeFaults() []fault.Fault {
	return []fault.Fault{
		{
			Name: "http-event-ids-per-stream", Title: "each stream counts its events from 1, and its ids say no more",
			Breaks: "http-event-id-unique", Silent: []string{"http/resume-by-get", "http/polled-response-arrives"}, In: newest(),
			HTTP: fault.HTTP{Event: func(_ fault.Exchange, event string) string {
				before, id, ok := strings.Cut(event, "id: ")
				_, number, numbered := strings.Cut(id, "-")
				if !ok || !numbered {
					return event
				}
				return before + "id: " + number
			}},
		},
		{Breaks: "http-resume-no-cross-stream", In: newest(), Each: []fault.Fault{{
			Name:  "http-resumes-another-stream",
			Title: "the stream that was opened last is replayed for whatever event id comes",
			Kills: []string{"http/resumed-stream-own"}, May: []string{"http/resumed-stream-behind", "cancellation/no-response"},
			HTTP: continued(fault.Newest),
		}, {
			Name:  "http-resumes-same-number",
			Title: "the events of all sessions lie in one store, under ids that each session counts for itself",
			Kills: []string{"http/resumed-session-own"},
			// Sessions of other cases may have events with the same ids.
			May: []string{"http/resumed-stream-own", "http/polled-response-arrives", "jsonrpc/single-response",
				"lifecycle/negotiated-capabilities"},
			HTTP: continued(fault.Anywhere),
		}}},
		{
			Name:   "http-resumes-any-session",
			Title:  "whoever names an event gets the rest of its stream, in whatever session that is",
			Breaks: "http-session-isolation", Kills: []string{"http/resumed-session-own"},
			Silent: []string{"http/resumed-stream-own", "http/polled-response-arrives"}, In: newest(),
			HTTP: fault.HTTP{ // the id of an event names its session
				Event: func(x fault.Exchange, event string) string {
					return strings.Replace(event, "id: ", "id: "+x.Header.Get(headerSession)+".", 1)
				},
				Serve: func(_ http.ResponseWriter, r *http.Request) bool {
					if session, event, ok := strings.Cut(r.Header.Get(headerLastEvent), "."); ok {
						r.Header.Set(headerSession, session)
						r.Header.Set(headerLastEvent, event)
					}
					return false
				},
			},
		}, {
			Name: "http-resumes-no-response", Title: "a stream that is resumed brings all but the response", Breaks: "http-sse-response-arrives",
			Kills: []string{"http/resumed-stream-response"}, May: []string{"http/polled-response-arrives"}, In: newest(),
			HTTP: fault.HTTP{Event: func(x fault.Exchange, event string) string {
				if x.Header.Get(headerLastEvent) == "" || !strings.Contains(event, `"result"`) {
					return event
				}
				return ": the response has been sent\n\n"
			}},
		}, {
			Name: "http-resumes-from-event", Title: "a stream that is resumed begins with the event that the client has",
			Breaks: "jsonrpc-single-response", Kills: []string{"http/resumed-stream-behind"}, In: newest(), HTTP: continued(fault.Again),
		}, {
			Name: "http-resumes-no-post", Title: "a GET with Last-Event-ID gets status 400", Breaks: "http-resume-via-get",
			May: []string{"http/polled-response-arrives"}, In: newest(),
			HTTP: fault.HTTP{Serve: func(w http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("Last-Event-Id") == "" {
					return false
				}
				http.Error(w, "no such event", http.StatusBadRequest)
				return true
			}},
		},
	}
}
