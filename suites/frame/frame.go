// Package frame is one frame as it crossed the wire, byte for byte, and the
// exact reading of it. It never repairs what it reads: what a lenient decoder
// would pass over in silence is listed as a Problem.
package frame

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"weak"
)

// A Direction says who sent a frame, seen from the kit.
type Direction string

// The two directions.
const (
	Sent     Direction = "sent"
	Received Direction = "received"
)

// A Kind says which kind of data crossed the wire.
type Kind int

// The kinds of frames.
const (
	// KindMessage is bytes that should be a JSON-RPC message: a line of stdout, a
	// JSON body, the data of a server-sent event, a sent frame.
	KindMessage Kind = iota
	// KindHead is the head of an HTTP response: status and header, no bytes.
	KindHead
	// KindEvent is a server-sent event without a message: a comment, a retry, an
	// empty first event, or foreign data under another event name.
	KindEvent
	// KindBody is an HTTP body that is neither JSON nor a stream of events.
	KindBody
	// KindEnd closes an exchange or, with Exchange 0, the whole connection.
	KindEnd
)

// Kinds returns every kind in the order of their values.
func Kinds() []Kind { return []Kind{KindMessage, KindHead, KindEvent, KindBody, KindEnd} }

// String returns the kind as one lower-case word.
func (k Kind) String() string {
	switch k {
	case KindMessage:
		return "message"
	case KindHead:
		return "head"
	case KindEvent:
		return "event"
	case KindBody:
		return "body"
	case KindEnd:
		return "end"
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// A Frame is one piece of traffic. Frames are small values; copies share the
// bytes and their reading, so nobody may change the data behind Raw, HTTP, SSE
// or End once a connection has handed the frame out.
type Frame struct {
	Seq       int // position on its connection, from 1
	Dir       Direction
	Kind      Kind
	At        time.Duration // since the connection began
	Exchange  int           // HTTP: its POST, GET or DELETE, from 1; stdio, and the stream of HTTP+SSE: 0
	Size      int           // bytes before any cut
	Truncated bool          // Raw is only the beginning
	HTTP      *HTTP         // on sent frames of HTTP, and on heads
	SSE       *SSE          // on frames of a server-sent event
	End       *End          // on ends
	Framing   []string      // oddities around the bytes, as the Odd constants name them

	body *body
	hide func(string) string
}

// Oddities that a transport notes in Framing.
const (
	OddBOM            = "bom"
	OddEmptyLine      = "empty line"
	OddCarriageReturn = "trailing carriage return"
	OddNoBlankLine    = "event not ended by a blank line"
)

// HTTP is the part of a frame outside its bytes. A sent frame has Method, Path
// and Header, a head has Status, Proto and Header.
type HTTP struct {
	Method string
	Path   string // with the query
	Status int
	Proto  string
	Header http.Header
}

// SSE is the event that held a frame.
type SSE struct {
	ID, Event       string
	HasID, HasEvent bool // an empty id differs from a missing one
	Retry           string
	HasRetry        bool
	Data            []string // the values of the data lines
	Comments        []string
	Lines           []string // every line of the event, without line ends
}

// NoConnection begins the Err of an exchange that found no connection, so that
// nothing was sent.
const NoConnection = "no connection: "

// Aborted is the Err of an exchange that the kit ended itself.
const Aborted = "aborted by the kit"

// End says how an exchange or a connection ended.
type End struct {
	Err          string // empty when it ended in good order
	Exited       bool   // the process ended by itself or by a signal
	ExitCode     int    // -1 when a signal ended it
	Signal       string
	Unterminated []byte // stdout after the last newline
	Stderr       string // the last part of it
}

// Cut reports whether an exchange ended in an error that is not of the kit's own making.
func (e *End) Cut() bool { return e != nil && e.Err != "" && e.Err != Aborted }

// Killed reports whether a signal ended the process that other processes send, and that no
// mistake of its own causes. A shell around the process reports a signal by its exit code.
func (e End) Killed() bool {
	const killed, terminated = 128 + 9, 128 + 15
	return e.Signal == "SIGKILL" || e.Signal == "SIGTERM" || e.ExitCode == killed || e.ExitCode == terminated
}

// body is shared by all copies of a frame, as is its reading. The reading of a
// long frame takes ten times its bytes: the garbage collector may drop it, and
// the next caller reads the frame again.
type body struct {
	raw     []byte
	reading sync.Mutex
	kept    *Message
	weak    weak.Pointer[Message]
	thin    bool
}

const long = 4 << 10

// New returns a frame around raw, which the caller no longer owns.
func New(dir Direction, kind Kind, raw []byte) Frame {
	return Frame{Dir: dir, Kind: kind, Size: len(raw), body: &body{raw: raw}}
}

// Raw returns the original bytes, cut at the limit of the connection. They
// belong to the frame and must not be changed.
func (f Frame) Raw() []byte {
	if f.body == nil {
		return nil
	}
	return f.body.raw
}

//nolint:gochecknoglobals // every head and every end has this reading
var emptyReading = sync.OnceValue(func() Message { return Read(nil) })

// Message returns the reading of the bytes. Several goroutines may ask for it.
func (f Frame) Message() Message {
	if f.body == nil || len(f.body.raw) == 0 && !f.Truncated {
		return emptyReading()
	}
	f.body.reading.Lock()
	defer f.body.reading.Unlock()
	if f.body.kept != nil {
		return *f.body.kept
	}
	if m := f.body.weak.Value(); m != nil {
		return *m
	}
	m := Read(f.body.raw)
	if f.Truncated {
		cut := Problem{Kind: Cut, Offset: int64(len(f.body.raw)), Text: "the frame is longer than the limit and was cut"}
		m.Problems = append([]Problem{cut}, m.Problems...)
	}
	f.body.keep(&m)
	return m
}

// Known sets an earlier reading of the same bytes, so that the frame is not
// read again.
func (f Frame) Known(m Message) {
	if f.body == nil || f.Truncated {
		return
	}
	f.body.reading.Lock()
	defer f.body.reading.Unlock()
	f.body.keep(&m)
}

// Unread says which limit of the kit kept the frame from being read as a
// message; it is empty where none did. Nobody judges data beyond the limit.
func (f Frame) Unread() string {
	if f.Kind != KindMessage {
		return ""
	}
	if f.Truncated && f.Size > len(f.Raw()) {
		return fmt.Sprintf("%d bytes long, longer than limits.frame; raise it", f.Size)
	}
	if m := f.Message(); m.Class == NotJSON && m.Has(TooLarge) {
		return "JSON that is nested deeper, or has more values, than this kit reads, so it cannot be judged"
	}
	return ""
}

func (b *body) keep(m *Message) {
	if b.remembers() {
		b.kept = m
	} else {
		b.weak = weak.Make(m)
	}
}

// remembers reports whether the body itself keeps the reading.
func (b *body) remembers() bool { return len(b.raw) < long && !b.thin }

// Thin lets the garbage collector drop the reading of a short frame too: for
// one of very many frames.
func (f Frame) Thin() {
	if f.body == nil {
		return
	}
	f.body.reading.Lock()
	defer f.body.reading.Unlock()
	f.body.kept, f.body.thin = nil, true
}

// Cut returns the frame with the first bytes of its body only.
func (f Frame) Cut(most int) Frame {
	f.body = &body{raw: f.Raw()[:min(most, len(f.Raw()))]}
	f.Truncated = f.Size > len(f.body.raw)
	return f
}

// Redacted returns the frame with hide applied to its text for people, after
// earlier redactions. The bytes stay unchanged.
func (f Frame) Redacted(hide func(string) string) Frame {
	before := f.hide
	if before == nil {
		f.hide = hide
		return f
	}
	f.hide = func(s string) string { return hide(before(s)) }
	return f
}

// With is the event with another text in place of its data.
func (s SSE) With(old, text string) *SSE {
	data := strings.Split(text, "\n")
	if strings.Join(s.Data, "\n") != old || len(data) != len(s.Data) {
		return &s
	}
	lines := slices.Clone(s.Lines)
	for i, n := 0, 0; i < len(lines) && n < len(data); i++ {
		if field, value, _ := strings.Cut(lines[i], ":"); field == "data" && strings.TrimPrefix(value, " ") == s.Data[n] {
			lines[i] = strings.TrimSuffix(lines[i], s.Data[n]) + data[n]
			n++
		}
	}
	s.Data, s.Lines = data, lines
	return &s
}
