package probe

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

// Patience says how long the kit waits for the answers of one server, at all its
// revisions. What was awaited in vain is awaited for a shorter time from then on, until
// something like it is answered. No verdict rests on a shortened wait: the engine repeats
// the case, with the waits in full.
type Patience struct {
	// Tell is told the method whose answer is awaited for longer than a moment, and an empty
	// text when none is any more; nil: nobody is told.
	Tell    func(method string)
	telling sync.Mutex
	long    []*string // the methods whose answers are awaited for long

	mu      sync.Mutex
	known   func(Miss) bool // another case has shown that such a request is not answered
	habits  map[Kind]*habit
	vain    int               // waits in full without an answer
	took    [64]time.Duration // by the last answers, in a ring
	answers int

	// open: a stream stayed open behind the answer that it brought.
	open atomic.Bool
}

// A habit is what a server makes of requests of one kind.
type habit struct {
	answered bool          // at least once
	vain     int           // waits in full without an answer
	lost     bool          // a request was awaited in full in vain, at any time
	guessed  int           // guesses of discovery without an answer
	slowest  time.Duration // answer
}

// vainOfAll is how many waits in full there are for requests of all kinds. For a kind that was
// never answered there is one.
const vainOfAll = 6

// The shortest waits for an answer: for one like those that did not come, and for one to a
// guess of discovery, since what a server claims must not depend on how busy the machine is.
const (
	shortest = time.Second
	guess    = 2 * time.Second
)

// limit is how long an answer is awaited that usually gets the full time. Without an answer
// in all the full waits that there are for its kinds, it is ten times the usual time.
func (p *Patience) limit(r request, full time.Duration, guessed bool) time.Duration {
	known := p.knows(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	silent := known || p.vain >= vainOfAll
	for _, k := range r.kinds {
		if h := p.habits[k]; h != nil {
			silent = silent || !h.answered && (h.vain > 0 || guessed && h.guessed > 0)
		}
	}
	switch {
	case silent:
		return min(full, p.slowly(r, shortest))
	case guessed && !r.usual:
		return min(full, p.slowly(r, guess))
	default:
		return full
	}
}

// short is how long an answer is awaited that is not expected any more.
func (p *Patience) short(r request) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slowly(r, shortest)
}

// slowly is how long a slow answer may take, the least at least. It is called with p.mu held.
func (p *Patience) slowly(r request, least time.Duration) time.Duration {
	slowest := time.Duration(0)
	for _, k := range r.kinds {
		wide := strings.HasPrefix(k.Of, allBut) || r.like.Of != "" && k.Of == requestsFor+r.method && r.method != "initialize"
		if h := p.habits[k]; h != nil && !wide {
			slowest = max(slowest, h.slowest)
		}
	}
	return max(least, 10*p.usual(), 2*slowest)
}

// usual is the median of the last answers.
func (p *Patience) usual() time.Duration {
	n := min(p.answers, len(p.took))
	if n == 0 {
		return 0
	}
	took := slices.Clone(p.took[:n])
	slices.Sort(took)
	return took[n/2]
}

// answered learns that a request was answered.
func (p *Patience) answered(r request, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range r.kinds {
		h := p.habit(k)
		h.answered, h.slowest = true, max(h.slowest, took)
	}
	p.took[p.answers%len(p.took)] = took
	p.answers++
}

// inVain learns that a request was not answered, which was awaited in full or was a guess.
func (p *Patience) inVain(r request, guessed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range r.kinds {
		if h := p.habit(k); guessed {
			h.guessed++
		} else {
			h.vain++
			h.lost = true
		}
	}
	if !guessed {
		p.vain++
	}
}

// inVainLike reports whether requests that are the same were awaited in full, and none was answered,
// while others for the method were.
func (p *Patience) inVainLike(r request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	like, all := p.habits[r.like], p.habits[Kind{Of: requestsFor + r.method}]
	return like != nil && like.vain > 0 && !like.answered && all != nil && all.answered
}

// Shorten makes every wait a short one, for a server that loses some requests.
func (p *Patience) Shorten() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.vain = vainOfAll
}

// knows reports whether another case has shown that a request like this is not answered.
func (p *Patience) knows(r request) bool {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	return known != nil && known(Miss{of: r})
}

// Renew gives every kind a wait in full again, for a case that is judged while no other
// case runs, or none. The function known says which requests are not awaited in full even so,
// since another case has shown that the server does not answer them.
func (p *Patience) Renew(full bool, known func(Miss) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = known
	p.vain = 0
	if !full {
		p.vain = vainOfAll
	}
	for _, h := range p.habits {
		h.vain = 0
	}
}

// Silent gives the kinds of a request of which the server never answered any, the widest first.
func (p *Patience) Silent(m Miss) []Kind {
	p.mu.Lock()
	defer p.mu.Unlock()
	var silent []Kind
	for _, k := range m.of.kinds {
		if h := p.habits[k]; h == nil || !h.answered {
			silent = append(silent, k)
		}
	}
	return silent
}

// habit is called with p.mu held.
func (p *Patience) habit(k Kind) *habit {
	if p.habits == nil {
		p.habits = map[Kind]*habit{}
	}
	h := p.habits[k]
	if h == nil {
		h = &habit{}
		p.habits[k] = h
	}
	return h
}

// leaves reports whether requests for a method were awaited in full, and none was answered.
func (p *Patience) leaves(method string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.habits[Kind{Of: requestsFor + method}]
	return h != nil && h.lost && !h.answered
}

// slow reports whether the server usually takes long to answer.
func (p *Patience) slow() bool {
	const long = 500 * time.Millisecond
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.usual() > long
}

// moment is how long an answer is awaited before anybody is told.
const moment = 2 * time.Second

// tell tells the method whose answer is awaited, until the wait is over.
func (p *Patience) tell(method string) (over func()) {
	if p == nil || p.Tell == nil || method == "" || len(method) > 40 || strings.ContainsFunc(method, unicode.IsControl) {
		return func() {}
	}
	entry, ended := &method, false
	told := time.AfterFunc(moment, func() {
		p.waits(func(all []*string) []*string {
			if ended {
				return all
			}
			return append(all, entry)
		})
	})
	return func() {
		if !told.Stop() {
			p.waits(func(all []*string) []*string {
				ended = true
				return slices.DeleteFunc(all, func(each *string) bool { return each == entry })
			})
		}
	}
}

// waits changes what is awaited for long, and tells the first of it.
func (p *Patience) waits(change func([]*string) []*string) {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.long = change(p.long)
	if len(p.long) == 0 {
		p.Tell("")
		return
	}
	p.Tell(*p.long[0])
}
