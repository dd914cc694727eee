package progress

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The parts of conversations: "1> " sends on exchange 1, "1g " opens it by GET, "1r " resumes
// another stream with it, and "1< " receives on it.
const (
	asks     = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"t"}}}`
	asksNot  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`
	asksAs   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","task":{},"_meta":{"progressToken":"t"}}}`
	asks3    = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"u"}}}`
	answers  = `{"jsonrpc":"2.0","id":1,"result":{}}`
	answers2 = `{"jsonrpc":"2.0","id":2,"result":{}}`
	task     = `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"1"}}}`
	half     = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5}}`
	whole    = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`
	other    = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"u","progress":1}}`
	question = `{"jsonrpc":"2.0","id":"a","method":"roots/list","params":{"_meta":{"progressToken":7}}}`
	again    = `{"jsonrpc":"2.0","id":"b","method":"roots/list","params":{"_meta":{"progressToken":7}}}`
	replies  = `{"jsonrpc":"2.0","id":"a","result":{"roots":[]}}`
	first    = "1> " + asks
	third    = "3> " + asks3
	done     = "1< " + answers
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
		"in order":                          {stdio, []string{"0> " + asks, "0< " + half, "0< " + whole, "0< " + answers}, ""},
		"twice the same":                    {stdio, []string{"0> " + asks, "0< " + half, "0< " + half}, "increases"},
		"backwards":                         {stdio, []string{"0> " + asks, "0< " + whole, "0< " + half}, "increases"},
		"again from the start for the next": {stdio, []string{"0> " + asks, "0< " + whole, "0< " + answers, "0> " + asks, "0< " + half}, ""},
		"a stream that is read once more":   {overHTTP, []string{"1> " + asks, "1< " + half, "1< " + whole, "2< " + half, "2< " + whole}, ""},
		"too late":                          {stdio, []string{"0> " + asks, "0< " + half, "0< " + answers, "0< " + whole}, "ends-with-answer"},
		"too late on the same stream":       {overHTTP, []string{first, done, "1< " + whole}, "ends-with-answer"},
		"too late on the one stream":        {sse, []string{"1> " + asks, "0< " + answers, "0< " + whole}, "ends-with-answer"},
		"later on another stream":           {overHTTP, []string{first, done, "2< " + whole}, ""},
		"too late on the next stream":       {overHTTP, []string{first, done, "2> " + asksNot, "2< " + whole}, "ends-with-answer"},
		"on an earlier stream":              {overHTTP, []string{"2> " + asksNot, first, done, "2< " + whole}, ""},
		"too late on a stream of its own":   {overHTTP, []string{first, done, "2g ", "2< " + whole}, "ends-with-answer"},
		"on a resumed stream":               {overHTTP, []string{first, done, "2r ", "2< " + whole}, ""},
		"behind that of a later one":        {overHTTP, []string{"2g ", first, done, third, "2< " + other, "2< " + whole}, "ends-with-answer"},
		"before that of a later one":        {overHTTP, []string{"2g ", first, done, third, "2< " + whole, "2< " + other}, ""},
		"of a task that was asked for":      {stdio, []string{"0> " + asksAs, "0< " + answers, "0< " + whole}, ""},
		"of a task that was made":           {stdio, []string{"0> " + asks, "0< " + task, "0< " + whole}, ""},
		"in one array with the answer":      {stdio, []string{"0> " + asks, "0< [" + half + "," + answers + "]"}, ""},
		"foreign":                           {stdio, []string{"0> " + asks, "0< " + other}, "known-token"},
		"foreign while nothing is open":     {stdio, []string{"0< " + other}, "known-token"},
		"foreign on a stream":               {overHTTP, []string{"1> " + asks, "1< " + other}, "known-token"},
		"perhaps of another connection":     {overHTTP, []string{"1> " + asks, "2< " + other}, ""},
		"unasked":                           {stdio, []string{"0> " + asksNot, "0< " + other, "0< " + answers2}, "unasked"},
		"unasked on a stream":               {overHTTP, []string{"1> " + asks, "2> " + asksNot, "2< " + other}, "unasked"},
		"a token for two questions":         {stdio, []string{"0< " + question, "0< " + again}, "server-tokens"},
		"a token for one after the other":   {stdio, []string{"0< " + question, "0> " + replies, "0< " + again}, ""},
		"a token of one that was given up":  {stdio, []string{"0< " + question, "0< " + gives, "0< " + again}, ""},
	} {
		if got := strings.Join(broken(row.over, row.said), " "); got != row.wants {
			t.Errorf("%s: %q, want %q", name, got, row.wants)
		}
	}
}

// A call that fails does not show that the tool reports nothing unasked.
func TestUnaskedNeedsACallThatSucceeds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer string
		want   bool
	}{
		"a result":         {answers2, true},
		"an error":         {`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}`, false},
		"a failed tool":    {`{"jsonrpc":"2.0","id":2,"result":{"isError":true}}`, false},
		"not a failed one": {`{"jsonrpc":"2.0","id":2,"result":{"isError":false}}`, true},
	} {
		judged := watched(requirements.Stdio, []string{"0> " + asks, "0< " + half, "0< " + answers, "0> " + asksNot, "0< " + row.answer}).judged
		if got := judged["progress/unasked"]; got != row.want {
			t.Errorf("%s: judged %t, want %t", name, got, row.want)
		}
	}
}

// One token that is kept for all calls makes their progress look like that of one call.
func TestProgressOfAnotherCall(t *testing.T) {
	t.Parallel()
	const hint = "another call with a progressToken got none"
	ask, askToo, tell := "0> "+asks, "0> "+asks3, "0< "+half
	for name, row := range map[string]struct {
		said []string
		want bool
	}{
		"alone":                          {[]string{ask, tell, tell}, false},
		"another has no progress":        {[]string{ask, askToo, tell, tell}, true},
		"another has progress":           {[]string{ask, askToo, "0< " + other, tell, tell}, false},
		"another was answered":           {[]string{ask, askToo, `0< {"jsonrpc":"2.0","id":3,"result":{}}`, tell, tell}, false},
		"another came when all was told": {[]string{ask, tell, tell, askToo}, false},
	} {
		violation := watched(requirements.Stdio, row.said).broken["progress/increases"]
		if violation == nil {
			t.Errorf("%s: no violation", name)
		} else if got := strings.Contains(violation.Error(), hint); got != row.want {
			t.Errorf("%s: %q, names the other call: %t, want %t", name, violation.Error(), got, row.want)
		}
	}
}

// broken lists the watchers of requests that find a violation, in the order of the page.
func broken(over requirements.Transport, said []string) []string {
	violations := watched(over, said).broken
	var found []string
	for _, c := range Suite().Cases {
		if violations[c.ID] != nil {
			found = append(found, strings.TrimPrefix(c.ID, "progress/"))
		}
	}
	return found
}

// A verdict says of each watcher whether its rule applied, and its first violation.
type verdict struct {
	judged map[string]bool
	broken map[string]error
}

// watched shows the watchers a conversation.
func watched(over requirements.Transport, said []string) verdict {
	view, asked := &probe.Connection{}, map[string]frame.Frame{}
	watchers := map[string]probe.Watcher{}
	for _, c := range Suite().Cases {
		if c.Watch != nil {
			watchers[c.ID] = c.Watch()
		}
	}
	saw := verdict{map[string]bool{}, map[string]error{}}
	for i, text := range said {
		exchange, _ := strconv.Atoi(text[:1])
		s := probe.Seen{Frame: frame.New(frame.Received, frame.KindMessage, []byte(text[3:])), Revision: requirements.R20251125, Transport: over}
		if s.Exchange, s.Seq = exchange, i+1; text[1] == '>' {
			s.Dir = frame.Sent
			asked[s.Message().ID] = s.Frame
		}
		if text[1] == 'g' || text[1] == 'r' {
			s.Dir, s.HTTP = frame.Sent, &frame.HTTP{Method: http.MethodGet, Header: http.Header{}}
		}
		if text[1] == 'r' {
			s.HTTP.Header.Set(protocol.HeaderLastEvent, "1")
		}
		if m := s.Message(); s.Dir == frame.Received && m.Class == frame.Result {
			s.Request = probe.Asked{Method: "tools/call", Frame: asked[m.ID]}
		}
		at := view.See(s)
		for id, w := range watchers {
			opinion := at.ShownTo(w)
			saw.judged[id] = saw.judged[id] || opinion.Judged()
			if violation := opinion.Violation(); violation != nil && saw.broken[id] == nil {
				saw.broken[id] = violation
			}
		}
	}
	return saw
}
