package probe

import (
	"context"
	"errors"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/patient"
)

// Memory is what cases of one column learn once and use together, such as the
// dialect in which the server reads an extension.
type Memory struct {
	mu       sync.Mutex
	entries  map[string]*entry
	barriers int // that were not answered; negative once one was
	readings frame.Readings
}

// read reads a frame, unless another connection of the column did.
func (m *Memory) read(f frame.Frame) {
	if m != nil {
		m.readings.Read(f)
	}
}

// hushed reports whether several barriers had no answer, and none ever had one: a
// server that answers no ping is not waited for with each of them.
func (m *Memory) hushed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.barriers >= 3
}

// heard takes note of what became of a barrier.
func (m *Memory) heard(answered bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case answered:
		m.barriers = -1
	case m.barriers >= 0:
		m.barriers++
	}
}

type entry struct {
	learning patient.Mutex
	learned  bool
	value    string
	err      error
}

// Learn returns what learn found for the key the first time it was asked.
// Others wait for the first. Nothing is kept of one that ran out of time or
// was cut short: its case ends with that, and the next one learns anew.
func (m *Memory) Learn(key string, learn func() (string, error)) (string, error) {
	e := m.entry(key)
	e.learning.Lock()
	defer e.learning.Unlock()
	if e.learned {
		return e.value, e.err
	}
	value, err := learn()
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.learned, e.value, e.err = true, value, err
	return value, err
}

func (m *Memory) entry(key string) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries == nil {
		m.entries = map[string]*entry{}
	}
	if m.entries[key] == nil {
		m.entries[key] = &entry{}
	}
	return m.entries[key]
}

// Known returns what was learned so far, for the report.
func (m *Memory) Known() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := map[string]string{}
	for key, e := range m.entries {
		if e.err == nil && e.value != "" {
			known[key] = e.value
		}
	}
	return known
}
