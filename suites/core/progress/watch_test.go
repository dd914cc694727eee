package progress

import (
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The parts of conversations: "1> " sends on exchange 1, "1< " receives on it.
const (
	asks     = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"t"}}}`
	asksNot  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`
	asksAs   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","task":{},"_meta":{"progressToken":"t"}}}`
	answers  = `{"jsonrpc":"2.0","id":1,"result":{}}`
	answers2 = `{"jsonrpc":"2.0","id":2,"result":{}}`
	task     = `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"1"}}}`
	half     = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5}}`
	whole    = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`
	other    = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"u","progress":1}}`
	question = `{"jsonrpc":"2.0","id":"a","method":"roots/list","params":{"_meta":{"progressToken":7}}}`
	again    = `{"jsonrpc":"2.0","id":"b","method":"roots/list","params":{"_meta":{"progressToken":7}}}`
	replies  = `{"jsonrpc":"2.0","id":"a","result":{"roots":[]}}`
	gives    = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`
)

func TestWatchers(t *testing.T) {
	t.Parallel()
	stdio, overHTTP, sse := requirements.Stdio, requirements.HTTP, requirements.SSE
	for name, row := range map[string]struct {
		over  requirements.Transport
		said  []string
		wants string // the cases with a violation
	}{
		"in order":                                 {stdio, []string{"0> " + asks, "0< " + half, "0< " + whole, "0< " + answers}, ""},
		"twice the same":                           {stdio, []string{"0> " + asks, "0< " + half, "0< " + half}, "increases"},
		"backwards":                                {stdio, []string{"0> " + asks, "0< " + whole, "0< " + half}, "increases"},
		"again from the start for the next":        {stdio, []string{"0> " + asks, "0< " + whole, "0< " + answers, "0> " + asks, "0< " + half}, ""},
		"a stream that is read once more":          {overHTTP, []string{"1> " + asks, "1< " + half, "1< " + whole, "2< " + half, "2< " + whole}, ""},
		"too late":                                 {stdio, []string{"0> " + asks, "0< " + half, "0< " + answers, "0< " + whole}, "ends-with-answer"},
		"too late on the same stream":              {overHTTP, []string{"1> " + asks, "1< " + answers, "1< " + whole}, "ends-with-answer"},
		"too late on the stream of the connection": {sse, []string{"1> " + asks, "0< " + answers, "0< " + whole}, "ends-with-answer"},
		"later on another stream":                  {overHTTP, []string{"1> " + asks, "1< " + answers, "2< " + whole}, ""},
		"of a task that was asked for":             {stdio, []string{"0> " + asksAs, "0< " + answers, "0< " + whole}, ""},
		"of a task that was made":                  {stdio, []string{"0> " + asks, "0< " + task, "0< " + whole}, ""},
		"in one array with the answer":             {stdio, []string{"0> " + asks, "0< [" + half + "," + answers + "]"}, ""},
		"foreign":                                  {stdio, []string{"0> " + asks, "0< " + other}, "known-token"},
		"foreign while nothing is open":            {stdio, []string{"0< " + other}, "known-token"},
		"foreign on a stream":                      {overHTTP, []string{"1> " + asks, "1< " + other}, "known-token"},
		"perhaps of another connection":            {overHTTP, []string{"1> " + asks, "2< " + other}, ""},
		"unasked":                                  {stdio, []string{"0> " + asksNot, "0< " + other, "0< " + answers2}, "unasked"},
		"unasked on a stream":                      {overHTTP, []string{"1> " + asks, "2> " + asksNot, "2< " + other}, "unasked"},
		"a token for two questions":                {stdio, []string{"0< " + question, "0< " + again}, "server-tokens"},
		"a token for one question after the other": {stdio, []string{"0< " + question, "0> " + replies, "0< " + again}, ""},
		"a token of a question that was given up":  {stdio, []string{"0< " + question, "0< " + gives, "0< " + again}, ""},
	} {
		if got := strings.Join(broken(row.over, row.said), " "); got != row.wants {
			t.Errorf("%s: %q, want %q", name, got, row.wants)
		}
	}
}

// broken lists the watchers of requests that find a violation, in the order of the page.
func broken(over requirements.Transport, said []string) []string {
	view, asked := &probe.Connection{}, map[string]frame.Frame{}
	var ids, found []string
	watchers := map[string]probe.Watcher{}
	for _, c := range Suite().Cases {
		if c.Watch != nil {
			ids = append(ids, c.ID)
			watchers[c.ID] = c.Watch()
		}
	}
	saw := map[string]bool{}
	for i, text := range said {
		exchange, _ := strconv.Atoi(text[:1])
		s := probe.Seen{Frame: frame.New(frame.Received, frame.KindMessage, []byte(text[3:])), Revision: requirements.R20251125, Transport: over}
		if s.Exchange, s.Seq = exchange, i+1; text[1] == '>' {
			s.Dir = frame.Sent
			asked[s.Message().ID] = s.Frame
		}
		if m := s.Message(); s.Dir == frame.Received && m.Class == frame.Result {
			s.Request = probe.Asked{Method: "tools/call", Frame: asked[m.ID]}
		}
		at := view.See(s)
		for id, w := range watchers {
			saw[id] = saw[id] || at.ShownTo(w).Violation() != nil
		}
	}
	for _, id := range ids {
		if saw[id] {
			found = append(found, strings.TrimPrefix(id, "progress/"))
		}
	}
	return found
}
