package redact

// A reading says how much of what a text may be escaped with is undone.
type reading bool

const (
	canonical reading = true
	verbatim  reading = false
)

// A finder goes through a text once. Of what it has read it keeps the last
// bytes and where they stood.
type finder struct {
	r      *Redactor
	window uint64
	read   int
	starts [8]int

	run   part
	grams int // of the run
	need  int // to be hidden without a cut
	last  int // how much was read when the run was last made longer
	parts []part
}

// find looks for parts of secrets, and reports whether what it has read differs
// from the text.
func (r *Redactor) find(text string, how reading) (parts []part, escapes bool) {
	f := finder{r: r}
	for at := 0; at < len(text); {
		c := text[at]
		if how == verbatim || !special[c] {
			f.take(c, at, at+1)
			at++
			continue
		}
		u := unescape(text, at)
		escapes = escapes || u.end-at > 1 || u.n != 1 || u.bytes[0] != c
		for _, b := range u.bytes[:u.n] {
			if b == ' ' && f.read > 0 && byte(f.window) == ' ' {
				escapes = true
				continue
			}
			f.take(b, at, u.end)
		}
		at = u.end
	}
	f.close()
	return f.parts, escapes
}

// take reads one byte, which stands for the text from start to end.
func (f *finder) take(b byte, start, end int) {
	f.window = f.window<<8 | uint64(b)
	f.read++
	f.starts[f.read&7] = start
	if v := f.window & gramMask; f.r.maybeGram.has(v) && f.read >= gram {
		if need, ok := f.r.grams[v]; ok {
			f.extend(f.starts[(f.read-gram+1)&7], end, int(need))
		}
	}
	if f.r.maybeWord.has(f.window & wordEnd) {
		f.word(end)
	}
}

func (f *finder) extend(start, end, need int) {
	if f.grams == 0 || f.last != f.read-1 {
		f.close()
		f.run, f.need = part{start: start}, need
	}
	f.run.end, f.last = end, f.read
	f.need = min(f.need, need)
	f.grams++
}

// close ends a run of grams.
func (f *finder) close() {
	if f.grams > 0 {
		f.run.whole = f.grams+gram-1 >= f.need
		f.parts = append(f.parts, f.run)
	}
	f.grams = 0
}

// word takes the secret that ends here, if one does that is shorter than a gram.
func (f *finder) word(end int) {
	for n := Shortest; n < gram && n <= f.read; n++ {
		if f.r.words[f.window&(1<<(8*n)-1)] == uint8(n) {
			f.parts = append(f.parts, part{start: f.starts[(f.read-n+1)&7], end: end, whole: true})
		}
	}
}
