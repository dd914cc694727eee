package http

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func sessionFaults() []fault.Fault {
	return append(idFaults(), []fault.Fault{
		refusing("http-session-missing-422", "a request without a session id gets status 422", "http-session-missing-400",
			"http/session-id-missing", http.StatusBadRequest, http.StatusUnprocessableEntity,
			func(x fault.Exchange) bool { return x.Header.Get(headerSession) == "" }),
		refusing("http-session-ended-400", "a request of an ended session gets status 400", "http-session-terminated-404",
			"http/session-ended", http.StatusNotFound, http.StatusBadRequest,
			func(x fault.Exchange) bool { return x.HTTP == http.MethodPost }),
		refusing("http-session-ended-get-400", "a GET of an ended session gets status 400", "http-session-terminated-404",
			"http/session-ended-get", http.StatusNotFound, http.StatusBadRequest,
			func(x fault.Exchange) bool { return x.HTTP == http.MethodGet }),
		{
			Name:   "http-session-delete-without-effect",
			Title:  "the DELETE of a session is answered with status 204 and ends nothing",
			Breaks: "http-session-terminated-404", Kills: []string{"http/session-ended"},
			May: []string{"http/version-header-delete", "http/origin-foreign-delete"}, In: newest(),
			HTTP: fault.HTTP{Serve: func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodDelete {
					w.WriteHeader(http.StatusNoContent)
				}
				return r.Method == http.MethodDelete
			}},
		},
		{
			Name: "http-session-delete-ends-all", Title: "the DELETE of a session ends all sessions", Breaks: "http-session-isolation",
			Kills: []string{"http/session-ended-alone"}, In: newest(), HTTP: fault.HTTP{EndsAll: true},
		},
		refusing("http-session-unknown-500", "a session id of another form than those of the server gets status 500", "http-session-unknown-404",
			"http/session-unknown", http.StatusNotFound, http.StatusInternalServerError,
			func(x fault.Exchange) bool { return strings.Contains(x.Header.Get(headerSession), "-") }),
		{
			Name: "http-session-unknown-served", Title: "a session id of another form than those of the server is served",
			Breaks: "http-session-unknown-404", In: newest(), Skip: []fault.Check{fault.CheckSessionIssued},
		},
		{
			Name:  "http-session-messages-everywhere",
			Title: "notifications of a request come on the standing streams of all sessions", Breaks: "http-session-isolation",
			Kills: []string{"http/session-isolation"},
			// A question to a client that declares a capability reaches the others too.
			May: []string{
				"http/message-on-one-stream", "http/get-stream-messages-unrelated", "http/get-stream-questions-unrelated",
				"lifecycle/negotiated-capabilities", "jsonrpc/server-request-id-unique", "progress/server-tokens",
				"progress/ends-with-answer", "logging/filter-critical", "logging/filter-emergency",
				"cancellation/server-names-own-request", "tasks/input-request-related", "logging/messages-per-session",
			},
			In: newest(), HTTP: notifications(fault.Own, fault.All),
		}, {
			Name: "http-session-serves-anybody", Title: "a session serves whoever knows its id",
			Breaks: "security-session-not-authentication", Kills: []string{"http/session-of-another-principal"}, In: newest(),
			Skip: []fault.Check{fault.CheckSessionOwner},
		}, {
			Name: "http-session-stream-for-anybody", Title: "the stream of a session opens by GET for whoever knows its id",
			Breaks: "security-session-not-authentication", Kills: []string{"http/session-stream-of-another-principal"}, In: newest(),
			Skip: []fault.Check{fault.CheckStreamOwner},
		}, {
			Name: "http-session-ended-by-anybody", Title: "a session ends by DELETE for whoever knows its id",
			Breaks: "security-session-not-authentication", Kills: []string{"http/session-end-of-another-principal"}, In: newest(),
			Skip: []fault.Check{fault.CheckEndOwner},
		},
	}...)
}

// refusing replaces one status by another for some requests.
func refusing(name, title string, breaks requirements.ID, kills string, status, instead int, fits func(fault.Exchange) bool) fault.Fault {
	return fault.Fault{
		Name: name, Title: title, Breaks: breaks, Kills: []string{kills}, In: newest(),
		HTTP: fault.Status(status, instead, fits),
	}
}

func idFaults() []fault.Fault {
	numbered := func(name, title string, id func(number int) string) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: "http-session-id-unpredictable", Kills: []string{"http/session-id-unpredictable"},
			In: newest(), HTTP: fault.HTTP{SessionID: id},
		}
	}
	return []fault.Fault{
		{
			Name: "http-session-id-not-issued", Title: "the response to initialize brings no session id, and every other request needs one",
			Breaks: "http-session-id-issued", Kills: []string{"http/session-id-issued"}, May: []string{"http/get-stream-or-405"}, In: newest(),
			HTTP: fault.HTTP{Head: func(_ fault.Exchange, status int, header http.Header) int {
				header.Del(headerSession)
				return status
			}},
		}, {
			Name: "http-session-id-not-issued-for-calls", Title: "there are no sessions, and a call of a tool without a session id is refused",
			Breaks: "http-session-id-issued", Kills: []string{"http/session-id-issued-for-calls"},
			May: []string{"ext-permissions/session-token-works", "ext-session-state/oversize-rejected"}, In: newest(),
			HTTP: fault.HTTP{Sessionless: true, Serve: func(w http.ResponseWriter, r *http.Request) bool {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				refused := r.Header.Get(headerSession) == "" && bytes.Contains(body, []byte(`"method":"tools/call"`))
				if refused {
					http.Error(w, "the session id is missing", http.StatusBadRequest)
				}
				return refused
			}},
		},
		session("http-session-id-beyond-ascii", "session ids end in a letter that is not ASCII", "é"),
		session("http-session-id-with-blank", "session ids contain a blank", " 1"),
		numbered("http-session-id-counted", "sessions are numbered", func(number int) string { return fmt.Sprintf("harbour-%020d", number) }),
		numbered("http-session-id-short", "session ids are four bytes long", func(number int) string {
			const odd = 2654435761 // spreads the numbers
			return fmt.Sprintf("%08x", uint32(number*odd))
		}),
	}
}

// session adds a text to every session id, and removes the text when the id comes
// back.
func session(name, title, added string) fault.Fault {
	return fault.Fault{
		Name: name, Title: title, Breaks: "http-session-id-visible-ascii", Kills: []string{"http/session-id-visible-ascii"},
		In: newest(),
		HTTP: fault.HTTP{
			Head: func(_ fault.Exchange, status int, header http.Header) int {
				if id := header.Get(headerSession); id != "" {
					header.Set(headerSession, id+added)
				}
				return status
			},
			Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				if id, ok := strings.CutSuffix(r.Header.Get(headerSession), added); ok {
					r.Header.Set(headerSession, id)
				}
				return false
			},
		},
	}
}

func versionFaults() []fault.Fault {
	const header = "Mcp-Protocol-Version"
	in := fault.OverHTTP(requirements.R20250618, requirements.R20251125)
	return []fault.Fault{
		{Breaks: "http-version-header-invalid-400", Each: []fault.Fault{{
			Name: "http-version-header-unread", Title: "the version header is not looked at", In: in,
			Kills: []string{"http/version-header-unsupported"}, Skip: []fault.Check{fault.CheckVersionHeader},
		}, {
			Name: "http-version-header-dates-only", Title: "a version header is looked at only where it holds a date", In: in,
			Kills: []string{"http/version-header-malformed"}, May: []string{"http/version-header-get", "http/version-header-delete"},
			HTTP: fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				if date := r.Header.Get(header); date != "" && !strings.HasPrefix(date, "1") && !strings.HasPrefix(date, "2") {
					r.Header.Del(header)
				}
				return false
			}},
		}, {
			Name: "http-version-header-of-post-only", Title: "the version header is looked at in POST requests only",
			Kills: []string{"http/version-header-get", "http/version-header-delete"}, In: newest(),
			HTTP: fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost {
					r.Header.Del(header)
				}
				return false
			}},
		}, {
			Name: "http-version-header-any-date", Title: "the version header may name any date",
			Kills: []string{"http/version-header-unsupported"}, In: newest(),
			HTTP: fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				if strings.HasPrefix(r.Header.Get(header), "1900-") {
					r.Header.Del(header)
				}
				return false
			}},
		}, {
			Name: "http-version-header-any-later", Title: "the version header may name any date after the first revision",
			Kills: []string{"http/version-header-unsupported"}, In: newest(),
			HTTP: fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
				if date := r.Header.Get(header); date > "2024-11-05" && date < "3" {
					r.Header.Del(header)
				}
				return false
			}},
		}}},
		{
			Name:   "http-version-header-demanded",
			Title:  "a server without sessions rejects requests without the version header",
			Breaks: "http-version-header-absent-default",
			May:    []string{"ext-streaming/chunk-shape", "ext-streaming/flag-matches"}, In: in,
			HTTP: fault.HTTP{Sessionless: true, Serve: func(w http.ResponseWriter, r *http.Request) bool {
				body, err := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				if err != nil || r.Method != http.MethodPost || r.Header.Get(header) != "" || strings.Contains(string(body), `"initialize"`) {
					return false
				}
				http.Error(w, "the version header is missing", http.StatusBadRequest)
				return true
			}},
		},
	}
}
