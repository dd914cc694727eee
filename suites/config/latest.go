package config

import (
	"sync"
	"sync/atomic"
)

// Secrets hides secrets in texts. Secrets that appear during a run, such as a
// new token, are hidden from then on.
type Secrets struct {
	mu     sync.Mutex
	cfg    Config
	latest atomic.Pointer[func(string) string]
}

// NewSecrets returns the secrets of a configuration.
func NewSecrets(cfg Config) *Secrets {
	s := &Secrets{cfg: cfg}
	hide := cfg.Redactor()
	s.latest.Store(&hide)
	return s
}

// Hide returns a text without the secrets.
func (s *Secrets) Hide(text string) string { return (*s.latest.Load())(text) }

// All lists the secrets known so far.
func (s *Secrets) All() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.Settled().Secrets
}

// Add adds a secret.
func (s *Secrets) Add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg = s.cfg.Hide(secret)
	hide := s.cfg.Redactor()
	s.latest.Store(&hide)
}
