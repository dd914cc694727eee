package watching

import (
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Opinions are what watchers think of texts whatever else the server says, for runs that
// judge similar servers one after another.
type Opinions struct {
	mu sync.Mutex
	by map[string]*shelf // by the watchers of a column
}

// A shelf keeps the opinions of the watchers of a column, in their order.
type shelf struct {
	mu sync.Mutex
	on map[probe.Text][]opinion
}

// mostTexts is how many texts are remembered for the same watchers.
const mostTexts = 50_000

// An opinion of a watcher on a text, if it has no objection.
type opinion byte

const (
	unknown opinion = iota
	silent          // the rule does not apply
	content         // the rule is kept
)

// of returns the shelf of the watchers with these ids; nil where no run shares opinions.
func (o *Opinions) of(watchers []string) *shelf {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by == nil {
		o.by = map[string]*shelf{}
	}
	names := strings.Join(watchers, " ")
	if o.by[names] == nil {
		o.by[names] = &shelf{on: map[probe.Text][]opinion{}}
	}
	return o.by[names]
}

func (s *shelf) find(text probe.Text) []opinion {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on[text]
}

func (s *shelf) keep(text probe.Text, said []opinion) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.on) < mostTexts {
		s.on[text] = said
	}
}

// shared returns the shelf of these watchers.
func (w *Watchers) shared() *shelf {
	w.sharing.Do(func() {
		var ids []string
		for _, y := range w.tallies {
			ids = append(ids, y.of.ID)
		}
		w.shelf = w.Common.of(ids)
	})
	return w.shelf
}
