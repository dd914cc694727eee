package frame

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"maps"
	"sync"
)

// Readings keeps the readings of texts that repeat with another id, as lists do: from
// the third copy on, a text is not read again. The zero value is ready for use.
type Readings struct {
	Columns int // how many share it, for its size; zero stands for one

	mu       sync.Mutex
	seed     maphash.Seed
	seenOnce map[uint64]bool // texts that came at least once
	known    map[uint64]reading
	bytes    int // of the texts whose readings are kept
}

type reading struct {
	before, behind []byte
	message        Message
}

// Shorter texts are read as fast as they are looked up. The bytes of all kept
// texts are limited: the tree of a text takes ten times its bytes.
const (
	worth     = 512
	mostBytes = 512 << 10
	mostOnce  = 10_000
)

// Read gives the frame the reading of an equal text, if there is one.
func (r *Readings) Read(f Frame) {
	raw := f.Raw()
	at, end, ok := countingID(raw)
	if f.Kind != KindMessage || f.Truncated || len(raw) < worth || !ok {
		return
	}
	before, behind := raw[:at], raw[end:]
	key, twin, found, repeated := r.find(before, behind)
	switch {
	case found:
		id := string(raw[at:end])
		m := twin.message
		m.ID, m.Members = id, maps.Clone(m.Members)
		m.Members["id"] = json.Number(id)
		m.Value = m.Members
		f.body.share(&m)
	case repeated:
		m := f.Message()
		good := len(m.Problems) == 0 && m.IDAt == at && m.ID == string(raw[at:end])
		if good && r.keep(key, reading{before, behind, m}) {
			f.body.share(&m)
		}
	}
}

func (r *Readings) find(before, behind []byte) (key uint64, twin reading, found, repeated bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seenOnce == nil {
		r.seed, r.seenOnce, r.known = maphash.MakeSeed(), map[uint64]bool{}, map[uint64]reading{}
	}
	key = maphash.Bytes(r.seed, before) ^ maphash.Bytes(r.seed, behind)*3
	twin, found = r.known[key]
	if found && !(bytes.Equal(twin.before, before) && bytes.Equal(twin.behind, behind)) {
		return key, twin, false, false
	}
	repeated = r.seenOnce[key]
	if len(r.seenOnce) < max(r.Columns, 1)*mostOnce {
		r.seenOnce[key] = true
	}
	return key, twin, found, repeated
}

// keep reports false where there is no room, or another connection kept the
// reading first.
func (r *Readings) keep(key uint64, one reading) (kept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := len(one.before) + len(one.behind)
	if _, known := r.known[key]; known || r.bytes+size > max(r.Columns, 1)*mostBytes {
		return false
	}
	r.known[key] = one
	r.bytes += size
	return true
}

// share makes the body keep a reading whose tree is kept elsewhere anyway,
// however long the text.
func (b *body) share(m *Message) {
	b.reading.Lock()
	defer b.reading.Unlock()
	b.kept = m
}

// countingID finds the id of a message without reading it, where the id is a
// whole number right after the beginning, or right before the end: there it
// must be the id of the message, if the bytes are JSON.
func countingID(raw []byte) (at, end int, ok bool) {
	const member = `"id":`
	for _, start := range []string{`{"jsonrpc":"2.0",` + member, "{" + member} {
		if bytes.HasPrefix(raw, []byte(start)) {
			at = len(start)
			for end = at; end < len(raw) && digit(raw[end]); end++ {
			}
			return at, end, integer(raw[at:end])
		}
	}
	if !bytes.HasSuffix(raw, []byte("}")) {
		return 0, 0, false
	}
	end = len(raw) - 1
	for at = end; at > 0 && digit(raw[at-1]); at-- {
	}
	return at, end, integer(raw[at:end]) && bytes.HasSuffix(raw[:at], []byte(","+member))
}
