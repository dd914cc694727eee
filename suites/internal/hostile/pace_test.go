package hostile

import (
	"strings"
	"sync/atomic"
	"time"
)

// A tide is the floods of one server. The first ones rush; what comes on further
// connections, of which a run makes dozens, shows nothing new for the processor time
// that it would take.
type tide struct{ begun atomic.Int64 }

// How many floods of a tide rush: as a rule that on the connection on which the kit looks
// around, and one on a connection of cases.
const rushes = 2

// flood begins one more.
func (t *tide) flood() *pace { return &pace{slow: t.begun.Add(1) > rushes} }

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

// wait is over when the next piece may follow one of a size.
func (p *pace) wait(size int) {
	p.pieces, p.bytes = p.pieces+1, p.bytes+size
	p.slow = p.slow || p.pieces >= rushPieces || p.bytes >= rushBytes
	if !p.slow {
		return
	}
	if p.tick == nil {
		p.tick = time.Tick(10 * time.Millisecond)
	}
	<-p.tick
}
