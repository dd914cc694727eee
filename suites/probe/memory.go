package probe

import (
	"context"
	"errors"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
)

// Memory holds what cases of one column learn once and share, such as the
// dialect in which the server reads an extension.
type Memory struct {
	Readings *frame.Readings // shared with other columns; nil for its own

	// Told hears what a case has learned, and Recalled knows what another one had learned
	// when the conversation was recorded, so that it is not asked anew by a case that did
	// not ask then. Both may be nil. A case is named with its column.
	Told     func(by, key, value string)
	Recalled func(by, key string) (value string, ok bool)

	mu      sync.Mutex
	entries map[string]*entry
	own     frame.Readings
}

// read reads a frame, unless another connection did.
func (m *Memory) read(f frame.Frame) {
	switch {
	case m == nil:
	case m.Readings != nil:
		m.Readings.Read(f)
	default:
		m.own.Read(f)
	}
}

type entry struct {
	learning bubblelock.Mutex
	learned  bool
	value    string
	err      error
}

// Learn returns the first result of learn for the key; other callers wait for
// it. A result without time, of a run that was cut short, or that another case may be the
// reason for is not kept: its case ends there, and the next one learns anew.
func (m *Memory) Learn(by, key string, learn func() (string, error)) (string, error) {
	e := m.entry(key)
	e.learning.Lock()
	defer e.learning.Unlock()
	if e.learned {
		return e.value, e.err
	}
	if m.Recalled != nil {
		if value, ok := m.Recalled(by, key); ok {
			m.keep(e, false, value, nil)
			return value, nil
		}
	}
	value, err := learn()
	undecided, _ := errors.AsType[*Undecided](err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || undecided != nil && undecided.Passing {
		return value, err
	}
	if m.Told != nil && err == nil {
		m.Told(by, key, value)
	}
	m.keep(e, true, value, err)
	return value, err
}

func (m *Memory) keep(e *entry, learned bool, value string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.learned, e.value, e.err = learned, value, err
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

// Known returns the results so far, for the report.
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
