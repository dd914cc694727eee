// Package record keeps the whole conversation of a run in one file, and plays it again
// without the server: every request gets the answers that it got when it was recorded.
// It judges nothing.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Format is the number of this form of recordings.
const Format = 1

// A Conn is one connection to the server, as package probe uses it. Several goroutines may
// call its methods.
type Conn interface {
	// Began is from when the times of frames count.
	Began() time.Time
	// Send sends one frame unchanged. Over stdio it returns once the frame is
	// written. Over HTTP it starts an exchange, which outlives ctx: it lives until
	// it is over, aborted, or the connection is closed. Over HTTP+SSE it waits a
	// moment until the server accepts the frame.
	Send(ctx context.Context, out frame.Outgoing) (exchange int, err error)
	// Next returns every frame once and in order, including sent ones. After the
	// end of the connection and its last frame it returns io.EOF.
	Next(ctx context.Context) (frame.Frame, error)
	// Abort ends an exchange over HTTP. Over stdio it does nothing.
	Abort(exchange int)
	// CloseInput closes the stdin of the server. Over HTTP it does nothing.
	CloseInput() error
	// Terminate asks the server to end. Over HTTP it does nothing.
	Terminate() error
	// Close ends everything the connection began and waits for it. Unread frames
	// stay readable.
	Close(ctx context.Context) error
}

// A head is the first line of a recording.
type head struct {
	Recording int             `json:"recording"`
	Began     time.Time       `json:"began"`
	Setup     json.RawMessage `json:"setup"` // what the caller wants to find again
}

// What an entry tells.
const (
	opened     = "open"
	sent       = "sent"
	received   = "received"
	aborted    = "abort"
	inputOver  = "close-input"
	terminated = "terminate"
	closed     = "close"
	answered   = "answer" // of something beside the server: a command, a token
	offered    = "offer"  // data that the server may fetch
	fetched    = "fetch"
	learned    = "learn" // what a case found out for others
)

// An entry is one line of a recording: something that happened on a connection, or beside
// all connections.
type entry struct {
	At       time.Duration `json:"at"` // since the first entry, in nanoseconds
	What     string        `json:"what"`
	Conn     int           `json:"conn,omitempty"`
	Way      string        `json:"way,omitempty"` // the transport of an opened connection
	For      string        `json:"for,omitempty"` // the column and the case of a sent frame
	Exchange int           `json:"exchange,omitempty"`
	Kind     string        `json:"kind,omitempty"`
	Text     string        `json:"text,omitempty"`
	Bytes    []byte        `json:"bytes,omitempty"` // in place of a text that is not UTF-8
	Size     int           `json:"size,omitempty"`  // of a frame that was cut
	Cut      bool          `json:"cut,omitempty"`
	HTTP     *frame.HTTP   `json:"http,omitempty"`
	SSE      *frame.SSE    `json:"sse,omitempty"`
	End      *frame.End    `json:"end,omitempty"`
	Framing  []string      `json:"framing,omitempty"`
	Question string        `json:"question,omitempty"`
	Error    string        `json:"error,omitempty"`
}

// mostKept is how many bytes of a conversation a recorder keeps.
const mostKept = 1 << 30

// A Recorder keeps what a run says and hears. A nil Recorder keeps nothing. Several
// goroutines may use it.
type Recorder struct {
	began time.Time

	mu      sync.Mutex
	conns   int
	entries []entry
	bytes   int
	veil    *veil // nil until the run is over
}

// New is an empty recorder.
func New() *Recorder { return &Recorder{began: time.Now()} }

// Conn records a new connection.
func (r *Recorder) Conn(way string, dial func() (Conn, error)) (Conn, error) {
	conn, err := dial()
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return conn, nil
	}
	began := conn.Began().Sub(r.began)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns++
	r.entries = append(r.entries, entry{At: began, What: opened, Conn: r.conns, Way: way})
	return &recorded{Conn: conn, to: r, number: r.conns, began: began}, nil
}

// add keeps an entry that begins now.
func (r *Recorder) add(e entry) {
	e.At = time.Since(r.began)
	r.keep(e)
}

func (r *Recorder) keep(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes += len(e.Text) + len(e.Bytes)
	if r.bytes <= mostKept {
		r.entries = append(r.entries, e)
	}
}

// Answer records what a command or another helper of the kit answered to a question.
func (r *Recorder) Answer(question, answer string, err error) {
	if r == nil {
		return
	}
	e := entry{What: answered, Question: question, Text: answer}
	if err != nil {
		e.Error = err.Error()
	}
	r.add(e)
}

// Learned records what a case found out for others, over a transport.
func (r *Recorder) Learned(way, by, key, value string) {
	if r != nil {
		r.add(entry{What: learned, Way: way, For: by, Question: key, Text: value})
	}
}

// Offer records that data is served at an address; the returned function records that the
// server fetched it.
func (r *Recorder) Offer(question, at string) (fetch func()) {
	if r == nil {
		return func() {}
	}
	r.add(entry{What: offered, Question: question, Text: at})
	return func() { r.add(entry{What: fetched, Question: question}) }
}

// A recorded connection tells the recorder everything that happens on it.
type recorded struct {
	Conn
	to     *Recorder
	number int
	began  time.Duration

	mu      sync.Mutex
	sending []frame.Outgoing // frames that Next did not give yet
	of      string           // whom the last one was for
}

// Send notes whom the frame is for before it is sent: its answer may come at once.
func (c *recorded) Send(ctx context.Context, out frame.Outgoing) (int, error) {
	c.mu.Lock()
	c.sending = append(c.sending, out)
	c.mu.Unlock()
	exchange, err := c.Conn.Send(ctx, out)
	if err != nil {
		c.whom(out.Text)
	}
	return exchange, err
}

// whom takes the first frame with a text off those that are being sent, and says whom it is
// for. What the connection sends of itself is for whom the next frame is.
func (c *recorded) whom(text string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sending) > 0 {
		c.of = c.sending[0].For
	}
	if i := slices.IndexFunc(c.sending, func(out frame.Outgoing) bool { return out.Text == text }); i >= 0 {
		c.of = c.sending[i].For
		c.sending = slices.Delete(c.sending, i, i+1)
	}
	return c.of
}

func (c *recorded) Next(ctx context.Context) (frame.Frame, error) {
	f, err := c.Conn.Next(ctx)
	if err == nil {
		c.to.keep(c.entry(f))
	}
	return f, err
}

func (c *recorded) entry(f frame.Frame) entry {
	e := entry{
		At: c.began + f.At, What: received, Conn: c.number, Exchange: f.Exchange, Kind: f.Kind.String(),
		Cut: f.Truncated, HTTP: f.HTTP, SSE: f.SSE, End: f.End, Framing: f.Framing,
	}
	if f.Size != len(f.Raw()) {
		e.Size = f.Size
	}
	if utf8.Valid(f.Raw()) {
		e.Text = string(f.Raw())
	} else {
		e.Bytes = f.Raw()
	}
	if f.Dir == frame.Sent {
		e.What, e.For = sent, c.whom(string(f.Raw()))
	}
	return e
}

func (c *recorded) mark(what string, exchange int) {
	c.to.add(entry{What: what, Conn: c.number, Exchange: exchange})
}

func (c *recorded) Abort(exchange int) {
	c.mark(aborted, exchange)
	c.Conn.Abort(exchange)
}

func (c *recorded) CloseInput() error {
	c.mark(inputOver, 0)
	return c.Conn.CloseInput()
}

func (c *recorded) Terminate() error {
	c.mark(terminated, 0)
	return c.Conn.Terminate()
}

func (c *recorded) Close(ctx context.Context) error {
	c.mark(closed, 0)
	return c.Conn.Close(ctx)
}

// Over ends the recording of a run. In what is written, secrets become other texts, the
// same ones everywhere.
func (r *Recorder) Over(secrets []string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	v := newVeil(secrets)
	r.veil = &v
}

// Write writes the recording. The setup is what the caller wants to find again.
func (r *Recorder) Write(to io.Writer, setup any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.veil == nil:
		return errors.New("the run did not come to its end")
	case r.bytes > mostKept:
		return fmt.Errorf("the conversation is longer than %d MiB", mostKept>>20)
	}
	raw, err := json.Marshal(setup)
	if err != nil {
		return err
	}
	v := *r.veil
	if raw, err = v.json(raw); err != nil {
		return err
	}
	lines := json.NewEncoder(to)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(head{Format, r.began, raw}); err != nil {
		return err
	}
	for _, e := range r.entries {
		if err := lines.Encode(v.entry(e)); err != nil {
			return err
		}
	}
	return nil
}

// errOther is the error of a file that is not a recording.
var errOther = errors.New("it is not a recording of mcp-conform")
