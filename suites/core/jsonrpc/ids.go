package jsonrpc

import (
	"context"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// idCases send ids of every form that is allowed.
func idCases() []suite.Case {
	cases := []suite.Case{{
		ID:     "jsonrpc/string-and-integer-ids",
		Title:  "a request is served the same under an integer and under a string as id",
		Checks: []requirements.ID{"jsonrpc-string-and-integer-ids"},
		Needs:  []suite.Need{suite.Lists()},
		Fix:    "read ids as any string or integer, and keep them as they came",
		Run:    stringAndIntegerIDs,
	}}
	for _, form := range []struct{ slug, title, id string }{
		{"zero", "0", "0"},
		{"negative", "a negative integer", "-7"},
		{"beyond-32-bits", "an integer beyond 32 bits", "2147483648"},
		{"text", "a text", `"abc"`},
		{"empty-text", "an empty text", `""`},
		{"beyond-ascii", "a text with a quote, a backslash and letters beyond ASCII", `"kit-ü\"\\漢"`},
	} {
		cases = append(cases, echoed("jsonrpc/id-"+form.slug, form.title, func(ctx context.Context, c *probe.Client) error {
			reply, err := c.CallAs(ctx, form.id, harmless(c), nil)
			if err != nil {
				return err
			}
			return wantID(reply, form.id)
		}))
	}
	for _, form := range []struct{ slug, title, id string }{
		{"one", "1", "1"},
		{"one-as-text", `the text "1"`, `"1"`},
	} {
		kase := echoed("jsonrpc/id-"+form.slug, form.title+", on the first request of a conversation,", func(ctx context.Context, c *probe.Client) error {
			reply, err := first(ctx, c, form.id)
			if err != nil {
				return err
			}
			return wantID(reply, form.id)
		})
		// Who has used 1 must not use it again, and a server may take "1" for it.
		kase.Raw, kase.Lane = true, suite.Fresh
		cases = append(cases, kase)
	}
	return append(cases, reuseCase(), scopeCase())
}

func echoed(id, title string, run func(context.Context, *probe.Client) error) suite.Case {
	return suite.Case{
		ID:     id,
		Title:  title + " as id comes back as it was",
		Checks: []requirements.ID{"jsonrpc-response-id-echo"},
		Fix:    "keep the id of a request as raw JSON and write it back unchanged: 1 is not \"1\", and 0 and \"\" are ids",
		Run:    run,
	}
}

// first is the request that opens a conversation of the era.
func first(ctx context.Context, c *probe.Client, id string) (*probe.Reply, error) {
	opening := map[bool]struct {
		method string
		params probe.Object
	}{
		false: {"initialize", c.InitializeParams(c.Revision())},
		true:  {"server/discover", nil},
	}[c.Revision().Modern()]
	reply, err := c.CallAs(ctx, id, opening.method, opening.params)
	if err == nil {
		c.Adopt(reply)
	}
	return reply, err
}

// wantID expects the answer under the very id. The ids of errors are judged
// where errors are provoked.
func wantID(reply *probe.Reply, id string) error {
	if !reply.Answered() {
		return reply.Violation("the answer to %s under the id %s is %s, want a response with that id", reply.Method, id, reply.Outcome())
	}
	if _, isError := reply.At("/error"); isError {
		return probe.NotSeen("the request is answered by " + reply.Outcome())
	}
	if got := reply.ID(); !frame.SameID(got, id) {
		return reply.Violation("$.id is %s, want %s", shownID(got), id)
	}
	return nil
}

func shownID(id string) string {
	if id == "" {
		return "absent"
	}
	return id
}

// A refusal under both is the list's own trouble; under one of them it is the
// id's.
func stringAndIntegerIDs(ctx context.Context, c *probe.Client) error {
	method := list(c).method
	integer, err := c.CallAs(ctx, "501", method, nil)
	if err != nil {
		return err
	}
	text, err := c.CallAs(ctx, `"kit-502"`, method, nil)
	if err != nil {
		return err
	}
	for _, reply := range []*probe.Reply{integer, text} {
		if err := reply.WantAnswer(); err != nil {
			return err
		}
	}
	_, one := integer.Result()
	_, other := text.Result()
	if one != other {
		return probe.Broken(append(integer.Evidence(), text.Evidence()...),
			"%s under an integer id is %s, under a string id %s, want the same under both", method, integer.Outcome(), text.Outcome())
	}
	return nil
}

func reuseCase() suite.Case {
	return suite.Case{
		ID:     "jsonrpc/id-reuse-after-response",
		Title:  "an id serves again once its request is answered",
		Checks: []requirements.ID{"jsonrpc-id-reuse-after-response"},
		Fix:    "forget the id of a request when its response is sent",
		Lane:   suite.Fresh,
		Run:    idReuseAfterResponse,
	}
}

func idReuseAfterResponse(ctx context.Context, c *probe.Client) error {
	var before *probe.Reply
	for range 2 {
		reply, err := c.CallAs(ctx, "601", harmless(c), nil)
		if err != nil {
			return err
		}
		if err := reply.WantAnswer(); err != nil {
			return err
		}
		_, served := reply.Result()
		if before != nil && !served {
			if _, well := before.Result(); well {
				return probe.Broken(append(before.Evidence(), reply.Evidence()...),
					"the second request with the id 601 is answered by %s, want a result as the first time", reply.Outcome())
			}
		}
		before = reply
	}
	return nil
}

func scopeCase() suite.Case {
	return suite.Case{
		ID:     "jsonrpc/ids-scoped-to-sender",
		Title:  "two clients that use the same id at the same time get their own answers",
		Checks: []requirements.ID{"jsonrpc-ids-scoped-to-sender"},
		Needs:  []suite.Need{suite.Lists()},
		Fix:    "look pending requests up by connection or session and id, never by id alone",
		Lane:   suite.Fresh,
		Run:    idsScopedToSender,
	}
}

// One client asks for a list, the other for something without that list, so
// that each answer shows whose it is. A few rounds give a race its chance.
func idsScopedToSender(ctx context.Context, c *probe.Client) error {
	other, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	asks := list(c)
	for _, id := range []string{"701", "702", "703", "704"} {
		var listed, bare *probe.Reply
		var errs [2]error
		var both sync.WaitGroup
		both.Go(func() { listed, errs[0] = c.CallAs(ctx, id, asks.method, nil) })
		both.Go(func() { bare, errs[1] = other.CallAs(ctx, id, harmless(c), nil) })
		both.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		for _, reply := range []*probe.Reply{listed, bare} {
			if err := reply.WantAnswer(); err != nil {
				return err
			}
		}
		_, served := listed.Result()
		_, own := listed.At("/result/" + asks.items)
		_, foreign := bare.At("/result/" + asks.items)
		if served && !own || foreign {
			return probe.Broken(append(listed.Evidence(), bare.Evidence()...),
				"with the id %s in use by two clients, %s gets %s and %s gets %s, want each its own answer",
				id, asks.method, listed.Outcome(), bare.Method, bare.Outcome())
		}
	}
	return nil
}
