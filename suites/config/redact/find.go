package redact

import "strings"

// A finder goes through a text once and undoes its escapes. It keeps the last
// bytes that it has read and their places.
type finder struct {
	*Redactor
	window uint64
	read   int
	starts [8]int

	run   part
	grams int // of the run
	need  int // bytes to hide without a cut beside them
	last  int // how much was read when the run last grew
	parts []part
}

// find searches for parts of secrets.
func (r *Redactor) find(text string) []part {
	f := finder{Redactor: r}
	escapes := false
	for at := 0; at < len(text); {
		c := text[at]
		if !special(c) {
			f.window = f.window<<8 | uint64(lower(c))
			f.read++
			f.starts[f.read&7] = at
			at++
			if f.maybe.has(f.window & wordEnd) {
				f.look(at)
			}
			continue
		}
		u := unescape(text, at)
		escapes = escapes || u.end-at > 1 || u.n != 1 || u.bytes[0] != c
		for _, b := range u.bytes[:u.n] {
			if b == ' ' && f.read > 0 && byte(f.window) == ' ' {
				escapes = true
				continue
			}
			f.window = f.window<<8 | uint64(lower(b))
			f.read++
			f.starts[f.read&7] = at
			if f.maybe.has(f.window & wordEnd) {
				f.look(u.end)
			}
		}
		at = u.end
	}
	f.close()
	if escapes {
		f.verbatim(text)
	}
	return f.parts
}

// look checks whether the bytes before end belong to a secret.
func (f *finder) look(end int) {
	if facts, ok := f.known[f.window&gramMask]; ok && f.read >= gram {
		if f.grams == 0 || f.last != f.read-1 {
			f.close()
			f.run, f.need = part{start: f.starts[(f.read-gram+1)&7], head: facts}, int(facts.need)
		}
		f.run.end, f.run.tail, f.last = end, facts, f.read
		f.need = min(f.need, int(facts.need))
		f.grams++
	}
	if f.words[f.window&wordEnd] && f.read >= Shortest {
		f.parts = append(f.parts, part{start: f.starts[(f.read-Shortest+1)&7], end: end, whole: true})
	}
}

// close ends a run of grams.
func (f *finder) close() {
	if f.grams > 0 {
		f.run.whole = f.grams+gram-1 >= f.need
		f.parts = append(f.parts, f.run)
	}
	f.grams = 0
}

// verbatim searches for secrets that undoing the escapes may have hidden.
func (f *finder) verbatim(text string) {
	text = lowered(text)
	for _, form := range f.asTheyAre {
		for from := 0; ; {
			at := strings.Index(text[from:], form)
			if at < 0 {
				break
			}
			from += at + len(form)
			f.parts = append(f.parts, part{start: from - len(form), end: from, whole: true})
		}
	}
}
