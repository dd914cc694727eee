// Package cost serves the cost and latency extension: the manifest says of each tool what a
// call costs, how long it takes, and how many calls are left.
package cost

import (
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// Options are the options of the extension.
type Options struct {
	Metered  string   // the tool that has a quota
	Daily    int      // calls of it in a day
	Approved []string // tools that need approval because of their cost
	Slow     []string // tools that take seconds
	Listed   bool     // costs stand in tools/list, since there is no manifest
	Refuses  bool     // nobody asks the user for approval, so that such a call is refused
	Now      func() time.Time
	Fault    *fault.Fault // nil keeps every rule
}

// Switches are the ways to break the extension. The zero Switches break nothing.
type Switches struct {
	Uncounted bool // the quota never changes
	Rising    bool // the quota rises with each call
}

// New returns the extension. All connections share the quota.
func New(o Options) core.Extension {
	m := &meter{Options: o}
	if o.Fault != nil {
		m.faults, _ = o.Fault.Ext.(Switches) // zero if Ext holds another extension's switches
	}
	return core.Extension{
		Name: "cost-latency", Key: Prefix + "cost_latency", Settings: map[string]any{}, CallTool: m.call, Describe: m.describe, Serve: m.serve,
	}
}

// A meter counts the calls of the metered tool in a day.
type meter struct {
	Options
	faults Switches

	mu    sync.Mutex
	calls int
	ends  time.Time
}

func (m *meter) call(call *core.ToolCall, run func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	if m.Refuses && slices.Contains(m.Approved, call.Name) {
		return call.RefuseResult("This call needs approval because of its cost.", core.Refusal{
			Code: "CONFIRMATION_REQUIRED", Category: core.Permanent, Suggestion: "Ask the harbour office.",
		}), nil
	}
	if call.Name != m.Metered {
		return run()
	}
	if left, until := m.count(1); left < 0 {
		return call.RefuseResult("The calls of this day are used up.", core.Refusal{
			Code: "QUOTA_EXHAUSTED", Category: core.RateLimited, RetryAfter: until.Sub(m.Now()),
		}), nil
	}
	return run()
}

// count adds calls, and says how many are left and until when.
func (m *meter) count(calls int) (left int, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := m.Now().UTC(); !now.Before(m.ends) {
		m.calls, m.ends = 0, now.Truncate(24*time.Hour).Add(24*time.Hour)
	}
	switch {
	case m.faults.Rising:
		m.calls -= calls
	case !m.faults.Uncounted:
		m.calls += calls
	}
	return m.Daily - m.calls, m.ends
}

// describe says of each tool what it costs and how long it takes.
func (m *meter) describe(_ *core.Turn, manifest fault.Message) {
	entries, _ := manifest["tools"].([]any)
	for _, entry := range entries {
		tool, _ := entry.(map[string]any)
		name, _ := tool["name"].(string)
		tool["cost"], tool["latency"] = m.of(name)
		if name == m.Metered {
			left, until := m.count(0)
			tool["quota"] = map[string]any{"remaining": max(left, 0), "resets_at": until.Format(time.RFC3339)}
		}
	}
}

// serve says it in tools/list where there is no manifest, but not the quota: the list does not
// depend on earlier calls.
func (m *meter) serve(t *core.Turn, run func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	result, failure := run()
	listed, ok := result["tools"].([]fault.Message)
	if failure != nil || !ok || !m.Listed || t.Method() != "tools/list" {
		return result, failure
	}
	told := make([]fault.Message, len(listed)) // copies: all requests share the list
	for i, tool := range listed {
		name, _ := tool["name"].(string)
		cost, latency := m.of(name)
		told[i] = tool.With("cost", cost).With("latency", latency)
	}
	result["tools"] = told
	return result, nil
}

// of is what a call of a tool costs, and how long it takes.
func (m *meter) of(tool string) (cost map[string]any, latency string) {
	latency = "instant"
	if slices.Contains(m.Slow, tool) {
		latency = "seconds"
	}
	switch {
	case tool == m.Metered:
		return map[string]any{"category": "metered", "estimated_units": 1, "unit_label": "reports"}, latency
	case slices.Contains(m.Approved, tool):
		return map[string]any{"category": "requires_approval", "estimated_units": 5000, "unit_label": "crowns"}, latency
	}
	return map[string]any{"category": "free"}, latency
}
