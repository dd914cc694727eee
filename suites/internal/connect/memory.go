package connect

import (
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Memory is for what the cases of a column learn. It is recorded; a replay remembers it.
func Memory(p plan.Plan, over requirements.Transport) *probe.Memory {
	m := &probe.Memory{Readings: p.Rig().Readings}
	if p.Record != nil {
		m.Told = func(by, key, value string) { p.Record.Learned(string(over), by, key, value) }
	}
	if p.Replay != nil {
		m.Recalled = func(by, key string) (string, bool) { return p.Replay.Learned(string(over), by, key) }
	}
	return m
}
