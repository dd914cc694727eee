package streaming

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Two answers that are finished at the same time share nothing that can be changed, also where a fault gives both
// operations one result.
func TestSharedResultsAreCopies(t *testing.T) {
	changed := func(m fault.Message) bool { return len(m.Object("_meta")) > 0 }
	t.Run("the latest result", func(t *testing.T) {
		s := &shared{running: 2}
		first := s.takeLatest(fault.Message{"_meta": map[string]any{}})
		s.running = 1
		second := s.takeLatest(fault.Message{"own": true})
		if second["own"] == true {
			t.Fatal("the operation that ends last keeps its own result")
		}
		if first.Object("_meta")["name"] = "first"; changed(second) {
			t.Error("the two results share their _meta")
		}
	})
	t.Run("swapped with one that stopped", func(t *testing.T) {
		s := &shared{running: 2}
		stopped, waits := make(chan struct{}), make(chan fault.Message)
		own := fault.Message{"_meta": map[string]any{}}
		go func() { waits <- s.swap(own, stopped) }()
		for waiting := false; !waiting; {
			s.mu.Lock()
			waiting = s.waiting != nil
			s.mu.Unlock()
		}
		second := s.swap(fault.Message{"own": true}, nil)
		<-waits
		if second["own"] == true {
			t.Fatal("the operation that ends last keeps its own result")
		}
		if own.Object("_meta")["name"] = "first"; changed(second) {
			t.Error("the two results share their _meta")
		}
	})
}
