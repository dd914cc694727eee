// Package silence keeps which case showed what a server leaves without an answer: other
// cases that lack an answer for the same reason are blocked by that case, and one slip is
// one finding.
package silence

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Book keeps what was shown so far.
type Book struct {
	mu    sync.Mutex
	shown map[silence]string      // the case that showed it
	kinds map[method][]probe.Kind // what was shown of each method
	lost  map[method][]string     // the cases that lacked answers
	alike map[silence]string      // the case that complained that requests for one item were not answered
}

// A method is what requests of several kinds ask for in a column.
type method struct {
	col   requirements.Column
	name  string
	ended bool
}

// several is how many kinds of requests for one method show that a server answers none that
// was not answered so far: each of fifty tools would be awaited in full. As many cases show that
// some requests are lost, where others like them were answered; a case that complains is judged
// all the same.
const several = 3

// A silence is what a server leaves without an answer in a column, or what ends the connection:
// requests of a kind, or, without a kind, some requests and not others that are the same.
type silence struct {
	col   requirements.Column
	kind  probe.Kind
	ended bool
}

// A Finding says of a case what its verdict rests on.
type Finding struct {
	Case   string
	Column requirements.Column
	Missed []probe.Miss // the requests that got no answer
	// Quiet: the case does not complain.
	Quiet bool
	// Loses: the case shows by good requests alone that the server loses some of them.
	Loses bool
	// Ends: the process ends soon after the opening whatever is asked.
	Ends bool
}

// Loses reports whether the server was shown to lose requests in the column: then no other
// missing answer shows anything.
func (b *Book) Loses(col requirements.Column) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, loses := b.shown[silence{col: col}]
	return loses
}

// Blocks names the case that showed before what this case lacks, and says what that is;
// the name is empty where there is none.
func (b *Book) Blocks(f Finding, p *probe.Patience) (by, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range f.Missed {
		silent := p.Silent(m)
		for _, kind := range append([]probe.Kind{{}}, silent...) {
			s := silence{f.Column, kind, m.Ended()}
			if by := b.shown[s]; by != "" && by != f.Case {
				return by, s.String()
			}
		}
		of := method{f.Column, m.Method(), m.Ended()}
		if all := b.kinds[of]; len(silent) > 0 && len(all) >= several {
			if by := b.shown[silence{f.Column, all[0], m.Ended()}]; by != f.Case {
				return by, said("several requests for "+of.name, m.Ended())
			}
		}
		if by := b.alike[alike(f.Column, m)]; f.Quiet && by != "" && by != f.Case {
			return by, said("some "+m.Like().Of, m.Ended())
		}
		if lost := b.lost[of]; f.Quiet && len(lost) >= several && !slices.Contains(lost, f.Case) {
			return lost[0], said("some requests for "+of.name, false)
		}
	}
	return "", ""
}

// Show notes what a case shows that complains, and that was judged with the waits in full.
// Where requests of each kind were answered at some time, this one may lack its answer for
// what the case put into it, and shows nothing of others.
func (b *Book) Show(f Finding, p *probe.Patience) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range f.Missed {
		silent := p.Silent(m)
		of := method{f.Column, m.Method(), m.Ended()}
		if b.shown == nil {
			b.shown, b.kinds, b.lost = map[silence]string{}, map[method][]probe.Kind{}, map[method][]string{}
			b.alike = map[silence]string{}
		}
		if at := alike(f.Column, m); !f.Quiet && at.kind.Of != "" && b.alike[at] == "" {
			b.alike[at] = f.Case
		}
		if !m.Ended() && !slices.Contains(b.lost[of], f.Case) {
			b.lost[of] = append(b.lost[of], f.Case)
		}
		var kind probe.Kind // none where the process ends whatever is asked
		switch ends := f.Ends && m.Ended(); {
		case len(silent) == 0 && !f.Loses && !ends:
			continue
		case len(silent) > 0 && !ends:
			kind = silent[0]
		}
		if len(silent) > 0 && !slices.Contains(b.kinds[of], kind) {
			b.kinds[of] = append(b.kinds[of], kind)
		}
		b.shown[silence{f.Column, kind, m.Ended()}] = f.Case
	}
}

// alike stands for the requests that ask for the same item, of which others may be answered.
func alike(col requirements.Column, m probe.Miss) silence { return silence{col, m.Like(), m.Ended()} }

func (s silence) String() string {
	switch {
	case s.kind.Of == "" && s.ended:
		return "the process ends by itself, whatever is asked"
	case s.kind.Of == "":
		return "the server leaves some requests without an answer"
	default:
		return said(s.kind.Of, s.ended)
	}
}

// said says what becomes of requests.
func said(requests string, ended bool) string {
	if ended {
		return "the connection ends at " + requests
	}
	return "the server leaves " + requests + " without an answer"
}
