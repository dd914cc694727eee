package hostile_test

import (
	"context"
	"strings"
	"sync/atomic"
	"time"
)

// A tide limits the floods of one server. The first floods rush; later connections, of
// which a run makes dozens, would show nothing new for the processor time of a rush.
type tide struct{ begun atomic.Int64 }

// rushes is how many floods of a tide rush: one on the connection for discovery, and one
// on a connection of cases.
const rushes = 2

// flood begins another flood.
func (t *tide) flood() *pace { return &pace{slow: t.begun.Add(1) > rushes} }

// A pace sets the speed of endless messages. If it is not slow, its first pieces come as
// fast as the kit takes them, more than it keeps of a connection; later pieces are some
// milliseconds apart. A kit that waits for the end still waits for ever, but the other
// servers get the processor in the meantime.
type pace struct {
	slow          bool
	pieces, bytes int
	tick          <-chan time.Time
}

// The bounds of a rush, whichever is reached first, and the size of one write where a
// write is dear.
const (
	rushPieces = 6_000
	rushBytes  = 4 << 20
	atOnce     = 20
)

// next is the next piece: the text many times in a rush, and then once.
func (p *pace) next(text string) string {
	if p.slow {
		return text
	}
	p.pieces += atOnce - 1
	return strings.Repeat(text, atOnce)
}

// wait returns when the next piece may follow, given the size of the last, or when ctx
// is done.
func (p *pace) wait(ctx context.Context, size int) {
	p.pieces, p.bytes = p.pieces+1, p.bytes+size
	p.slow = p.slow || p.pieces >= rushPieces || p.bytes >= rushBytes
	if !p.slow {
		return
	}
	if p.tick == nil {
		p.tick = time.Tick(10 * time.Millisecond)
	}
	select {
	case <-p.tick:
	case <-ctx.Done():
	}
}
