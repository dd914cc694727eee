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
	of map[string]map[probe.Text][]opinion // by the watchers of a column
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

func (o *Opinions) find(watchers string, text probe.Text) []opinion {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[watchers][text]
}

func (o *Opinions) keep(watchers string, text probe.Text, said []opinion) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[string]map[probe.Text][]opinion{}
	}
	if o.of[watchers] == nil {
		o.of[watchers] = map[probe.Text][]opinion{}
	}
	if len(o.of[watchers]) < mostTexts {
		o.of[watchers][text] = said
	}
}

// names identifies the watchers.
func (w *Watchers) names() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.named == "" {
		var ids []string
		for _, y := range w.tallies {
			ids = append(ids, y.of.ID)
		}
		w.named = strings.Join(ids, " ")
	}
	return w.named
}
