package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// net/http waits in a few places until a server over HTTP/2 does something, whatever the
// context of the request. One is a mistake of its own: when two WINDOW_UPDATE frames
// overflow the window of a stream, its reader waits for a lock that it holds, and every
// other use of the TCP connection, or of the pool, waits for the reader, for ever. So the
// kit makes no call of net/http for HTTP/2 itself: it waits for the call, and leaves it.

// heldFor is how long a call of net/http may take to return after it was cut.
const heldFor = time.Second

// errHeld is the end of an exchange whose call did not return.
var errHeld = errors.New("the server keeps the kit's HTTP/2 client from ending this exchange: " +
	"it was cut, and did not end within " + heldFor.String())

// held waits for a call, at most a moment longer than until it is cut.
func held[T any](cut <-chan struct{}, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	returned := make(chan result, 1)
	go func() {
		value, err := call()
		returned <- result{value, err}
	}()
	select {
	case got := <-returned:
		return got.value, got.err
	case <-cut:
	}
	timer := time.NewTimer(heldFor)
	defer timer.Stop()
	select {
	case got := <-returned:
		return got.value, got.err
	case <-timer.C:
		var none T
		return none, errHeld
	}
}

// guarded is a round trip over HTTP/2. Where the transport does not return, the pool goes
// on with another one.
func (p *Pool) guarded(t *http.Transport, r *http.Request) (*http.Response, error) {
	life, cut := context.WithCancel(r.Context())
	response, err := held(life.Done(), func() (*http.Response, error) { return t.RoundTrip(r.WithContext(life)) })
	if err != nil {
		cut()
		if errors.Is(err, errHeld) {
			p.drop(t)
		}
		return nil, err
	}
	response.Body = &heldBody{of: response.Body, life: life, cut: cut, buffer: make([]byte, 16<<10), drop: func() { p.drop(t) }}
	return response, nil
}

// A heldBody is the body of an answer over HTTP/2.
type heldBody struct {
	of     io.ReadCloser
	life   context.Context //nolint:containedctx // it is the life of the exchange, which a Read cannot be told
	cut    context.CancelFunc
	buffer []byte // of the Read under way, which may outlast its caller
	left   []byte // the part of the buffer that is not read yet
	err    error  // comes after what is left
	drop   func()
}

func (b *heldBody) Read(into []byte) (int, error) {
	if len(b.left) == 0 && b.err == nil {
		n, err := held(b.life.Done(), func() (int, error) { return b.of.Read(b.buffer) })
		b.left, b.err = b.buffer[:n], err
		if errors.Is(err, errHeld) {
			b.drop()
		}
	}
	n := copy(into, b.left)
	if b.left = b.left[n:]; len(b.left) > 0 {
		return n, nil
	}
	return n, b.err
}

// Close ends the exchange, also where a part of the body is unread.
func (b *heldBody) Close() error {
	b.cut()
	if errors.Is(b.err, errHeld) {
		return b.err
	}
	_, err := held(b.life.Done(), func() (struct{}, error) { return struct{}{}, b.of.Close() })
	if errors.Is(err, errHeld) {
		b.drop()
	}
	return err
}
