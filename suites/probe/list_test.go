package probe_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// toolPages answers tools/list by cursor; "" is the first page.
func toolPages(byCursor map[string]string) func(*server, receivedFrame) {
	return func(s *server, h receivedFrame) {
		if h.Message.Method != "tools/list" {
			polite(s, h)
			return
		}
		cursor, _ := h.Message.At("/params/cursor")
		text, _ := cursor.(string)
		if page, ok := byCursor[text]; ok {
			s.say(0, result(h.Message.ID, page))
			return
		}
		s.say(0, refusal(h.Message.ID, `{"code":-32602,"message":"m"}`))
	}
}

func limited(pages int) func(*probe.Setup) { return func(s *probe.Setup) { s.Waits.Pages = pages } }

func TestList(t *testing.T) {
	t.Parallel()
	const one, two = `{"name":"a"}`, `{"name":"b"}`
	for name, row := range map[string]struct {
		pages      map[string]string
		at         requirements.Revision
		items      string
		asked      int
		cut, paged bool
		readable   bool
	}{
		"two pages": {map[string]string{"": `{"tools":[` + one + `],"nextCursor":"c"}`, "c": `{"tools":[` + two + `]}`},
			requirements.R20251125, "a b", 2, false, true, true},
		"starts over": {map[string]string{"": `{"tools":[` + one + `],"nextCursor":"c"}`,
			"c": `{"tools":[` + one + `]}`},
			"", "a", 2, false, true, true},
		"cut": {map[string]string{"": `{"tools":[1],"nextCursor":"c"}`,
			"c": `{"tools":[2],"nextCursor":"d"}`},
			"", "1 2", 2, true, true, true},
		"empty cursor": {map[string]string{"": `{"tools":[` + one + `],"nextCursor":""}`},
			requirements.R20251125, "a", 1, false, false, true},
		"a cursor since": {map[string]string{"": `{"tools":[` + one + `],"nextCursor":""}`},
			requirements.R20260728, "a", 2, false, true, true},
		"a page is missing": {map[string]string{"": `{"tools":[` + one + `],"nextCursor":"x"}`}, "", "a", 2, false, true, false},
		"no array":          {map[string]string{"": `{"tools":{}}`}, "", "", 1, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.at == "" {
				row.at = requirements.R20251125
			}
			c := connect(t, &server{hear: toolPages(row.pages)}, at(row.at), limited(2))
			items := probe.List(c, protocol.Tools())
			var ids []string
			for _, item := range items.All {
				ids = append(ids, item.ID())
			}
			if got := strings.Join(ids, " "); got != row.items || len(items.Pages) != row.asked || items.Cut != row.cut || items.Paged != row.paged {
				t.Errorf("got %s of %d pages, cut %v, paged %v", got, len(items.Pages), items.Cut, items.Paged)
			}
			unread := stopped(t, c, func(c *probe.Client) { probe.List(c, protocol.Tools()).MustBeRead() })
			if u := (*probe.Undecided)(nil); (unread == nil) != row.readable || unread != nil && !errors.As(unread, &u) {
				t.Errorf("reading is stopped by %v", unread)
			}
			if len(control(c).Notes()) > 0 != row.cut {
				t.Errorf("notes: %q", control(c).Notes())
			}
		})
	}
}

func TestEachItem(t *testing.T) {
	t.Parallel()
	short := func(_ *probe.Client, item probe.Item) probe.Opinion {
		switch name, ok := item.Get("name").(string); {
		case !ok:
			return probe.Nothing()
		case name == "ours":
			return probe.Failed(errors.New("our own"))
		case len(name) > 2:
			return probe.Breaks("%s has %d letters", item.Where("name"), len(name))
		case len(name) > 1:
			return probe.Breaks("%s is long", item.Where("name"))
		}
		return probe.Kept()
	}
	for tools, want := range map[string]string{
		`[{"name":"a"},1]`:             "",
		`[{"name":"a"},{"name":"bb"}]`: `$.result.tools[1].name is long (tool "bb")`,
		`[{"name":"aa"},{"name":"bb"},{"name":"cc"},{"name":"dd"}]`:                                           `$.result.tools[0].name is long (tool "aa", also "bb", "cc" and "dd")`,
		`[{"name":"aa"},{"name":"bb"},{"name":"cc"},{"name":"dd"},{"name":"ee"},{"name":"ff"},{"name":"gg"}]`: `$.result.tools[0].name is long (tool "aa", also "bb", "cc", "dd", "ee" and 2 more)`,
		`[{"name":"aaa"},{"name":"bbbb"},{"name":"ccc"},{"name":"dddd"},{"name":"eeeee"},{"name":"ffffff"}]`: `$.result.tools[0].name has 3 letters (tool "aaa", also "ccc"); ` +
			`$.result.tools[1].name has 4 letters (tool "bbbb", also "dddd"); $.result.tools[4].name has 5 letters (tool "eeeee"); and 1 more`,
		`[1]`:               "no listed tool has what this rule applies to",
		`[]`:                "the server lists no tools",
		`[{"name":"ours"}]`: "our own",
	} {
		s := &server{hear: toolPages(map[string]string{"": `{"tools":` + tools + `}`})}
		err := control(connect(t, s, limited(2))).Run(t.Context(), probe.EachItem(protocol.Tools(), short))
		if got := text(err); got != want {
			t.Errorf("%s: got %s, want %s", tools, got, want)
		}
		if v := (*probe.Violation)(nil); errors.As(err, &v) && len(v.Frames) != 2 {
			t.Errorf("%s: shown by %d frames", tools, len(v.Frames))
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The client collects an array up to its last answer, and does not wait for
// answers that a server may omit.
func TestExchange(t *testing.T) {
	t.Parallel()
	answers := func(s *server, h receivedFrame) {
		if h.Message.Class != frame.Batch {
			polite(s, h)
			return
		}
		s.say(0, result("91", "{}"))
		s.say(0, `[`+result("92", "{}")+`,`+refusal("null", `{"code":1}`)+`]`)
	}
	c := connect(t, &server{hear: answers})
	x := probe.Exchange(c, `[`+probe.RequestText("91", "ping", nil)+`,`+probe.RequestText("92", "ping", nil)+`]`, "91", "92")
	if x.Served() != 2 || !x.Array || len(x.Extra) != 1 || x.Refused() || x.Silent() || len(x.Evidence()) != 3 {
		t.Errorf("got %+v", x)
	}
	x = probe.Exchange(connect(t, &server{hear: polite}), probe.RequestText("93", "ping", nil), "93")
	if x.Served() != 1 || x.Array || len(x.Extra) != 0 {
		t.Errorf("a single request: %+v", x)
	}
	x = probe.Exchange(connect(t, &server{hear: polite}), probe.NotificationText("notifications/x", nil))
	if !x.Silent() || x.Outcome() != "" {
		t.Errorf("got %+v", x)
	}
}

// ThenBarrier takes the frames until the answers to the next requests, and over stdio those
// that come a little later.
func TestAskThenBarrier(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		http    bool
		ignores bool
		late    time.Duration
		want    string
		took    time.Duration
	}{
		"refused":      {want: `error {"code":1}`},
		"overtaken":    {late: 20 * time.Millisecond, want: `error {"code":1}`, took: 20 * time.Millisecond},
		"passed over":  {ignores: true, want: "no answer before the next request", took: 500 * time.Millisecond},
		"over HTTP":    {http: true, want: `error {"code":1}`},
		"HTTP, status": {http: true, ignores: true, want: "HTTP status 202 without a JSON-RPC response"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{http: row.http, hear: func(s *server, h receivedFrame) {
					switch {
					case h.Message.Method == "ping":
						s.answer(h, result(h.Message.ID, "{}"))
					case row.ignores:
						s.answer(h, "")
					case row.late > 0:
						time.AfterFunc(row.late, func() { s.answer(h, refusal("null", `{"code":1}`)) })
					default:
						s.answer(h, refusal("null", `{"code":1}`))
					}
				}}
				began := time.Now()
				reply := connect(t, s).Ask("[]", probe.ThenBarrier())
				took := time.Since(began)
				if got := reply.Outcome(); got != row.want || !reply.Behind().Answered() || took != row.took {
					t.Errorf("got %s after %s, behind it %s, want %s after %s", got, took, reply.Behind().Outcome(), row.want, row.took)
				}
			})
		})
	}
}

// A failed precondition leaves the case without a verdict.
func TestRequire(t *testing.T) {
	t.Parallel()
	c := connect(t, &server{})
	if err := stopped(t, c, func(c *probe.Client) { c.Require(nil, "why") }); err != nil {
		t.Errorf("stopped by %v", err)
	}
	err := stopped(t, c, func(c *probe.Client) { c.Require(probe.Shown().Violation("broken"), "why") })
	if u := (*probe.Undecided)(nil); !errors.As(err, &u) || u.Unseen || u.Reason != "why" {
		t.Errorf("stopped by %v", err)
	}
}
