package jsonrpc

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/together"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// mostExact is 2^53-1, the largest integer up to which a double holds each one.
const mostExact = "9007199254740991"

const accepted = "jsonrpc-string-and-integer-ids"

// idCases send ids of every allowed form. Except for 1 they differ widely from the small
// integers that the client gives its own requests.
func idCases() []suite.Case {
	cases := []suite.Case{{
		ID:     "jsonrpc/string-and-integer-ids",
		Title:  "integers and strings work equally well as the id of a request",
		Checks: []requirements.ID{accepted},
		Needs:  []suite.Need{suite.Lists(), suite.Answers()},
		Fix:    "read ids as any string or integer, and keep them as they came",
		Run:    stringAndIntegerIDs,
	}}
	for _, form := range []struct {
		slug, title string
		ids         []string
	}{
		{"zero", "the id 0", []string{"0"}},
		{"negative", "a negative integer as id", []string{"-7"}},
		{"beyond-32-bits", "an integer beyond 32 bits as id", []string{"2147483648", mostExact}},
		{"text", "a string as id", []string{`"abc"`, `" Kit  Ab "`}},
		{"long-text", "a string of 300 characters as id", []string{strconv.Quote(strings.Repeat("kit-", 75))}},
		{"empty-text", "an empty string as id", []string{`""`}},
		{"digits", "a string of digits as id", []string{`"900821"`, `"00900822"`}},
		{"uuid", "a UUID as id", []string{`"5b0c1f6e-93d4-4c2a-8a77-1e2f3d4c5b6a"`}},
		{"beyond-ascii", "an id with a quote, a backslash and letters beyond ASCII", []string{`"kit-ü\"\\漢"`}},
	} {
		cases = append(cases, echoed(form.slug, form.title, func(c *probe.Client) error {
			usual := answersPlain(c)
			for _, id := range form.ids {
				reply := c.Call(harmless(c), nil, probe.WithID(id))
				c.Must(notRefused(c, usual, reply, id))
				c.Must(inUTF8(c, wantID(c, reply, id)))
			}
			return nil
		}))
	}
	return append(cases,
		echoed("one", "the id 1 on the first request of a conversation", idOne),
		echoed("one-as-text", `the id "1", a string, on the first request of a conversation`, idOneAsText),
		suite.Case{
			ID:     "jsonrpc/id-reuse-after-response",
			Title:  "an id may be reused after its response",
			Checks: []requirements.ID{"jsonrpc-id-reuse-after-response"},
			Needs:  []suite.Need{suite.Answers()},
			Fix:    "forget the id of a request when its response is sent",
			Run:    idReuseAfterResponse,
		},
		suite.Case{
			ID:     "jsonrpc/ids-scoped-to-sender",
			Title:  "two clients that use the same id at the same time get their own answers",
			Checks: []requirements.ID{"jsonrpc-ids-scoped-to-sender"},
			Needs:  []suite.Need{suite.Lists(), suite.Answers()},
			Fix:    "look pending requests up by connection or session and id, never by id alone, and give each client its own transport object",
			Run:    idsScopedToSender,
		})
}

func echoed(slug, title string, run func(*probe.Client) error) suite.Case {
	return suite.Case{
		ID:     "jsonrpc/id-" + slug,
		Title:  title + " comes back unchanged",
		Checks: []requirements.ID{"jsonrpc-response-id-echo", accepted},
		Needs:  []suite.Need{suite.Answers()},
		Fix:    "keep the id of a request as raw JSON and write it back unchanged: 1 is not \"1\", and 0 and \"\" are ids",
		Run:    run,
	}
}

// answersPlain makes sure that the connection answers a request with a usual id:
// otherwise a missing answer shows nothing about ids.
func answersPlain(c *probe.Client) *probe.Reply {
	usual := c.Call(harmless(c), nil)
	c.UndecideIf(!usual.Answered(), "on this connection a request with a usual id is not answered either")
	return usual
}

// notRefused expects that a request is not refused for its id. A server that allows only some
// letters in strings, or so many, gets a warning.
func notRefused(c *probe.Client, usual, reply *probe.Reply, id string) error {
	if !usual.Served() || !reply.Refused() || !frame.SameID(reply.ID(), id) || !c.Call(harmless(c), nil).Served() {
		return nil
	}
	v := reply.Violation("a request with the id %s got %s, and one with a usual id a result, want a result for both",
		briefly(id), reply.Outcome()).Under(accepted)
	if letters := strings.Trim(id, `"`); letters == "" || len(letters) > 36 || strings.Trim(letters, "-0123456789abcdef") != "" {
		v = v.AtMostWarn()
	}
	return v
}

// oneCameBack reports whether the log holds a result with the id 1.
func oneCameBack(c *probe.Client) bool {
	return slices.ContainsFunc(c.Since(0), func(s probe.Seen) bool {
		m := s.Message()
		return s.Dir == frame.Received && m.Class == frame.Result && frame.SameID(m.ID, "1")
	})
}

// inUTF8 leaves a missing answer to the case that judges the encoding, where that has spoiled it.
func inUTF8(c *probe.Client, err error) error {
	spoiled := slices.ContainsFunc(c.Since(0), func(s probe.Seen) bool {
		return s.Dir == frame.Received && s.Kind == frame.KindMessage && !s.Truncated && notUTF8(s.Raw()) != ""
	})
	if err == nil || !spoiled {
		return err
	}
	return probe.Unless(err, probe.Elsewhere{Case: "jsonrpc/utf8", Why: "the answer is not UTF-8"})
}

// wantID expects an answer with exactly this id. Other cases judge the ids of errors.
func wantID(c *probe.Client, reply *probe.Reply, id string) error {
	if !reply.Answered() {
		return reply.Violation("%s, want a response with that id", reply.AnswerTo(reply.Method+" with the id "+briefly(id)))
	}
	c.UndecideIf(reply.Failed(), "the request got "+reply.Outcome())
	if got := reply.ID(); !frame.SameID(got, id) {
		return reply.Violation("$.id is %s, want %s", briefly(got), briefly(id))
	}
	return nil
}

// briefly shows how long an id is that would fill lines.
func briefly(id string) string {
	const most, shown = 80, 12
	letters := []rune(id)
	if len(letters) <= most {
		return shownID(id)
	}
	return fmt.Sprintf("%s… of %d characters", string(letters[:shown]), len(letters)-len(`""`))
}

// stringAndIntegerIDs expects the same outcome for both ids: if the server refuses both
// requests, the list is the reason; if it refuses one, the id is.
func stringAndIntegerIDs(c *probe.Client) error {
	method := c.AnyList().Method
	integer := c.Call(method, nil, probe.WithID("900501"))
	text := c.Call(method, nil, probe.WithID(`"kit-502"`))
	if integer.Silent() && text.Silent() {
		c.Undecide("neither id got an answer: " + integer.AnswerTo(method))
	}
	for _, reply := range []*probe.Reply{integer, text} {
		c.Must(reply.WantAnswer())
	}
	if integer.Served() != text.Served() {
		return probe.Shown(integer, text).Violation("%s with an integer as id got %s, with a string %s, want the same for both",
			method, integer.Outcome(), text.Outcome())
	}
	return nil
}

func idReuseAfterResponse(c *probe.Client) error {
	const id = "900601"
	var before *probe.Reply
	for range 2 {
		reply := c.Call(harmless(c), nil, probe.WithID(id))
		c.Must(reply.WantAnswer())
		if before != nil && before.Served() && !reply.Served() {
			return probe.Shown(before, reply).Violation("the second request with the id %s got %s, want a result as the first time",
				id, reply.Outcome())
		}
		before = reply
	}
	return nil
}

// idsScopedToSender lets one client ask for a list and another client for something else,
// so that each answer shows its request. Several rounds give a race its chance.
func idsScopedToSender(c *probe.Client) error {
	plain := c.Call(c.AnyList().Method, nil)
	c.Require(plain.WantAnswer(), "without another client beside it, "+plain.AnswerTo(plain.Method))
	other := c.Opened()
	for _, id := range []string{"900701", "900702", "900703", "900704"} {
		c.Must(sameIDTwice(c, other, id))
	}
	return sameIDDuringCalls(c, other)
}

// sameIDDuringCalls asks for a list under the id of a call that is being served to another
// client: most servers answer everything else too soon for two requests to meet. Over
// stdio clients do not share a process. Each call has an id of its own, since a client may not
// use one again in a session at some revisions.
func sameIDDuringCalls(c, other *probe.Client) error {
	const first, most = 900711, 4
	list, safe := c.AnyList(), c.Survey().Safe
	if c.Transport() == requirements.Stdio {
		return nil
	}
	for i, call := range safe[:min(len(safe), most)] {
		id, params := strconv.Itoa(first+i), probe.Object{"name": call.Tool, "arguments": probe.Object(call.Arguments)}
		one := c.Start("tools/call", params, probe.WithID(id), probe.Within(min(c.Waits().Answer, together.Most)))
		c.Barrier() // the call travels by a connection of its own, and has to be there first
		listed := other.Call(list.Method, nil, probe.WithID(id))
		called := one.Reply()
		if called.Silent() {
			return nil // it takes long, or jsonrpc/single-response judges it
		}
		if _, foreign := called.At("/result/" + list.Items); !foreign {
			continue
		}
		// Other cases run beside this one, so the call is made again under an id that no client has.
		_, own := c.Call("tools/call", params, probe.WithID(strconv.Quote("kit-"+c.Nonce()))).At("/result/" + list.Items)
		c.UndecideIf(own, "the result of "+probe.Show(call.Tool)+" has "+list.Items+" without another client, too")
		return probe.Shown(called, listed).Violation(
			"while two clients used the id %s, tools/call got the %s that the other one asked for by %s, want each its own answer",
			id, list.Items, list.Method)
	}
	return nil
}

func sameIDTwice(c, other *probe.Client, id string) error {
	list := c.AnyList()
	one := c.Start(list.Method, nil, probe.WithID(id))
	bare := other.Call(harmless(c), nil, probe.WithID(id))
	listed := one.Reply()
	for _, reply := range []*probe.Reply{listed, bare} {
		c.Must(reply.WantAnswer())
	}
	_, own := listed.At("/result/" + list.Items)
	_, foreign := bare.At("/result/" + list.Items)
	if listed.Served() && !own || foreign {
		return probe.Shown(listed, bare).Violation("while two clients used the id %s, %s got %s and %s got %s, want each its own answer",
			id, list.Method, listed.Outcome(), bare.Method, bare.Outcome())
	}
	return nil
}

// invalidIDCases send ids of types that are forbidden for requests.
func invalidIDCases() []suite.Case {
	var cases []suite.Case
	for _, invalid := range []struct{ slug, title, id string }{
		{"boolean", "a boolean", "true"},
		{"object", "an object", "{}"},
		{"list", "an array", "[]"},
	} {
		cases = append(cases, suite.Case{
			ID:     "jsonrpc/invalid-id-" + invalid.slug,
			Title:  "a request whose id is " + invalid.title + " is not served",
			Checks: []requirements.ID{"jsonrpc-invalid-id-rejected"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "check the type of the id before serving a request, and answer error -32600 without an id",
			Run: func(c *probe.Client) error {
				c.Must(notServed(c, invalid.id))
				noteUnadvised(c)
				return nil
			},
		})
	}
	return cases
}

// notServed allows any refusal, and silence too: a server that could not read the request
// has no id to answer. A lenient server that echoes the id only gets a note, since the
// rule on ids binds senders.
func notServed(c *probe.Client, id string) error {
	c.Quiet()
	reply := withID(c, id)
	switch {
	case reply.Served() && frame.SameID(reply.ID(), id):
		c.Note("a request with the id " + id + " got a result with that id")
	case reply.Served():
		return reply.Violation("a request with the id %s got a result %s, want a refusal", id, underID(reply.ID()))
	}
	return nil
}

// withID asks for a list under an id that a correct client would not use.
func withID(c *probe.Client, id string) *probe.Reply {
	return c.Ask(probe.RequestText(id, c.AnyList().Method, c.Params(nil)), probe.ThenBarrier())
}

// noteUnadvised only notes how the server treats null and fractions, because the text
// merely advises against such ids. Servers that round the fraction answer under an id
// that the conversation does not use otherwise.
func noteUnadvised(c *probe.Client) {
	for _, id := range []string{"null", "7000001.5"} {
		reply := withID(c, id)
		if !reply.Behind().Answered() {
			return
		}
		outcome := "is ignored"
		switch {
		case reply.Served():
			outcome = "got a result " + underID(reply.ID())
		case reply.Refused():
			outcome = "is rejected"
		}
		c.Note(fmt.Sprintf("a request with the id %s %s", id, outcome))
	}
}

// textOne is 1 as a string.
const textOne = `"1"`

// opensWell opens one conversation for two cases, since each may cost the start of a
// process. The first request has the string "1" as its id, and notifications/initialized
// is followed only by the most harmless request. If either goes wrong, each case opens a
// conversation of its own.
func opensWell(c *probe.Client) bool {
	return c.Learn("jsonrpc:opening", func() string {
		well := false
		why := c.Try(func() {
			other, reply := openAs(c, textOne)
			well = wantID(c, reply, textOne) == nil && notAnswered(other) == nil
		})
		if open := (*probe.Undecided)(nil); why != nil && !errors.As(why, &open) {
			c.Stop(why)
		}
		if well {
			return "yes"
		}
		return "no"
	}) == "yes"
}

// openAs opens another conversation, with the given id on its first request.
func openAs(c *probe.Client, id string) (*probe.Client, *probe.Reply) {
	other := c.Another()
	return other, other.First(probe.WithID(id))
}

// notAnswered sends notifications/initialized at its proper time, and expects no response
// to it.
func notAnswered(c *probe.Client) error {
	from := c.Mark()
	c.Initialized()
	c.Settle(from)
	return noResponse(c, from)
}

// idOne judges this conversation, because the client numbers its requests from 1. It
// opens another one only where this one does not show the answer.
func idOne(c *probe.Client) error {
	if oneCameBack(c) {
		return nil
	}
	_, reply := openAs(c, "1")
	return wantID(c, reply, "1")
}

// idOneAsText opens another conversation: once a connection has used 1, a server may take
// "1" for it.
func idOneAsText(c *probe.Client) error {
	if opensWell(c) {
		return nil
	}
	_, reply := openAs(c, textOne)
	return wantID(c, reply, textOne)
}

func initializedUnanswered(c *probe.Client) error {
	if opensWell(c) {
		return nil
	}
	other, reply := openAs(c, "1")
	c.NotSeenIf(reply.WantResult() != nil, "the handshake was refused, so there is nothing to confirm")
	return notAnswered(other)
}
