package watching_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// said is an answer to a call with one param.
func said(id int, text, param string) probe.Seen {
	version := fmt.Sprintf(`"_meta":{%q:%q}`, protocol.MetaVersion, requirements.R20260728)
	sent := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s,%s}}`, id, version, param)
	heard := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, text)
	return probe.Seen{
		Frame: frame.New(frame.Received, frame.KindMessage, []byte(heard)), Revision: requirements.R20260728,
		Request: probe.Asked{Method: "tools/call", Frame: frame.New(frame.Sent, frame.KindMessage, []byte(sent))},
	}
}

// What was said before is judged no second time, on any connection, unless something is
// wrong with it or the watcher remembers what it saw.
func TestDigests(t *testing.T) {
	t.Parallel()
	var simple, remembering []string
	w := &watching.Watchers{}
	w.Add(&suite.Case{ID: "a/simple", Watch: probe.OnResult("tools/call", func(a probe.Answer) probe.Opinion {
		simple = append(simple, a.ID)
		if a.Result["wrong"] != nil {
			return probe.Breaks("it is wrong")
		}
		return probe.Kept()
	})})
	w.Add(&suite.Case{ID: "a/remembering", Watch: func() probe.Watcher {
		return probe.WatchFunc(func(at *probe.WatchedFrame) probe.Opinion {
			remembering = append(remembering, at.Message().ID)
			return probe.Kept()
		})
	}})
	one, other := w.Link(), w.Link()
	one(said(1, `{"a":1}`, `"x":0`))
	one(said(2, `{"a":1}`, `"x":0`)) // the same
	one(said(3, `{"a":2}`, `"x":0`)) // another answer
	one(said(4, `{"a":1}`, `"x":1`))
	other(said(5, `{"a":1}`, `"x":0`)) // the same elsewhere
	other(said(6, `{"wrong":1}`, `"x":0`))
	one(said(7, `{"wrong":1}`, `"x":0`))
	if got := fmt.Sprint(simple); got != "[1 3 4 6 7]" {
		t.Errorf("it judged %s, want [1 3 4 6 7]", got)
	}
	if got := fmt.Sprint(remembering); got != "[1 2 3 4 5 6 7]" {
		t.Errorf("the one with a memory saw %s, want all seven", got)
	}
	if sum := w.Of("a/simple"); !sum.Judged || sum.Broken != 2 || sum.Worst == nil {
		t.Errorf("%+v, want one that saw the rule broken twice", sum)
	}
}

// What a server makes of ever new messages is bounded: the first are remembered.
func TestDigestsAreBounded(t *testing.T) {
	t.Parallel()
	judged := 0
	w := &watching.Watchers{}
	w.Add(&suite.Case{ID: "a/simple", Watch: probe.OnResult("tools/call", func(probe.Answer) probe.Opinion {
		judged++
		return probe.Kept()
	})})
	see := w.Link()
	const many = 10_001
	for i := range many {
		see(said(i, fmt.Sprintf(`{"a":%d}`, i), `"x":0`))
	}
	see(said(many, `{"a":0}`, `"x":0`))
	see(said(many+1, fmt.Sprintf(`{"a":%d}`, many-1), `"x":0`))
	if judged != many+1 {
		t.Errorf("it judged %d messages, want %d: each once, and the last one again", judged, many+1)
	}
}

// Runs of similar servers ask a watcher once about a text, unless it has an objection,
// remembers what it saw or looks at what else the server says.
func TestOpinionsOfOtherRuns(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	note := func(name string, look func(probe.Answer)) *suite.Case {
		return &suite.Case{ID: name, Watch: probe.OnResult("tools/call", func(a probe.Answer) probe.Opinion {
			asked[name]++
			look(a)
			if a.Result["wrong"] != nil {
				return probe.Breaks("it is wrong")
			}
			return probe.Kept()
		})}
	}
	shared := func(a probe.Answer) int {
		return probe.Shared(a.Message, "traits", func() int { return len(a.Survey().Traits) })
	}
	var common watching.Opinions
	run := func(text string) *watching.Watchers {
		w := &watching.Watchers{Common: &common}
		w.Add(note("text", func(probe.Answer) {}))
		w.Add(note("first with the survey", func(a probe.Answer) { shared(a) }))
		w.Add(note("second with the survey", func(a probe.Answer) { shared(a) }))
		w.Add(note("text again", func(probe.Answer) {}))
		w.Add(&suite.Case{ID: "remembering", Watch: func() probe.Watcher {
			return probe.WatchFunc(func(*probe.WatchedFrame) probe.Opinion { asked["remembering"]++; return probe.Kept() })
		}})
		s := said(1, text, `"x":0`)
		s.Survey = &probe.Survey{}
		w.Link()(s)
		return w
	}
	for range 3 {
		w := run(`{"a":1}`)
		for id := range asked {
			if sum := w.Of(id); !sum.Judged || sum.Broken > 0 {
				t.Errorf("%s: %+v, want one that saw the rule kept", id, sum)
			}
		}
	}
	want := map[string]int{"text": 1, "first with the survey": 3, "second with the survey": 3, "text again": 1, "remembering": 3}
	if !maps.Equal(asked, want) {
		t.Errorf("asked %v times, want %v", asked, want)
	}
	for range 2 {
		if sum := run(`{"wrong":1}`).Of("text"); sum.Broken != 1 || sum.By != "" || sum.Worst == nil {
			t.Errorf("%+v, want one that saw the rule broken", sum)
		}
	}
}
