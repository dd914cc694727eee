package hostile_test

import (
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// sockets are servers that write their HTTP by hand.
func sockets(strange func(name string) string) []animal {
	return []animal{
		{name: "a redirect to itself", handler: elsewhere("/mcp"), exit: []int{3}},
		{name: "a redirect elsewhere", handler: elsewhere(strange("redirect")), exit: []int{3}},
		{name: "a redirect to a script", handler: elsewhere("javascript:alert(1)"), exit: []int{3}},
		{name: "signposts elsewhere", raw: withHead("Link: <" + strange("link-header") + ">; rel=preload\r\nAlt-Svc: h2=\"127.0.0.1:1\"\r\nRefresh: 0; url=" + strange("refresh") +
			"\r\nWWW-Authenticate: Bearer resource_metadata=\"" + strange("metadata") + "\""), exit: []int{0}},
		{name: "hangs up at once", raw: func(*caller) {}, exit: []int{3}},
		{name: "hangs up after each request", raw: func(c *caller) { c.next() }, exit: []int{3}},
		{name: "hangs up after the handshake", raw: func(c *caller) {
			c.each(func(status int, body string) bool {
				return strings.Contains(body, "protocolVersion") && c.write(head(status, asJSON, length(len(body)), "")+body)
			})
		}, exit: []int{1, 3}},
		{name: "takes connections and says nothing", raw: func(c *caller) { c.idle() }, exit: []int{3}},
		{name: "an endless head", raw: func(c *caller) {
			c.next()
			if c.write("HTTP/1.1 200 OK\r\n") {
				c.forever("X-Zoo: " + strings.Repeat("x", 1000) + "\r\n")
			}
		}, exit: []int{3}},
		{name: "one endless line of a head", raw: func(c *caller) {
			c.next()
			if c.write("HTTP/1.1 200 OK\r\nX-Zoo: ") {
				c.forever(strings.Repeat("x", 4<<10))
			}
		}, exit: []int{3}},
		{name: "endless interim responses", raw: func(c *caller) {
			c.next()
			c.forever("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
		}, exit: []int{3}},
		{name: "an endless status line", raw: func(c *caller) { c.next(); c.forever("HTTP/1.1 200 " + strings.Repeat("O", 4<<10)) }, exit: []int{3}},
		{name: "stops the HTTP/2 client", raw: func(c *caller) { fakeserver.Overflow(c.Conn) }, set: func(cfg *config.Config) { cfg.Target.HTTP2 = true }, exit: []int{3}},
		{
			name: "stops the HTTP/2 client, over TLS, and speaks nothing else", secure: true, exit: []int{3},
			raw: func(c *caller) { fakeserver.Overflow(tls.Server(c.Conn, secured())) },
		},
		{name: "bytes before each request", raw: func(c *caller) { c.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"); c.idle() }, exit: []int{3}},
	}
}

// framings are servers whose HTTP lies about its length or its content.
func framings() []animal {
	return []animal{
		{name: "a body shorter than it says", raw: ending(func(status int, body string) string { return head(status, asJSON, length(len(body)+1000), "") + body }), exit: []int{0, 3}},
		{name: "a body longer than it says", raw: spoken(func(status int, body string) string { return head(status, asJSON, length(len(body)/2), "") + body }), exit: []int{1, 3}},
		{name: "a negative length", raw: spoken(func(status int, body string) string { return head(status, asJSON, length(-1), "") + body }), exit: []int{3}},
		{name: "a length beyond all numbers", raw: spoken(func(status int, body string) string {
			return head(status, asJSON, "Content-Length: 99999999999999999999", "") + body
		}), exit: []int{3}},
		{name: "two lengths", raw: spoken(func(status int, body string) string {
			return head(status, asJSON, length(len(body)), length(1), "") + body
		}), exit: []int{3}},
		{name: "chunks that are none", raw: spoken(func(status int, body string) string {
			return head(status, asJSON, "Transfer-Encoding: chunked", "") + "zz\r\n" + body + "\r\n0\r\n\r\n"
		}), exit: []int{3}},
		{name: "a chunk that does not end", raw: func(c *caller) {
			c.next()
			if c.write(head(200, asJSON, "Transfer-Encoding: chunked", "") + "ffffffffffff\r\n") {
				c.forever(strings.Repeat("x", 4<<10))
			}
		}, exit: []int{3}},
		{name: "endless extensions of a chunk", raw: func(c *caller) {
			c.next()
			if c.write(head(200, asJSON, "Transfer-Encoding: chunked", "") + "1;") {
				c.forever(strings.Repeat("x", 4<<10))
			}
		}, exit: []int{3}},
		{name: "endless trailers", raw: func(c *caller) {
			_, body, _ := c.next()
			if c.write(head(200, asJSON, "Transfer-Encoding: chunked", "Trailer: X-Zoo", "") + fmt.Sprintf("%x\r\n%s\r\n0\r\n", len(body), body)) {
				c.forever("X-Zoo: " + strings.Repeat("x", 1000) + "\r\n")
			}
		}, exit: []int{0, 1, 3}},
		{name: "a session id with control characters", raw: withHead("Mcp-Session-Id: a\x01\x1b[31mb\x7f"), exit: []int{3}, says: "header"},
		{name: "a session id that is no ASCII", raw: withHead("Mcp-Session-Id: \xff\xfe \u202e\u00e9"), exit: []int{1}, says: "http/session-id"},
		{name: "an attack in every header", raw: withHead("X-Zoo: \x1b[2J::error::\u202e</script>]]>\r\nX-]]>: <script>"), exit: []int{0, 3}},
		{name: "HTTP/0.9", raw: ending(func(_ int, body string) string { return body }), exit: []int{3}},
		{name: "HTTP of the future", raw: spoken(func(_ int, body string) string { return "HTTP/9.9 200 OK\r\n" + length(len(body)) + "\r\n\r\n" + body }), exit: []int{3}},
		{name: "a status beyond all numbers", raw: spoken(func(_ int, body string) string {
			return "HTTP/1.1 99999 Odd\r\n" + length(len(body)) + "\r\n\r\n" + body
		}), exit: []int{3}},
		{name: "status 000", raw: spoken(func(_ int, body string) string {
			return "HTTP/1.1 000 \x1b[2J::error::\r\n" + length(len(body)) + "\r\n\r\n" + body
		}), exit: []int{3}},
		{name: "another protocol", raw: spoken(func(int, string) string {
			return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x00"
		}), exit: []int{3}},
		{name: "another protocol altogether", raw: func(c *caller) { c.next(); c.forever("220 zoo ESMTP\r\n") }, exit: []int{3}},
		{name: "TLS where nobody asked for it", raw: func(c *caller) { c.next(); c.forever("\x15\x03\x01\x00\x02\x02\x28") }, exit: []int{3}},
		{name: "header lines that are none", raw: withHead("no colon here\r\n folded\r\n\tfolded: again\r\n: empty"), exit: []int{3}},
		{name: "a reset in mid-body", raw: func(c *caller) {
			_, body, _ := c.next()
			c.write(head(200, asJSON, length(len(body)), "") + body[:len(body)/2])
			reset(c)
		}, exit: []int{3}},
	}
}

// spoken answers every request with a text made from the decent answer.
func spoken(text func(status int, body string) string) func(c *caller) {
	return func(c *caller) {
		c.each(func(status int, body string) bool { return c.write(text(status, body)) })
	}
}

// ending is spoken, but hangs up after each answer.
func ending(text func(status int, body string) string) func(c *caller) {
	return func(c *caller) {
		c.each(func(status int, body string) bool { c.write(text(status, body)); return false })
	}
}

// withHead adds lines to the head of each decent answer.
func withHead(lines string) func(c *caller) {
	return spoken(func(status int, body string) string { return head(status, asJSON, length(len(body)), lines, "") + body })
}
