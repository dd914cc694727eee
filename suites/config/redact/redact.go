// Package redact hides secrets in text, however they are escaped in it, and
// the parts of them that a cut has left over. It does not know what is secret.
package redact

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mark stands where something was hidden.
const Mark = "[redacted]"

const (
	// Shortest is how many characters a secret has at least: fewer occur
	// everywhere by chance.
	Shortest = 4
	// gram is how many bytes of a secret are looked for at once, and so the
	// shortest part that is hidden at a cut. Backslashes do not count.
	gram = 5
	// So many bytes of a secret in a row are never chance, wherever they stand.
	telling = 32
	// What stands before a secret may swallow so much of it, as \u00 does.
	swallowed = 6
	// nearCut is how far from a cut a part may end: half an escape, or a quote
	// and a blank, may stand between them.
	nearCut = 16
)

// A Redactor hides a set of secrets. It may be used by several goroutines.
type Redactor struct {
	known map[uint64]uint8 // grams, and how long a part with it must be to be hidden anywhere
	words map[uint64]bool  // secrets shorter than a gram
	maybe filter           // the ends of both; most text has none of them

	// asTheyAre are forms that could be missed once escapes are undone: what
	// stands before them may swallow some of them, as \ does before n.
	asTheyAre []string
}

// New makes a Redactor. Secrets that are too short are left out.
func New(secrets []string) *Redactor {
	r := &Redactor{known: map[uint64]uint8{}, words: map[uint64]bool{}}
	for _, secret := range secrets {
		if utf8.RuneCountInString(secret) < Shortest {
			continue
		}
		read, asTheyAre := forms(secret)
		for _, form := range read {
			r.add(form)
		}
		r.asTheyAre = append(r.asTheyAre, asTheyAre...)
	}
	var ends []uint64
	for g := range r.known {
		ends = append(ends, g&wordEnd)
	}
	r.maybe = newFilter(slices.AppendSeq(ends, maps.Keys(r.words)))
	return r
}

// add takes a form of a secret in that has no escapes.
func (r *Redactor) add(form string) {
	var window uint64
	need := uint8(needed(len(form)))
	for i := range len(form) {
		window = window<<8 | uint64(form[i])
		if i < gram-1 {
			continue
		}
		if old, known := r.known[window&gramMask]; !known || need < old {
			r.known[window&gramMask] = need
		}
	}
	if len(form) == Shortest {
		r.words[window] = true
	}
}

// needed is how many bytes of a form must stand in a row to be hidden without
// a cut beside them.
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
	return replace(text, slices.DeleteFunc(found, func(p part) bool { return !p.whole && !p.atCut(text) }))
}

// A part is where a piece of a secret stands in a text.
type part struct {
	start, end int
	whole      bool // or so much of it that it need not touch a cut
}

func (p part) atCut(text string) bool {
	around := text[max(0, p.start-nearCut):min(len(text), p.end+nearCut)]
	return strings.Contains(around, "...") || strings.Contains(around, "…")
}

// replace puts the mark in place of the parts, one where they overlap.
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

// A filter says of a value that it may be in a set, or surely is not.
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
