package discover

import (
	"sync"
	"testing"
)

// A report on a run that does not end may ask for the eras while discovery learns them.
func TestErasWhileLearning(t *testing.T) {
	t.Parallel()
	f := &Found{}
	f.versions.Offered = []string{"2025-06-18"}
	var learning sync.WaitGroup
	learning.Go(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.heard()
	})
	_ = f.Eras()
	learning.Wait()
	if got := f.Eras(); len(got) != 1 || got[0] != "handshake" {
		t.Errorf("got %v, want the handshake", got)
	}
}
