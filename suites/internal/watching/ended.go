package watching

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Unanswered are the methods at whose requests a connection over HTTP ended. The zero value is ready
// for use.
type Unanswered struct {
	mu      sync.Mutex
	methods []string
}

// Watch gives a function that sees the frames of one connection, and shows them to another one
// before, unless that is nil.
func (u *Unanswered) Watch(see func(probe.Seen)) func(probe.Seen) {
	asked := map[int]string{}
	return func(s probe.Seen) {
		if see != nil {
			see(s)
		}
		u.mu.Lock()
		defer u.mu.Unlock()
		switch method := asked[s.Exchange]; {
		case s.Dir == frame.Sent && s.Message().Method != "":
			asked[s.Exchange] = s.Message().Method
		case cut(s) && method != "" && !slices.Contains(u.methods, method):
			u.methods = append(u.methods, method)
		}
	}
}

// Methods are the methods, in the order in which the connections ended.
func (u *Unanswered) Methods() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.methods)
}

// cut reports whether a frame is the end of a connection that there was.
func cut(s probe.Seen) bool { return s.End.Cut() && !strings.Contains(s.End.Err, frame.NoConnection) }

// Suspects are the cases over HTTP after whose text the server may have ended: the connection
// ended after a text that is no message. The zero value is ready for use.
type Suspects struct {
	mu sync.Mutex
	at map[string]time.Time // by case
}

// Watch gives a function that sees the frames of one connection, and shows them to another one
// before, unless that is nil.
func (w *Suspects) Watch(see func(probe.Seen)) func(probe.Seen) {
	broken := map[int]bool{} // exchanges
	return func(s probe.Seen) {
		if see != nil {
			see(s)
		}
		if !s.Malformed || s.Case == "" {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case s.Dir == frame.Sent:
			class := s.Message().Class
			broken[s.Exchange] = class == frame.NotJSON || class == frame.NotAMessage
		case broken[s.Exchange] && cut(s):
			if w.at == nil {
				w.at = map[string]time.Time{}
			}
			w.at[s.Case] = time.Now()
		}
	}
}

// But are the suspects of the last seconds other than a case. That a server has ended is
// noticed when nothing has listened for a while.
func (w *Suspects) But(id string) []string {
	const last = 10 * time.Second
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.at)), func(other string) bool {
		return other == id || time.Since(w.at[other]) > last
	})
}
