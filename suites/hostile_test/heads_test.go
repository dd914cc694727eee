package hostile_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
)

// heads are HTTP answers with a hostile head, as far as net/http writes it.
func heads() []animal {
	var count atomic.Int64
	with := func(set func(h http.Header)) http.Handler {
		return over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			set(w.Header())
			plainly(w, status, body)
		})
	}
	return []animal{
		{name: "401 with an odd challenge", handler: always(401, evil, "WWW-Authenticate",
			`Bearer realm="`+strings.Repeat("x", 60<<10)+`", resource_metadata="javascript:alert(1)", Basic, ,,==, Bearer Bearer`), exit: []int{1}, says: "authorization/metadata-found"},
		{name: "403 for everything", handler: always(403, "no"), exit: []int{3}},
		{name: "407 for everything", handler: always(407, "", "Proxy-Authenticate", "Basic"), exit: []int{3}},
		{name: "429 for ever", handler: always(429, "later", "Retry-After", "99999999999"), exit: []int{3}},
		{name: "429 for ever after the handshake", handler: over(func(w http.ResponseWriter, _ *http.Request, status int, body string) {
			if strings.Contains(body, "protocolVersion") {
				plainly(w, status, body)
				return
			}
			w.Header().Set("Retry-After", "99999999999")
			plainly(w, 429, "")
		}), exit: []int{0, 3}},
		{name: "a session id of 16 KiB", handler: with(func(h http.Header) { h.Set("Mcp-Session-Id", strings.Repeat("s", 16<<10)) }), exit: []int{0}},
		{name: "another session id with each answer", handler: with(func(h http.Header) { h.Set("Mcp-Session-Id", fmt.Sprintf("s%d", count.Add(1))) }), exit: []int{0}},
		{name: "a thousand session ids", handler: with(func(h http.Header) {
			for i := range 1000 {
				h.Add("Mcp-Session-Id", number(i))
			}
		}), exit: []int{0}},
		{name: "a flood of cookies", handler: with(func(h http.Header) {
			for i := range 40 {
				h.Add("Set-Cookie", fmt.Sprintf("c%d=%s", i, strings.Repeat("x", 4000)))
			}
		}), exit: []int{0}},
		{name: "a head larger than 1 MiB", handler: with(func(h http.Header) {
			for i := range 400 {
				h.Add("X-Zoo", fmt.Sprintf("%d%s", i, strings.Repeat("x", 4000)))
			}
		}), exit: []int{3}},
		{name: "hangs on DELETE", handler: over(func(w http.ResponseWriter, r *http.Request, status int, body string) {
			w.Header().Set("Mcp-Session-Id", "one")
			if r.Method == http.MethodDelete {
				<-r.Context().Done()
				return
			}
			plainly(w, status, body)
		}), holds: true, exit: []int{0}},
	}
}
