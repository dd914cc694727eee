package jsonrpc

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// matchingCases watch which responses belong to which requests.
func matchingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-for-request",
			Title:  "every result has the id of a request",
			Checks: []requirements.ID{"jsonrpc-response-id-echo"},
			Fix:    "send a result only as the answer to a request, with that request's id",
			Sees:   "a result",
			Watch:  func() probe.Watcher { return &requestFinder{of: frame.Result} },
		},
		{
			ID:     "jsonrpc/error-for-request",
			Title:  "every error has the id of its request, where that could be read",
			Checks: []requirements.ID{"jsonrpc-error-response-id-echo"},
			Fix:    "write the id of the failing request into its error",
			Sees:   "an error",
			Watch:  func() probe.Watcher { return &requestFinder{of: frame.Error} },
		},
		{
			ID:     "jsonrpc/single-response",
			Title:  "no request is answered twice",
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Fix:    "send one response per request, also when the work fails after it was answered",
			Sees:   "a response",
			Watch:  func() probe.Watcher { return &responseCounter{events: map[string]bool{}} },
		},
		{
			ID:     "jsonrpc/all-answered",
			Title:  "requests sent at the same time are all answered, each with its own response",
			Checks: []requirements.ID{"jsonrpc-single-response", "jsonrpc-response-id-echo"},
			Needs:  []suite.Need{suite.Answers()},
			Fix:    "keep every request that was read, and its id with it, until its response is written, however many there are",
			Lane:   suite.Alone, // requests of other cases must not get lost in place of these
			Run:    allAnswered,
		},
	}
}

// A requestFinder looks for the request of each response of one class.
type requestFinder struct{ of frame.Class }

func (w *requestFinder) See(s *probe.WatchedFrame) probe.Opinion {
	said, b := probe.Nothing(), bookOf(s)
	for _, m := range s.Messages() {
		switch {
		case m.Class != w.of:
		case m.HasID && b.find(m.ID) != nil:
			said = said.And(probe.Kept())
		case notUTF8(s.Raw()) != "": // jsonrpc/utf8 judges that, and the id may be spoiled by it
		case b.owns(s, m):
			shown, meant := b.askedIn(m.Frame.Exchange)
			said = said.And(shown.And(probe.One(m.Frame.Frame)).Violation(
				"%s is %s, want %s", m.Where("/id"), shownID(m.ID), cmp.Or(b.otherType(m.ID), meant, "the id of a request")).Opinion())
		}
	}
	return said
}

// owns reports whether the message can only be the answer to a request. After a malformed
// message it may belong to that. Without an id it may be about a notification, or
// accompany an HTTP refusal. With the id of a request of the server it is about the
// client's answer to that request.
func (b *book) owns(at *probe.WatchedFrame, m probe.Message) bool {
	exchange := m.Frame.Exchange
	noID := !m.HasID || m.ID == "null"
	switch {
	case b.doubtful(exchange) || b.replied[frame.IDKey(m.ID)]:
		return false
	case exchange > 0:
		return !b.nonRequests[exchange] && !(noID && at.Refused(exchange))
	default:
		return !noID || !b.nonRequests[exchange]
	}
}

// A responseCounter counts the responses to each request. It passes over those on a stream
// that GET opened, which http/get-stream-no-responses judges.
type responseCounter struct{ events map[string]bool }

func (w *responseCounter) See(s *probe.WatchedFrame) probe.Opinion {
	b := bookOf(s)
	if s.Dir == frame.Sent || replayed(s.Seen, w.events) || s.Malformed || b.listening[s.Exchange] {
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		if !m.Responds() || !m.HasID {
			continue
		}
		e := b.find(m.ID)
		if e == nil || e.answered >= e.asked && b.doubtful(s.Exchange) {
			continue // it may be about a malformed message in which the server found an id
		}
		said = said.And(b.count(e, m))
	}
	return said
}

func (b *book) count(e *entry, m probe.Message) probe.Opinion {
	key := frame.IDKey(m.ID)
	if e.answered++; e.answered > e.asked {
		var shown probe.Evidence
		if i := slices.IndexFunc(b.answers, func(a answer) bool { return a.key == key }); i >= 0 {
			shown = probe.One(b.answers[i].in)
		}
		where := ""
		if get, ok := b.resumed[m.Frame.Exchange]; ok {
			shown = shown.And(probe.One(get))
			where = ", the last time on a stream that was resumed after the event " + probe.Show(get.HTTP.Header.Get(protocol.HeaderLastEvent))
		}
		return shown.And(probe.One(m.Frame.Frame)).Violation(
			"the request with the id %s is answered %d times%s, want once", m.ID, e.answered, where).Opinion()
	}
	if b.answers = append(b.answers, answer{key, m.Frame.Frame}); len(b.answers) > mostAnswers {
		b.answers = slices.Delete(b.answers, 0, 1)
	}
	return probe.Kept()
}

// allAnswered sends many requests at once, because some servers drop or mix up requests
// that come while they are busy. One of them asks for a list, whose result cannot be taken
// for that of the others.
func allAnswered(c *probe.Client) error {
	const many, first = 6, 900901
	all, list := make([]*probe.Pending, many), c.AnyList()
	var listing *probe.Pending
	for i := range all {
		all[i] = c.Start(harmless(c), nil, probe.WithID(strconv.Itoa(first+i)))
		if i == 0 && list.Method != "" {
			listing = c.Start(list.Method, nil, probe.WithID(strconv.Itoa(first+many)))
		}
	}
	for i, pending := range all {
		reply := pending.Reply()
		if !reply.Answered() {
			c.UndecideIf(reply.Died() && listing != nil && c.Opened().Call(list.Method, nil).Died(), list.Method+" alone ends the connection, too")
			return reply.Violation("of %d requests sent at the same time, the one with the id %d got %s, want a response",
				many, first+i, reply.Outcome()).Under("jsonrpc-single-response")
		}
	}
	if listing != nil {
		if err := ownResults(c, list, listing.Reply(), all); err != nil {
			return err
		}
	}
	return callsAnswered(c, first+many+1)
}

// ownResults looks for the items of the list in every result. A server that mixes them up
// also where one request comes after the other does so for another reason.
func ownResults(c *probe.Client, list protocol.List, listed *probe.Reply, others []*probe.Pending) error {
	holds := func(reply *probe.Reply) bool {
		_, has := reply.At("/result/" + list.Items)
		return has
	}
	if listed.Silent() {
		alone := c.Call(list.Method, nil, probe.Within(c.Waits().Answer/4))
		if alone.Silent() { // a server that loses requests by chance may lose that one, too
			alone = c.Call(list.Method, nil, probe.Within(c.Waits().Answer/4))
		}
		c.UndecideIf(!alone.Answered(), list.Method+" takes as long when nothing else is asked")
		return probe.Shown(listed, alone).Violation("%s got no response beside %d other requests, and got one at once alone, want one each time",
			list.Method, len(others)).Under("jsonrpc-single-response")
	}
	wrong := listed
	if i := slices.IndexFunc(others, func(p *probe.Pending) bool { return holds(p.Reply()) }); i >= 0 {
		wrong = others[i].Reply()
	} else if !listed.Served() || holds(listed) {
		return nil
	}
	alone, plain := c.Call(list.Method, nil), c.Call(harmless(c), nil)
	c.UndecideIf(!holds(alone) || !plain.Served() || holds(plain), "requests sent one after the other get such results as well")
	has := "has no " + list.Items
	if holds(wrong) {
		has = "has " + list.Items
	}
	return probe.Shown(wrong, listed).Violation(
		"of requests sent at the same time, the result for %s %s, want each result under the id of its own request",
		wrong.Method, has).Under("jsonrpc-response-id-echo")
}

// A book records the requests of one connection. All watchers of the connection share it.
type book struct {
	seq     int               // the frame that was noted last
	asked   map[string]*entry // by frame.IDKey
	replied map[string]bool   // ids of the server's requests that the client answered
	// malformed holds the HTTP exchanges with a malformed message, and nonRequests those
	// with anything but valid requests. A stream of messages counts as exchange 0.
	malformed, nonRequests map[int]bool
	listening              map[int]bool        // HTTP exchanges of GET, unless they resume a stream
	resumed                map[int]frame.Frame // those that do
	followers              []string            // on a stream: requests sent after the last malformed frame
	settled                int                 // how many of the requests in followers were answered
	answers                []answer            // the latest ones
	posted                 []frame.Frame       // the latest requests over HTTP
}

// An entry counts how often one id was asked and answered.
type entry struct {
	asked, answered int
}

// An answer is the first response to the request with an id.
type answer struct {
	key string
	in  frame.Frame
}

// mostAnswers is how many responses, and requests over HTTP, a book keeps to show them soon
// afterwards. To keep all of them would take as much memory as the conversation.
const mostAnswers = 32

// enough is how many requests after a malformed frame have to be answered before no late
// response to the frame is expected any more.
const enough = 3

// bookOf returns the book of a connection, after it has noted the frame in sight.
func bookOf(s *probe.WatchedFrame) *book {
	b := probe.Common[book](s)
	if b.seq == s.Seq {
		return b
	}
	b.seq = s.Seq
	if s.Dir == frame.Sent {
		b.sent(s.Seen)
	}
	for _, m := range s.Messages() {
		if i := slices.Index(b.followers, frame.IDKey(m.ID)); i >= 0 && m.Responds() {
			b.followers = slices.Delete(b.followers, i, i+1)
			b.settled++
		}
	}
	return b
}

func (b *book) sent(s probe.Seen) {
	if b.asked == nil {
		b.asked, b.replied = map[string]*entry{}, map[string]bool{}
		b.malformed, b.nonRequests, b.listening = map[int]bool{}, map[int]bool{}, map[int]bool{}
		b.resumed = map[int]frame.Frame{}
	}
	if s.Malformed {
		b.followers, b.settled = nil, 0
	}
	if s.Transport == requirements.HTTP && s.HTTP != nil && s.HTTP.Method == http.MethodGet {
		resumes := s.HTTP.Header.Get(protocol.HeaderLastEvent) != ""
		if b.listening[s.Exchange] = !resumes; resumes {
			b.resumed[s.Exchange] = s.Frame
		}
	}
	for _, exchange := range s.Channels() {
		b.malformed[exchange] = b.malformed[exchange] || s.Malformed
		b.nonRequests[exchange] = b.nonRequests[exchange] || s.Malformed || s.Kind != frame.KindMessage
	}
	if s.Exchange > 0 && s.Message().Class == frame.Request {
		if b.posted = append(b.posted, s.Frame); len(b.posted) > mostAnswers {
			b.posted = slices.Delete(b.posted, 0, 1)
		}
	}
	for _, m := range probe.Singles(s.Message()) {
		key := frame.IDKey(m.ID)
		if m.Class != frame.Request {
			for _, exchange := range s.Channels() {
				b.nonRequests[exchange] = true
			}
			b.replied[key] = b.replied[key] || m.HasID
			continue
		}
		if b.asked[key] == nil {
			b.asked[key] = &entry{}
		}
		b.asked[key].asked++
		if b.malformed[0] && b.settled < enough && !s.Malformed {
			b.followers = append(b.followers, key)
		}
	}
}

// askedIn shows the request of an HTTP exchange, and names its id.
func (b *book) askedIn(exchange int) (shown probe.Evidence, id string) {
	i := slices.IndexFunc(b.posted, func(f frame.Frame) bool { return f.Exchange == exchange })
	if i < 0 {
		return nil, ""
	}
	return probe.One(b.posted[i]), b.posted[i].Message().ID + ", the id of the request"
}

func (b *book) find(id string) *entry { return b.asked[frame.IDKey(id)] }

// otherType names the id that a response should have, where a request has it as the other type.
func (b *book) otherType(id string) string {
	plain, text := strings.CutPrefix(id, `"`)
	plain = strings.TrimSuffix(plain, `"`)
	switch {
	case text && plain != "" && b.find(plain) != nil:
		return plain + ", a number, as in the request"
	case !text && id != "" && b.find(`"`+id+`"`) != nil:
		return `"` + id + `", a string, as in the request`
	default:
		return ""
	}
}

// doubtful reports whether a response may belong to a malformed message. On a stream of
// messages the doubt ends once enough later requests are answered.
func (b *book) doubtful(exchange int) bool {
	return b.malformed[exchange] && (exchange > 0 || b.settled < enough)
}
