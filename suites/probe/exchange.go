package probe

import (
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Collected holds everything that came for one text: an array of messages, a
// stream, a message in pieces.
type Collected struct {
	Answers map[string][]frame.Message // by the id of the request
	Extra   []frame.Message            // responses to unknown requests
	Array   bool                       // some responses came as an array
	Said    bool                       // some response came, an empty array included
	Body    bool                       // over HTTP there was a body that is not a message
	Status  int                        // of HTTP
	Died    bool                       // the connection ended
	Ended   bool                       // the server can send nothing more
	refusal frame.Message              // the first error without an id
	frames  Evidence
}

// Exchange sends a text byte for byte, waits until the server answers every id,
// refuses the whole text or lets the time pass, and collects the frames up to a
// barrier. Ids are JSON text. Without ids it waits only for the barrier: for
// texts that a server may ignore.
func Exchange(c *Client, text string, ids ...string) Collected {
	if len(ids) == 0 {
		return exchange(c, text, request{}, 0, ids)
	}
	of := c.exchanged(text)
	return exchange(c, text, of, allowance(c.caller, of, c.setup.Waits.Answer), ids)
}

// ExchangeOptional is Exchange for requests that a server may ignore: it waits
// no longer than for any event. The server may answer a later request first.
func ExchangeOptional(c *Client, text string, ids ...string) Collected {
	return exchange(c, text, request{}, c.setup.Waits.Event, ids)
}

// exchange learns from the answer to of, unless that is empty.
func exchange(c *Client, text string, of request, patience time.Duration, ids []string) Collected {
	c.Quiet()
	from := c.Mark()
	c.Send(text)
	if patience > 0 {
		soFar := c.collector(ids)
		awaitTelling(c.caller, of.method, from, patience, func(s Seen) bool {
			soFar.add(s)
			return soFar.settled()
		})
		switch {
		case soFar.settled():
		case c.conversation.over.Load():
			ended(c.caller, of)
		default:
			missed(c.caller, of, patience)
		}
	}
	_ = c.Try(func() { c.Settle(from) }) // Collect shows a server that is gone
	c.Must(readable(c.Since(from)))
	return c.Collect(from, ids...)
}

// awaitTelling is Await, which may stop the case, and tells meanwhile what is awaited.
func awaitTelling(c *caller, method string, from Mark, atMost time.Duration, fits func(Seen) bool) {
	defer c.setup.Patience.tell(method)()
	c.Await(from, atMost, fits)
}

// Collect reads the frames that came so far for the first text sent after the
// mark. It leaves out late answers to earlier requests.
func (c *conversation) Collect(from Mark, ids ...string) Collected {
	x := c.collector(ids)
	for _, s := range c.Since(from) {
		x.add(s)
	}
	return x.Collected
}

// A collector is given frames and keeps those that belong to the first sent
// one.
type collector struct {
	Collected
	ids      []string
	others   map[string]bool // ids that the client has used in other messages
	sent     bool
	channels []int
}

func (c *conversation) collector(ids []string) *collector {
	return &collector{Collected: Collected{Answers: map[string][]frame.Message{}}, ids: ids, others: c.used()}
}

func (x *collector) add(s Seen) {
	use(x.others, s)
	switch {
	case s.Dir == frame.Sent && !x.sent && !(s.Transport == requirements.SSE && s.Exchange == 0):
		x.sent, x.channels = true, s.Channels()
		x.frames = append(x.frames, s.Frame)
	case s.Kind == frame.KindEnd && s.Exchange == 0:
		x.Died, x.Ended = true, true
		x.frames = append(x.frames, s.Frame)
	case s.Dir == frame.Sent || !slices.Contains(x.channels, s.Exchange):
	case len(x.channels) > 1 && x.acknowledges(s):
		// A head that accepts the POST or opens the stream is no answer.
	case s.Kind == frame.KindHead && s.HTTP != nil:
		x.Status = s.HTTP.Status
		x.frames = append(x.frames, s.Frame)
	case s.Kind == frame.KindBody:
		x.Body = x.Body || s.Size > 0
	case s.Kind == frame.KindEnd:
		x.Ended = true
		x.Died = s.End != nil && s.End.Err != ""
	case s.Kind == frame.KindMessage:
		x.take(s)
	}
}

// acknowledges reports whether a frame of HTTP+SSE only accepts a POST, or is the head
// of the stream.
func (x *Collected) acknowledges(s Seen) bool {
	switch s.Kind {
	case frame.KindHead:
		return s.Exchange == 0 || s.HTTP != nil && s.HTTP.Status < 300
	case frame.KindBody:
		return x.Status == 0
	case frame.KindEnd:
		return s.Exchange > 0 && x.Status == 0 && (s.End == nil || s.End.Err == "")
	case frame.KindMessage, frame.KindEvent:
	}
	return false
}

func (x *collector) take(s Seen) {
	read := s.Message()
	kept := read.Class == frame.Batch && len(read.Batch) == 0
	for _, m := range Singles(read) {
		_, isResult := m.Members["result"]
		_, isError := m.Members["error"]
		id, own := among(m, x.ids)
		if m.Method != "" || !LooksLikeMessage(m) || !isResult && !isError || !own && m.HasID && x.others[looseID(m.ID)] {
			continue
		}
		kept = true
		if own {
			x.Answers[id] = append(x.Answers[id], m)
			continue
		}
		x.Extra = append(x.Extra, m)
		if m.Class == frame.Error && (!m.HasID || m.ID == "null") && x.refusal.Class != frame.Error {
			x.refusal = m
		}
	}
	if kept {
		x.Said = true
		x.Array = x.Array || read.Class == frame.Batch
		x.frames = append(x.frames, s.Frame)
	}
}

func among(m frame.Message, ids []string) (string, bool) {
	for _, id := range ids {
		if m.HasID && frame.SameID(m.ID, id) {
			return id, true
		}
	}
	return "", false
}

// settled reports whether the collector needs to wait no longer.
func (x *collector) settled() bool {
	_, refused := x.Refusal()
	return x.Ended || len(x.Answers) == len(x.ids) || refused && len(x.Answers) == 0
}

// Refusal is the error without an id that answers the text as a whole.
func (x Collected) Refusal() (frame.Message, bool) {
	return x.refusal, x.refusal.Class == frame.Error
}

// Refused reports whether the server declined the text as a whole.
func (x Collected) Refused() bool {
	_, ok := x.Refusal()
	return ok && len(x.Answers) == 0 || x.Status >= 400
}

// Served counts the ids that got a result.
func (x Collected) Served() int {
	n := 0
	for _, answers := range x.Answers {
		for _, m := range answers {
			if m.Class == frame.Result {
				n++
				break
			}
		}
	}
	return n
}

// Silent reports whether the server sent nothing back.
func (x Collected) Silent() bool {
	return len(x.Answers) == 0 && len(x.Extra) == 0 && !x.Array && x.Status == 0 && !x.Died
}

// Outcome says in a few words what came instead of answers; empty for silence.
func (x Collected) Outcome() string {
	m, refused := x.Refusal()
	switch {
	case x.Died:
		return "the end of the connection"
	case refused:
		return "error " + Show(m.Members["error"])
	case x.Status >= 400:
		return "HTTP status " + Show(x.Status)
	}
	return ""
}

// Evidence is the text and the frames that came for it.
func (x Collected) Evidence() []frame.Frame { return x.frames }

// Violation is a problem that the exchange shows.
func (x Collected) Violation(format string, args ...any) *Violation {
	return x.frames.Violation(format, args...)
}

// Strays are the responses after a mark that answer no request of the client,
// however loosely their ids are compared. Over HTTP an error without an id may
// accompany a refusal.
func (c *conversation) Strays(from Mark) []Seen {
	asked := c.used()
	refused := map[int]bool{}
	var found []Seen
	for _, s := range c.Since(from) {
		if s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Status >= 400 {
			refused[s.Exchange] = true
		}
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			continue
		}
		for _, m := range Singles(s.Message()) {
			answers := m.Class == frame.Result || m.Class == frame.Error
			excused := refused[s.Exchange] && s.Exchange > 0 && m.Class != frame.Result && (!m.HasID || m.ID == "null")
			if answers && LooksLikeMessage(m) && !excused && !(m.HasID && asked[looseID(m.ID)]) {
				found = append(found, s)
			}
		}
	}
	return found
}

// used are the ids of the client's requests and of its answers to the server.
// It includes unanswered requests of earlier cases on this connection, since
// the server may answer them late although their frames are forgotten.
func (c *conversation) used() map[string]bool {
	ids := c.late()
	for _, s := range c.Since(0) {
		use(ids, s)
	}
	return ids
}

func use(ids map[string]bool, s Seen) {
	if m := s.Message(); s.Dir == frame.Sent && m.HasID && m.Class != frame.NotAMessage {
		ids[looseID(m.ID)] = true
	}
}

// looseID makes "1", 1 and 1.0 the same: other rules judge the form of an id. It
// takes JSON text and the keys of ids.
func looseID(id string) string {
	key := frame.IDKey(id)
	if text, ok := strings.CutPrefix(key, `"`); ok {
		return frame.IDKey(text)
	}
	return key
}
