package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Recording is a recorded conversation that is played again. Several goroutines may use
// it.
type Recording struct {
	Setup json.RawMessage // as it was written

	began    time.Time
	byKey    map[string][]*turn // by the ways to recognise a request, the surest first
	sessions map[string]bool    // ids that the server gave to sessions
	ways     map[string]bool    // transports of the connections
	after    map[int][]later    // what came after the kit had ended a connection, or asked a process to end
	asides   map[string][]entry // answers beside the server, by question
	lessons  map[string]entry   // what cases found out for others

	mu     sync.Mutex
	last   map[string]time.Duration // when the last turn that was played for somebody was recorded
	offers map[string]*offer
	strays []string // requests that the recording does not hold
}

// A turn is one sent frame and what came because of it.
type turn struct {
	entry   entry
	causes  []*arrival // that came next after this frame was sent
	owns    []*arrival // that belong to its request
	parts   []*arrival // of these, what came when the client ended the session
	replied bool       // an answer came to its request
	refused bool       // its answer is an error

	latest *arrival // the last of its frames that is on its way
	gone   int      // how many of its first frames are on their way or came

	// The last time that it was played.
	played   bool
	on       *conn
	exchange int
	key      string            // of a stream
	copies   int               // how many copies of it were played
	number   int               // of a copy
	newest   *turn             // the turn itself, or the copy that was played last
	ids      map[string]string // of the recording, and those of the replay in their place
	texts    map[string]string
}

// An arrival is one frame of the server. It belongs to the turn that it answers. It comes
// some time after the last frame that was sent before it.
type arrival struct {
	entry
	owner, cause *turn
	names        *turn         // whose id or token is in it, where that is another one than the owner
	after        time.Duration // how long after the cause it came
	afterOwner   time.Duration // and how long after the owner
	delivered    bool
	due          time.Time
}

// A later frame came some time after the kit had ended its connection.
type later struct {
	entry
	owner *turn
	over  string
	after time.Duration
}

// mostLine limits a line of a recording.
const mostLine = 256 << 20

// Read reads a recording.
func Read(from io.Reader) (*Recording, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), mostLine)
	var first head
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil || first.Recording == 0 {
		return nil, cmp.Or(lines.Err(), errOther)
	}
	if first.Recording != Format {
		return nil, fmt.Errorf("it has format %d, and this version reads format %d", first.Recording, Format)
	}
	var entries []entry
	for number := 2; lines.Scan(); number++ {
		var e entry
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.At, b.At) })
	r := &Recording{
		Setup: first.Setup, began: first.Began, byKey: map[string][]*turn{}, sessions: map[string]bool{}, ways: map[string]bool{},
		after: map[int][]later{}, asides: map[string][]entry{}, lessons: map[string]entry{}, last: map[string]time.Duration{},
		offers: map[string]*offer{},
	}
	r.index(entries)
	return r, nil
}

// Has reports whether there is a connection over a transport.
func (r *Recording) Has(way string) bool { return r.ways[way] }

// Strays are the requests of the replay that the recording does not hold.
func (r *Recording) Strays() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.strays)
}

// A reader finds out which frame came because of which.
type reader struct {
	*Recording
	conns    map[int]*past
	lastOf   map[string]*turn // the last frame sent for somebody, on any connection
	greeting map[int][]entry  // frames that came before anything was sent
}

// A past is what is known of a recorded connection so far.
type past struct {
	way       string
	last      *turn
	exchanges map[int]*turn
	ids       map[string]*turn // by the id of the request
	tokens    map[string]*turn // by the token for its progress
	over      string           // how the kit ended it, or asked it to end
	overAt    time.Duration
	aborted   map[int]bool
}

func (r *Recording) index(entries []entry) {
	for _, e := range entries {
		if session := headerOf(e, sessionHeader); e.What == received && session != "" {
			r.sessions[session] = true
		}
	}
	read := reader{r, map[int]*past{}, map[string]*turn{}, map[int][]entry{}}
	for _, e := range entries {
		read.take(e)
	}
}

func (r reader) take(e entry) {
	c := r.conns[e.Conn]
	switch e.What {
	case opened:
		r.ways[e.Way] = true
		r.conns[e.Conn] = &past{way: e.Way, exchanges: map[int]*turn{}, ids: map[string]*turn{}, tokens: map[string]*turn{},
			aborted: map[int]bool{}}
	case answered:
		r.asides[e.Question] = append(r.asides[e.Question], e)
	case learned:
		r.lessons[lesson(e.Way, e.For, e.Question)] = e
	case offered:
		r.offers[e.Question] = &offer{at: e.Text}
	case fetched:
		if o := r.offers[e.Question]; o != nil {
			o.fetches = append(o.fetches, r.asking(o.at))
		}
	}
	if c == nil {
		return
	}
	switch e.What {
	case sent:
		r.sent(c, e)
	case received:
		r.received(c, e)
	case aborted:
		c.aborted[e.Exchange] = true
	case inputOver, terminated, closed:
		c.over, c.overAt = e.What, e.At
	}
}

// asking is the last turn whose request names an address.
func (r reader) asking(at string) *turn {
	var last *turn
	for _, t := range r.lastOf {
		if strings.Contains(t.entry.Text, at) && (last == nil || t.entry.At > last.entry.At) {
			last = t
		}
	}
	return last
}

func (r reader) sent(c *past, e entry) {
	t := &turn{entry: e}
	for _, k := range keys(c.way, e, r.sessions) {
		r.byKey[k.text] = append(r.byKey[k.text], t)
	}
	for _, early := range r.greeting[e.Conn] {
		t.add(early, t)
	}
	delete(r.greeting, e.Conn)
	c.last, c.exchanges[e.Exchange], r.lastOf[e.For] = t, t, t
	for _, id := range idsOf(e.Text) {
		c.ids[id] = t
	}
	for _, token := range named(e.Text, progressToken) {
		c.tokens[token] = t
	}
}

func (r reader) received(c *past, e entry) {
	switch {
	case e.Exchange > 0 && (c.aborted[e.Exchange] || c.over == closed):
		return // the kit ends these exchanges itself
	case c.over != "":
		at := e.Conn
		if c.last == nil {
			at = 0 // nothing was said on it
		}
		r.after[at] = append(r.after[at], later{e, cmp.Or(c.answered(e.Text), c.last), c.over, e.At - c.overAt})
		return
	case c.last == nil:
		r.greeting[e.Conn] = append(r.greeting[e.Conn], e)
		return
	}
	owner := c.exchanges[e.Exchange]
	switch {
	case c.way == stdio || owner == nil:
		owner = cmp.Or(c.answered(e.Text), c.last)
	case c.way == sse && e.Exchange == 0:
		owner = cmp.Or(c.answered(e.Text), owner)
	}
	cause := c.last
	unasked := e.Kind == frame.KindMessage.String() && kindOf(e.Text) == asking
	if latest := r.lastOf[owner.entry.For]; unasked && someone(owner.entry.For) && latest.entry.At > cause.entry.At {
		cause = latest // a change made on another connection may be told here
	}
	switch {
	case c.last.deletes() && owner != c.last:
		owner.parts = append(owner.parts, &arrival{entry: e, owner: owner, cause: c.last, after: e.At - c.last.entry.At})
		return
	case cause.entry.For != owner.entry.For && !owner.stands():
		cause = owner
	}
	a := owner.add(e, cause)
	if named := c.answered(e.Text); named != owner {
		a.names = named
	} else {
		kind := kindOf(e.Text)
		owner.replied, owner.refused = owner.replied || kind == success || kind == refusal, owner.refused || kind == refusal
	}
}

// answered is the turn that a message of the server belongs to; nil where it names none.
func (c *past) answered(text string) *turn {
	for _, id := range named(text, subscriptionID) {
		if t := c.ids[id]; t != nil {
			return t
		}
	}
	for _, token := range named(text, progressToken) {
		if t := c.tokens[token]; t != nil {
			return t
		}
	}
	if kindOf(text) == asking {
		return nil
	}
	for _, id := range idsOf(text) {
		if t := c.ids[id]; t != nil {
			return t
		}
	}
	return nil
}

// add makes a frame arrive for the turn after its cause.
func (t *turn) add(e entry, cause *turn) *arrival {
	a := &arrival{entry: e, owner: t, cause: cause, after: max(0, e.At-cause.entry.At), afterOwner: max(0, e.At-t.entry.At)}
	cause.causes = append(cause.causes, a)
	t.owns = append(t.owns, a)
	return a
}

// stands reports whether the turn opens a stream for everything that the server says.
func (t *turn) stands() bool { return t.entry.HTTP != nil && t.entry.HTTP.Method == http.MethodGet }

// deletes reports whether the turn ends a session.
func (t *turn) deletes() bool { return t.entry.HTTP != nil && t.entry.HTTP.Method == http.MethodDelete }

// someone reports whether frames for somebody are for one case.
func someone(of string) bool {
	_, id, _ := strings.Cut(of, " ")
	return id != ""
}

// An offer is data that the server fetched when it was recorded.
type offer struct {
	at      string
	fetches []*turn // the requests that made the server fetch it
}

// Offer is where the data of a question was served, and how often the server has fetched
// it so far.
func (r *Recording) Offer(question string) (at string, fetches func() int, ok bool) {
	o := r.offers[question]
	if o == nil {
		return "", nil, false
	}
	return o.at, func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		n := 0
		for _, cause := range o.fetches {
			if cause == nil || cause.played {
				n++
			}
		}
		return n
	}, true
}

// Learned is what another case found out, over a transport. A case that found it out itself
// does so again.
func (r *Recording) Learned(way, by, key string) (value string, ok bool) {
	e, ok := r.lessons[lesson(way, by, key)]
	return e.Text, ok && e.For != by
}

// lesson names what a case finds out for all of its column.
func lesson(way, by, key string) string {
	column, _, _ := strings.Cut(by, " ")
	return strings.Join([]string{way, column, key}, "\n")
}

// Answer is what was answered to a question: each answer once, and the last one again and
// again.
func (r *Recording) Answer(question string) (answer string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.asides[question]
	if len(left) == 0 {
		r.strays = append(r.strays, question)
		return "", fmt.Errorf("the recording holds no answer to %s", question)
	}
	if len(left) > 1 {
		r.asides[question] = left[1:]
	}
	if left[0].Error != "" {
		err = errors.New(left[0].Error)
	}
	return left[0].Text, err
}
