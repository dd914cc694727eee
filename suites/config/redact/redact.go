// Package redact hides secrets in text, however they are escaped in it and in
// whatever case, and the parts of them that a cut has left over. It does not know
// what is secret.
package redact

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mark stands in the place of a secret.
const Mark = "[redacted]"

const (
	// Shortest is the least number of characters of a secret: shorter texts occur
	// everywhere by chance.
	Shortest = 4
	// gram is how many bytes of a secret to look up at once, and so the shortest
	// part that is hidden at a cut. Backslashes do not count.
	gram = 5
	// A sequence of this many bytes of a secret is never chance, wherever it is.
	telling = 32
	// Text before a secret, such as \u00, may swallow this many of its bytes.
	swallowed = 6
	// nearCut is how far from a cut a part may end: half an escape, or a quote and
	// a blank, may be between them.
	nearCut = 16
	// A piece shorter than this may be a usual word, even near a cut: it is hidden only
	// where a cut would leave it.
	word = 2 * swallowed
)

// What is known of a gram: how many bytes in sequence are hidden anywhere, and whether it
// is the beginning or the end of a form, or so near it that text around may have swallowed
// the rest.
type gramFacts struct {
	need                    uint8
	first, last             bool
	almostFirst, almostLast bool
}

// A Redactor hides a set of secrets. Several goroutines may use it.
type Redactor struct {
	known map[uint64]gramFacts
	words map[uint64]bool // secrets shorter than a gram
	maybe filter          // the ends of both; most texts contain none of them

	// asTheyAre are forms to search before escapes are undone: text before them
	// may swallow some of their bytes, as \ swallows n.
	asTheyAre []string
}

// New makes a Redactor. It leaves out secrets that are too short.
func New(secrets []string) *Redactor {
	r := &Redactor{known: map[uint64]gramFacts{}, words: map[uint64]bool{}}
	for _, secret := range secrets {
		if utf8.RuneCountInString(secret) < Shortest {
			continue
		}
		read, asTheyAre := forms(secret)
		for _, form := range read {
			r.add(form)
		}
		for _, form := range asTheyAre {
			r.asTheyAre = append(r.asTheyAre, lowered(form))
		}
	}
	var ends []uint64
	for g := range r.known {
		ends = append(ends, g&wordEnd)
	}
	r.maybe = newFilter(slices.AppendSeq(ends, maps.Keys(r.words)))
	return r
}

// add adds a form of a secret without escapes.
func (r *Redactor) add(form string) {
	var window uint64
	need := uint8(needed(len(form)))
	for i := range len(form) {
		window = window<<8 | uint64(lower(form[i]))
		if i < gram-1 {
			continue
		}
		before, after := i-gram+1, len(form)-1-i
		facts, known := r.known[window&gramMask]
		if !known || need < facts.need {
			facts.need = need
		}
		facts.first, facts.almostFirst = facts.first || before == 0, facts.almostFirst || before <= swallowed
		facts.last, facts.almostLast = facts.last || after == 0, facts.almostLast || after <= swallowed
		r.known[window&gramMask] = facts
	}
	if len(form) == Shortest {
		r.words[window] = true
	}
}

// needed is how many bytes of a form in sequence to hide without a cut beside
// them.
func needed(n int) int {
	switch {
	case n <= 2*swallowed:
		return n
	case n-swallowed < telling:
		return n - swallowed
	}
	return telling
}

// Hide replaces every secret in the text.
func (r *Redactor) Hide(text string) string {
	if len(r.known) == 0 && len(r.words) == 0 && r.asTheyAre == nil {
		return text
	}
	found := r.find(text)
	return replace(text, hidden(text, found))
}

// A part is the place of a piece of a secret in a text.
type part struct {
	start, end int
	whole      bool // or so much of it that it need not touch a cut

	head, tail gramFacts // its first and its last gram
}

// hidden leaves out the pieces that no cut has left.
func hidden(text string, found []part) []part {
	var kept []part
	for i, p := range found {
		// A piece beside another one goes on with it: a line break may stand between them.
		goesOn := i > 0 && near(found[i-1].end, p.start)
		isFollowed := i+1 < len(found) && near(p.end, found[i+1].start)
		if p.whole || p.atCut(text, goesOn, isFollowed) {
			kept = append(kept, p)
		}
	}
	return kept
}

func near(end, start int) bool { return start >= end && start-end <= nearCut }

// atCut tells whether a cut has left the piece: the beginning of a secret before the cut,
// its end behind one, or what is between two. A long piece is a part of a secret in any case.
func (p part) atCut(text string, goesOn, isFollowed bool) bool {
	before, after := text[max(0, p.start-nearCut):p.start], text[p.end:min(len(text), p.end+nearCut)]
	cutBefore, cutAfter := isCut(before+text[p.start:p.end]), isCut(text[p.start:p.end]+after)
	if p.end-p.start >= word || cutBefore && cutAfter {
		return cutBefore || cutAfter
	}
	begins := p.head.first || goesOn || p.head.almostFirst && strings.ContainsAny(before, escapeSigns)
	ends := p.tail.last || isFollowed || p.tail.almostLast && strings.ContainsAny(after, escapeSigns)
	return cutAfter && begins || cutBefore && ends
}

// escapeSigns begin what may swallow bytes of a secret.
const escapeSigns = `\%&`

func isCut(text string) bool { return strings.Contains(text, "...") || strings.Contains(text, "…") }

// replace puts one mark in the place of each part, or of several that overlap.
func replace(text string, parts []part) string {
	if len(parts) == 0 {
		return text
	}
	slices.SortFunc(parts, func(a, b part) int { return a.start - b.start })
	var out strings.Builder
	done := 0
	for i := 0; i < len(parts); {
		start, end := parts[i].start, parts[i].end
		for i++; i < len(parts) && parts[i].start < end; i++ {
			end = max(end, parts[i].end)
		}
		out.WriteString(text[done:start])
		out.WriteString(Mark)
		done = end
	}
	out.WriteString(text[done:])
	return out.String()
}

const (
	gramMask = 1<<(8*gram) - 1
	wordEnd  = 1<<(8*Shortest) - 1
)

// A filter reports whether a value may be in a set, or surely is not.
type filter struct {
	bits  []uint64
	shift uint
}

func newFilter(values []uint64) filter {
	if len(values) == 0 {
		return filter{bits: make([]uint64, 1), shift: 64}
	}
	size := max(12, bits.Len(uint(32*len(values))))
	f := filter{bits: make([]uint64, 1<<size/64), shift: uint(64 - size)}
	for _, v := range values {
		at := f.hash(v)
		f.bits[at/64] |= 1 << (at % 64)
	}
	return f
}

func (f *filter) hash(v uint64) uint64 { return v * 0x9E3779B97F4A7C15 >> f.shift }

func (f *filter) has(v uint64) bool {
	at := f.hash(v)
	return f.bits[at/64]&(1<<(at%64)) != 0
}
