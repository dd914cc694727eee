package hostile_test

import (
	"net/http"
	"strings"
)

// events are odd or endless streams of server-sent events.
func events() []animal {
	endless := func(text string) http.Handler {
		var tide tide
		return over(func(w http.ResponseWriter, r *http.Request, _ int, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for pace := tide.flood(); push(w, pace.next(text)); pace.wait(r.Context(), len(text)) {
			}
		})
	}
	// torrential floods the kit, at its own speed, with pieces of one endless event,
	// which the kit must not collect.
	torrential := func(text string) http.Handler {
		return over(func(w http.ResponseWriter, _ *http.Request, _ int, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for push(w, text) {
			}
		})
	}
	around := func(before, after string) http.Handler {
		return over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			if body == "" || status != 200 {
				plainly(w, status, body)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			push(w, before+body+after)
		})
	}
	// beside answers first, and then sends another text for ever.
	beside := func(text string) http.Handler {
		var tide tide
		return over(func(w http.ResponseWriter, r *http.Request, status int, body string) {
			if body == "" || status != 200 {
				plainly(w, status, body)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			pace := tide.flood()
			for more := push(w, "data: "+body+"\n\n"); more; more = push(w, pace.next(text)) {
				pace.wait(r.Context(), len(text))
			}
		})
	}
	return []animal{
		{name: "endless events", handler: endless("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x-zoo\"}\n\n"), exit: []int{3}},
		{name: "endless comments", handler: endless(": still there\n\n"), exit: []int{3}},
		{name: "one endless line of an event", handler: torrential(strings.Repeat("data", 4<<10)), restless: true, exit: []int{3}},
		{name: "one endless event of short lines", handler: torrential(strings.Repeat("data:\n", 4<<10)), restless: true, exit: []int{3}},
		{name: "endless blank lines in a stream", handler: endless(strings.Repeat("\n", 10)), exit: []int{3}},
		{name: "endless ids", handler: endless("id: " + strings.Repeat("9", 1000) + "\n\n"), exit: []int{3}},
		{name: "endless events behind each answer", handler: beside("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x-zoo\"}\n\n"), exit: []int{0, 3}},
		{name: "endless answers in one stream", handler: beside("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"), exit: []int{1, 3}},
		{name: "endless requests behind each answer", handler: beside("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n"), exit: []int{1, 3}},
		{name: "endless comments behind each answer", handler: beside(":\n\n"), exit: []int{0, 3}},
		{name: "no blank line at the end", handler: around("data: ", "\n"), exit: []int{1, 3}},
		{name: "CR-only line ends in events", handler: around("event: message\rdata: ", "\r\r"), exit: []int{0}},
		{name: "NUL in the id of an event", handler: around("id: a\x00b\ndata: ", "\n\n"), exit: []int{1}, says: "is the id of two events"},
		{name: "an attack in the id of an event", handler: around("id: \x1b[2J::error::\u202e</script>]]>\ndata: ", "\n\n"), exit: []int{1}, says: "is the id of two events"},
		{name: "a retry for ever", handler: around("retry: 99999999999999999999999999\nid: 1\ndata:\n\nretry: -1\ndata: ", "\n\n"), exit: []int{1}, says: "is the id of two events"},
		{name: "each byte in a line of its own", handler: over(bytewise), exit: []int{1, 3}},
		{name: "events of another name", handler: around("event: "+strings.ReplaceAll(evil, "\n", " ")+"\ndata: ", "\n\n"), exit: []int{0, 3}},
		{name: "an endless stream for GET", handler: over(func(w http.ResponseWriter, r *http.Request, status int, body string) {
			if r.Method != http.MethodGet || status != http.StatusMethodNotAllowed { // every server has to refuse these requests
				plainly(w, status, body)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			for push(w, "data: x\n\n") {
			}
		}), exit: []int{0}},
	}
}

// bytewise puts each byte of a message into a data line of its own.
func bytewise(w http.ResponseWriter, _ *http.Request, status int, body string) {
	if body == "" || status != 200 {
		plainly(w, status, body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	push(w, "data: "+strings.Join(strings.Split(body, ""), "\ndata: ")+"\n\n")
}
