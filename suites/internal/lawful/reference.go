package lawful

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Stateless judges the reference server with an unusual habit at 2026-07-28,
// which the servers of package fakeserver do not speak.
func Stateless(t *testing.T, name string, selected Selection, habit *fault.Fault) {
	t.Helper()
	reference(t, name, requirements.R20260728, selected, habit, nil)
}

// Configured is Stateless with a configuration of its own.
func Configured(t *testing.T, name, text string, selected Selection, habit *fault.Fault) {
	t.Helper()
	cfg := settings(t, text)
	reference(t, name, requirements.R20260728, selected, habit, &cfg)
}

// Handshake is Stateless at 2025-11-25, where a server asks by requests.
func Handshake(t *testing.T, name string, selected Selection, habit *fault.Fault) {
	t.Helper()
	reference(t, name, requirements.R20251125, selected, habit, nil)
}

func reference(t *testing.T, name string, at requirements.Revision, selected Selection, habit *fault.Fault, own *config.Config) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		cfg, local := proof.Config(t), inprocess.Server(habit)
		if own != nil {
			cfg = *own
		}
		local.Handler = nil
		cfg.Revisions = config.Revisions{Dates: []string{string(at)}}
		cfg.Wait.Event = 300 * time.Millisecond
		NothingSaid(t, proof.Judge(t, plan.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second, Selected: selected}))
	})
}
