package config

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Secrets hides secrets in texts. Secrets that appear during a run, such as a
// new token, are hidden from then on.
type Secrets struct {
	mu     sync.Mutex
	cfg    Config                              // settled
	latest atomic.Pointer[func(string) string] // nil: a secret was added since it was made
}

// NewSecrets returns the secrets of a configuration.
func NewSecrets(cfg Config) *Secrets {
	s := &Secrets{cfg: cfg.Settled()}
	hide := cfg.Redactor()
	s.latest.Store(&hide)
	return s
}

// Hide returns a text without the secrets.
func (s *Secrets) Hide(text string) string {
	if hide := s.latest.Load(); hide != nil {
		return (*hide)(text)
	}
	return s.renewed()(text)
}

// renewed hides all secrets of now. Texts come more often than secrets, and several secrets
// may come before a text.
func (s *Secrets) renewed() func(string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hide := s.latest.Load(); hide != nil {
		return *hide
	}
	hide := s.cfg.Redactor()
	s.latest.Store(&hide)
	return hide
}

// All lists the secrets known so far.
func (s *Secrets) All() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cfg.Secrets)
}

// Add adds a secret, such as a token that may be the same as the one before.
func (s *Secrets) Add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.cfg.Secrets, secret) {
		return
	}
	s.cfg = s.cfg.Hide(secret)
	s.latest.Store(nil)
}
