package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// An exchange is one request and the frames that answer it.
type exchange struct {
	conn   *HTTPConn
	number int
	cut    context.CancelCauseFunc

	// For HTTP+SSE: standing marks the stream with all messages of the server,
	// posted a POST. The body of the answer to an accepted POST means nothing.
	standing, posted bool
	headed           func(status int) (refused error) // called with the status of the answer
	event            func(frame.Frame)                // called with each event
	over             func()                           // called at the end
	says             *frame.HTTPRequest               // replaces the request of net/http
}

// errTooLong ends an exchange whose body seems to have no end.
var errTooLong = errors.New("the body is longer than the limit; the rest was not read")

// run sends the request and turns the answer into frames. The last frame is
// always the end of the exchange.
func (e *exchange) run(ctx context.Context, r *http.Request) {
	var connected atomic.Bool
	err := e.answer(r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			connected.Store(true)
			begins(got.Conn)
		},
	})))
	if err != nil && ctx.Err() != nil && !errors.Is(err, errHeld) {
		// The transport's own error is only a consequence.
		err = context.Cause(ctx)
	}
	if e.over != nil {
		defer e.over()
	}
	if e.standing && errors.Is(err, errShut) {
		return // Close reports this
	}
	if e.standing && err == nil {
		err = errStreamOver
	}
	f := frame.New(frame.Received, frame.KindEnd, nil)
	f.End = &frame.End{}
	if inURL, ok := errors.AsType[*url.Error](err); ok {
		err = inURL.Err // the sent frame has the URL
	}
	dialling, _ := errors.AsType[*net.OpError](err)
	switch {
	case err == nil:
	case dialling == nil || dialling.Op != "dial":
		f.End.Err = err.Error()
	case connected.Load():
		f.End.Err = "the connection ended, and no other could be opened: " + err.Error()
	default:
		f.End.Err = frame.NoConnection + err.Error()
	}
	f.Exchange = e.number
	if e.standing {
		e.conn.queue.end(f) // the connection ends with its stream
		return
	}
	// Each exchange has one small end: it neither waits nor gets lost.
	e.conn.queue.sent(f)
}

func (e *exchange) answer(r *http.Request) error {
	response, err := e.do(r)
	if err != nil {
		return err
	}
	// Read has already returned any error that Close could.
	defer func() { _ = response.Body.Close() }()

	head := frame.New(frame.Received, frame.KindHead, nil)
	head.HTTP = &frame.HTTP{Status: response.StatusCode, Proto: response.Proto, Header: response.Header}
	if len(response.TransferEncoding) > 0 {
		response.Header["Transfer-Encoding"] = response.TransferEncoding
	}
	e.receive(head)
	if e.headed != nil {
		if err := e.headed(response.StatusCode); err != nil {
			return errors.Join(e.body(response.Body, false), err)
		}
	}
	switch kind := mediaType(response.Header); {
	case e.standing:
		// The stream is read whatever its type: a case judges that.
		return e.stream(response.Body)
	case e.posted && response.StatusCode < 400:
		return e.body(response.Body, false)
	case response.StatusCode == http.StatusSwitchingProtocols:
		return errors.New("the server switched protocols")
	case kind == "text/event-stream":
		return e.stream(response.Body)
	default:
		return e.body(response.Body, kind == "application/json")
	}
}

func (e *exchange) do(r *http.Request) (*http.Response, error) {
	if e.says == nil {
		return e.conn.client.Do(r)
	}
	return raw{r, e.says}.do(r.Context(), e.conn.pool, e.conn.options.Limits)
}

func (e *exchange) receive(f frame.Frame) {
	f.Exchange = e.number
	e.conn.queue.received(f)
}

// body reads a body that is not a stream. With a JSON type it becomes a message
// even if it is invalid; an empty one never does.
func (e *exchange) body(in io.Reader, isJSON bool) error {
	limit := e.conn.options.Limits.Frame
	raw, err := io.ReadAll(io.LimitReader(in, int64(limit)))
	size := len(raw)
	if err == nil && size == limit {
		var rest int64
		rest, err = io.CopyN(io.Discard, in, int64(limit))
		size += int(rest)
		switch {
		case err == nil:
			err = errTooLong
		case errors.Is(err, io.EOF):
			err = nil
		}
	}
	kind := frame.KindBody
	if isJSON && len(raw) > 0 {
		kind = frame.KindMessage
	}
	f := frame.New(frame.Received, kind, bytes.Clone(raw)) // ReadAll leaves room behind the bytes
	f.Size = size
	f.Truncated = size > len(raw) || err != nil
	if bytes.HasPrefix(raw, []byte(bom)) {
		f.Framing = append(f.Framing, frame.OddBOM)
	}
	e.receive(f)
	return err
}

// stream reads server-sent events as they arrive.
func (e *exchange) stream(in io.Reader) error {
	parser := newEventParser(e.conn.options.Limits.Frame)
	chunk := make([]byte, 16<<10)
	for {
		n, err := in.Read(chunk)
		for _, f := range parser.feed(chunk[:n]) {
			e.receive(f)
			if e.event != nil {
				e.event(f)
			}
		}
		if err == nil {
			continue
		}
		if f, left := parser.rest(); left {
			f.Truncated = f.Truncated || !errors.Is(err, io.EOF)
			e.receive(f)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("read the stream: %w", err)
	}
}

// mediaType returns the type without its parameters, even if the parameters are
// invalid.
func mediaType(h http.Header) string {
	value := h.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(value); err == nil {
		return kind
	}
	kind, _, _ := strings.Cut(value, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}
