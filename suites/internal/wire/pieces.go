package wire

import (
	"context"
	"io"
	"strings"
	"time"
)

// pieces are the body of a request that comes in two chunks, with a pause between them.
type pieces struct {
	first, rest *strings.Reader
	pause       func()
}

func newPieces(ctx context.Context, text string, cut int) io.ReadCloser {
	return io.NopCloser(&pieces{strings.NewReader(text[:cut]), strings.NewReader(text[cut:]), func() {
		select {
		case <-time.After(cutPause):
		case <-ctx.Done():
		}
	}})
}

func (p *pieces) Read(into []byte) (int, error) {
	if p.first.Len() > 0 {
		return p.first.Read(into)
	}
	if p.pause != nil {
		p.pause()
		p.pause = nil
	}
	return p.rest.Read(into)
}
