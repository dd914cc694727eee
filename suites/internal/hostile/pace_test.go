package hostile

import "time"

// A pace is that of messages that do not end. Its first pieces come as fast as the kit takes
// them, and are more than it keeps of a connection; the rest comes at one piece in a
// millisecond. Whoever waits for its end waits for ever all the same, but the
// processor is left to the other servers, instead of being kept busy for as long as
// the run lasts.
type pace struct {
	pieces, bytes int
	tick          <-chan time.Time
}

// What comes at once, whichever is reached first.
const (
	rushPieces = 6_000
	rushBytes  = 4 << 20
)

// wait is over when the next piece may follow one of a size.
func (p *pace) wait(size int) {
	p.pieces, p.bytes = p.pieces+1, p.bytes+size
	if p.pieces < rushPieces && p.bytes < rushBytes {
		return
	}
	if p.tick == nil {
		p.tick = time.Tick(time.Millisecond)
	}
	<-p.tick
}
