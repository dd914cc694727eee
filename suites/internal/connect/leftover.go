package connect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Leftover collects processes that could not be ended.
type Leftover struct {
	mu   sync.Mutex
	errs []string
}

// Add notes the error of closing a connection.
func (l *Leftover) Add(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, err.Error())
}

// Text tells it once for all; empty when everything ended.
func (l *Leftover) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.errs) == 0 {
		return ""
	}
	slices.Sort(l.errs)
	different := slices.Compact(slices.Clone(l.errs))
	return fmt.Sprintf("%d connections could not be closed: %s", len(l.errs), strings.Join(different[:min(3, len(different))], "; "))
}
