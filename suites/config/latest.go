package config

import (
	"sync"
	"sync/atomic"
)

// Secrets hide what a text must not show. What comes to light in the midst of a run,
// such as a new token, is hidden from then on.
type Secrets struct {
	mu     sync.Mutex
	cfg    Config
	latest atomic.Pointer[func(string) string]
}

// NewSecrets are those of a configuration.
func NewSecrets(cfg Config) *Secrets {
	s := &Secrets{cfg: cfg}
	hide := cfg.Redactor()
	s.latest.Store(&hide)
	return s
}

// Hide returns a text without them.
func (s *Secrets) Hide(text string) string { return (*s.latest.Load())(text) }

// Add takes one more.
func (s *Secrets) Add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg = s.cfg.Hide(secret)
	hide := s.cfg.Redactor()
	s.latest.Store(&hide)
}
