package degradation

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func methods() []suite.Case {
	var cases []suite.Case
	for _, m := range strangers() {
		cases = append(cases, bench.Case("ext-degradation/unclaimed-method-"+m.slug,
			"a server without "+m.extension+" rejects "+m.name+" as an unknown method", "ext-degrade-unclaimed-method",
			"answer a method that you do not have with error -32601", m.unknown))
	}
	return append(cases, suite.Case{
		ID:        "ext-degradation/unclaimed-method-status",
		Title:     "the error for a method of an extension that the server lacks has HTTP status 404",
		Checks:    []requirements.ID{"ext-degrade-modern-envelope"},
		Needs:     []suite.Need{suite.Over(requirements.HTTP)},
		Revisions: protocol.Stateless(),
		Fix:       "answer error -32601 with HTTP status 404, whatever the method",
		Run:       unknownStatus,
	}, suite.Case{
		ID:     "ext-degradation/method-refusal-clear",
		Title:  "the error for a method of an extension that the server lacks says that there is no such method",
		Checks: []requirements.ID{"ext-degrade-rejection-clear"},
		Fix:    "say in the message of the error that the method is unknown, and name it",
		Sees:   "an error for a method of an extension",
		Watch:  refusalClear,
	})
}

// A stranger is a method of an extension that most servers do not have.
type stranger struct {
	slug, extension, name string
	params                func(c *probe.Client) probe.Object
	real                  func(asked probe.Object, result map[string]any) bool // it is the answer of the extension
	ends                  string                                               // the method that takes back what it did
}

func strangers() []stranger {
	id := func(c *probe.Client) string { return "kit-" + c.Nonce() }
	return []stranger{
		{
			slug: "transaction-begin", extension: "transactions", name: "transaction/begin", ends: "transaction/rollback",
			params: func(c *probe.Client) probe.Object { return probe.Object{"transaction_id": id(c), "timeout_seconds": 5} },
			real: func(asked probe.Object, result map[string]any) bool {
				return result["transaction_id"] == asked["transaction_id"]
			},
		},
		{
			slug: "permissions-check", extension: "permissions", name: "permissions/check",
			params: func(c *probe.Client) probe.Object {
				return probe.Object{"tool": proposal.SomeTool(c), "scopes_held": []string{}}
			},
			real: func(_ probe.Object, result map[string]any) bool { _, ok := result["allowed"].(bool); return ok },
		},
		{
			slug: "resume", extension: "streaming", name: "resume",
			params: func(c *probe.Client) probe.Object {
				return probe.Object{"operation_id": id(c), "checkpoint_token": id(c)}
			},
			real: func(_ probe.Object, result map[string]any) bool { return len(result) > 0 },
		},
		{
			slug: "recommend-servers", extension: "server-discovery", name: "recommend_servers",
			params: func(*probe.Client) probe.Object { return probe.Object{"capability_needed": "weather"} },
			real: func(_ probe.Object, result map[string]any) bool {
				_, ok := result["recommendations"].([]any)
				return ok
			},
		},
		{
			slug: "ai-help", extension: "dashdash-ai-help", name: "ai_help",
			params: func(*probe.Client) probe.Object { return probe.Object{"format": "markdown"} },
			real:   func(_ probe.Object, result map[string]any) bool { _, ok := result["contentType"]; return ok },
		},
		{
			slug: "events-subscribe", extension: "push", name: "events/subscribe", ends: "events/unsubscribe",
			params: func(c *probe.Client) probe.Object {
				return probe.Object{"subscription_id": id(c), "events": []string{"kit_nothing"}, "ttl_seconds": 5}
			},
			real: func(_ probe.Object, result map[string]any) bool {
				return result["subscription_id"] != nil && result["status"] != nil
			},
		},
	}
}

// ask sends the method, and takes back what it may have done.
func (m stranger) ask(c *probe.Client) (asked probe.Object, reply *probe.Reply) {
	asked = m.params(c)
	if reply = c.Call(m.name, asked); m.ends == "" {
		return asked, reply
	}
	if reply.Served() {
		c.Call(m.ends, asked.Without("timeout_seconds").Without("ttl_seconds").Without("events"))
	}
	return asked, reply
}

// nobodysMethod is a method that no server has.
const nobodysMethod = "kit.nobody/asks"

// unknown says how the server answers a method that nobody has: where it is in
// another way than with -32601, the JSON-RPC page speaks of it.
func unknown(c *probe.Client) {
	code := c.Learn("degradation:unknown method", func() string {
		code, _ := c.Call(nobodysMethod, nil).Code()
		return fmt.Sprint(code)
	})
	c.NotSeenIf(code != fmt.Sprint(protocol.MethodNotFound),
		"unknown methods are not rejected with error -32601 in general; jsonrpc/method-not-found judges that")
}

func (m stranger) unknown(c *probe.Client) error {
	m.absent(c)
	asked, reply := m.ask(c)
	code, coded := reply.Code()
	result, answered := reply.Result()
	payload := probe.Object(result).Without("resultType").Without("_meta")
	want := "want error -32601"
	switch {
	case coded && code == protocol.MethodNotFound:
		return nil
	case answered && m.real(asked, payload):
		c.Note("the server answers " + m.name + " and does not claim the extension " + m.extension)
		c.NotSeen("the server has " + m.name)
	case answered && len(payload) == 0 && !strings.Contains(m.name, "/"):
		// An ordinary word may be the name of anything.
		return reply.Violation("the result of %s is empty, %s, or what the extension %s has there", m.name, want, m.extension).AtMostWarn()
	case answered && len(payload) == 0:
		return reply.Violation("the result of %s is empty, %s, or what the extension %s has there", m.name, want, m.extension)
	case reply.HasCode(protocol.InternalError), !reply.Answered() && (reply.Status() < 400 || reply.Status() >= 500):
		return reply.Violation("%s, %s", reply.AnswerTo(m.name), want)
	}
	// A method of this name that is something else, or asks for other params.
	c.NotSeen("the server knows " + m.name + " in some sense: " + reply.Outcome())
	return nil
}

// absent ends a case about a method that the server has, or may have.
func (m stranger) absent(c *probe.Client) {
	lacking(c, m.extension)
	// A design of a working group has methods for events under such names too.
	_, events := c.Survey().Capabilities["events"]
	c.NotSeenIf(events && strings.HasPrefix(m.name, "events/"), "the server declares events, in the sense of another design")
	unknown(c)
}

func unknownStatus(c *probe.Client) error {
	for _, m := range strangers() {
		if c.Try(func() { m.absent(c) }) != nil {
			continue
		}
		_, reply := m.ask(c)
		if !reply.HasCode(protocol.MethodNotFound) {
			continue
		}
		if reply.Status() == http.StatusNotFound {
			return nil
		}
		other := c.Call(nobodysMethod, nil)
		c.NotSeenIf(other.Status() != http.StatusNotFound, "no unknown method gets status 404, which is not about extensions")
		return reply.Violation("the status of the error for %s is %d, want 404 as for other unknown methods", m.name, reply.Status())
	}
	c.NotSeen("the server lacks none of the extensions with methods")
	return nil
}

// refusalClear judges the refusals of all methods of extensions, whoever asked.
func refusalClear() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		if m.Class != frame.Error || !slices.ContainsFunc(strangers(), func(s stranger) bool { return s.name == m.Request.Method }) {
			return probe.Nothing()
		}
		code, _ := m.At("/error/code")
		message, text := m.Value("/error/message").(string)
		if probe.JSON(code) != fmt.Sprint(protocol.MethodNotFound) || !text {
			return probe.Nothing() // another code has a case of its own, another type the page of JSON-RPC
		}
		data, _ := m.At("/error/data")
		if said := probe.JSON(data); generic(message) && !strings.Contains(plainly(said), plainly(m.Request.Method)) &&
			!strings.Contains(said, "UNSUPPORTED_OPERATION") {
			return probe.Breaks("%s is %s, want words that say what is not supported",
				m.Where("/error/message"), probe.Show(m.Value("/error/message")))
		}
		return probe.Kept()
	})()
}

// generic reports whether a text could stand in any error.
func generic(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' && (r < '0' || r > '9') || r > 'z' && r < 128 })
	return !slices.ContainsFunc(words, func(word string) bool {
		return strings.Trim(word, "-0123456789") != "" &&
			!slices.Contains([]string{
				"a", "an", "the", "error", "errors", "failure", "failed", "exception", "internal", "server", "unknown", "unexpected",
				"general", "generic", "request", "jsonrpc", "rpc", "mcp", "occurred", "has", "something", "went", "wrong", "oops",
			}, word)
	})
}

// notifications send methods of extensions without an id. Over HTTP the newest
// revisions have no notifications of the client.
func notifications() []suite.Case {
	var cases []suite.Case
	for _, n := range []struct {
		slug, method string
		params       func(c *probe.Client) probe.Object
	}{
		{"transaction-begin", "transaction/begin", func(c *probe.Client) probe.Object {
			return probe.Object{"transaction_id": "kit-" + c.Nonce(), "timeout_seconds": 5}
		}},
		{"events-unsubscribe", "events/unsubscribe", func(c *probe.Client) probe.Object {
			return probe.Object{"subscription_id": "kit-" + c.Nonce()}
		}},
	} {
		older := suite.Case{
			ID:        "ext-degradation/notification-" + n.slug,
			Title:     n.method + " without an id gets no answer",
			Checks:    []requirements.ID{"ext-degrade-notification-silent"},
			Revisions: protocol.Handshake(),
			Fix:       "take a message without an id as a notification, and ignore one that you do not know",
			Run:       func(c *probe.Client) error { return silent(c, n.method, n.params(c)) },
		}
		newer := older
		newer.ID, newer.Title = older.ID+"-on-stdio", older.Title+", over stdio"
		newer.Revisions, newer.Needs = protocol.Stateless(), []suite.Need{suite.Over(requirements.Stdio)}
		cases = append(cases, older, newer)
	}
	return cases
}

func silent(c *probe.Client, method string, params probe.Object) error {
	c.Quiet()
	from := c.Mark()
	c.Notify(method, c.Params(params))
	c.Cleanup(func() { ended(c, method, params) })
	c.AwaitEnds(from)
	sent, _ := c.Find(from, func(s probe.Seen) bool { return s.Dir == frame.Sent })
	behind := c.Barrier()
	if !behind.Answered() {
		return probe.One(sent.Frame).And(behind).Violation("%s, want a result", behind.AnswerTo(behind.Method+" behind the notification "+method))
	}
	c.Settle(from)
	strays := c.Strays(from)
	if len(strays) == 0 {
		return nil
	}
	// One that answers whatever has no id has another trouble.
	mark := c.Mark()
	c.Notify(nobodysMethod, c.Params(nil))
	c.Settle(mark)
	c.NotSeenIf(len(c.Strays(mark)) > 0, "any unknown notification is answered; jsonrpc/unknown-notification-unanswered judges that")
	return probe.One(sent.Frame).And(probe.One(strays[0].Frame)).Violation("%s without an id is answered, want no response", method)
}

// ended takes back a transaction that the server may have begun.
func ended(c *probe.Client, method string, params probe.Object) {
	if method == proposal.BeginTransaction().Name && proposal.Offers(c, "transactions") {
		proposal.RollbackTransaction().Ask(c, params.Without("timeout_seconds"))
	}
}
