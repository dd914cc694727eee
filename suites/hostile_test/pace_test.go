package hostile_test

import (
	"cmp"
	"context"
	"strings"
	"sync/atomic"
	"time"
)

// A tide is the floods of one server. The first ones rush; what comes on further
// connections, of which a run makes dozens, shows nothing new for the processor time
// that it would take.
type tide struct {
	rushes int64 // as many as usual, if 0
	begun  atomic.Int64
}

// How many floods of a tide usually rush: as a rule that on the connection on which the kit looks
// around, and one on a connection of cases.
const usualRushes = 2

// flood begins one more.
func (t *tide) flood() *pace { return &pace{slow: t.begun.Add(1) > cmp.Or(t.rushes, usualRushes)} }

// A pace is that of messages that do not end. Where it is not slow, its first pieces come as
// fast as the kit takes them, and are more than it keeps of a connection; the rest comes at
// one piece in some milliseconds. Whoever waits for its end waits for ever all the same, but
// the processor is left to the other servers, instead of being kept busy for as long as
// the run lasts.
type pace struct {
	slow          bool
	pieces, bytes int
	tick          <-chan time.Time
}

// What comes in a rush, whichever is reached first, and how much of it at once where a
// write is dear.
const (
	rushPieces = 6_000
	rushBytes  = 4 << 20
	atOnce     = 20
)

// next is what comes next: the text many times in a rush, and then once.
func (p *pace) next(text string) string {
	if p.slow {
		return text
	}
	p.pieces += atOnce - 1
	return strings.Repeat(text, atOnce)
}

// wait is over when the next piece may follow one of a size, or nobody waits for it.
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
