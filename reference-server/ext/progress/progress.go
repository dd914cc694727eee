// Package progress serves the progress extension: it adds a record to each
// notifications/progress, which names the operation, the completed fraction, the
// estimated rest of the time, and the partial results.
//
// A tool calls Report for every client: the core sends progress only for calls with a
// progressToken, and never after the answer.
package progress

import (
	"maps"
	"math"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/internal/operation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Options are the options of the extension.
type Options struct {
	Now func() time.Time
}

// New returns the extension.
func New(o Options) core.Extension {
	e := extension(o)
	return core.Extension{
		Name: "progress", Key: operation.Prefix + "progress_notifications",
		Serve: e.begin, Notify: e.extend,
	}
}

// A Step is the progress of a tool's work. Progress has to grow with every step.
type Step struct {
	Done, Total float64 // a zero Total is unknown
	Message     string
	Partial     map[string]any // the partial results; nil for none
	Checkpoint  string         // where the work could be resumed; empty if it cannot be
}

type (
	stepKey  struct{}
	beganKey struct{}
)

// Report tells the client the progress if the client asked for progress.
func Report(t *core.Turn, s Step) {
	t.Keep(stepKey{}, s)
	t.Progress(s.Done, s.Total, s.Message)
}

type extension Options

// begin notes the time, on which the estimates rest.
func (e extension) begin(t *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	t.Keep(beganKey{}, e.Now())
	return next()
}

// extend adds the record to the metadata of a progress notification. The members of
// core stay unchanged for clients without the extension.
func (e extension) extend(t *core.Turn, m fault.Message) fault.Message {
	said, ok := m["params"].(map[string]any)
	if m["method"] != "notifications/progress" || !ok {
		return m
	}
	step, reported := t.Kept(stepKey{}).(Step)
	if !reported { // the tool does not use Report
		step.Done, _ = said["progress"].(float64)
		step.Total, _ = said["total"].(float64)
		step.Message, _ = said["message"].(string)
	}
	params := maps.Clone(said)
	params["_meta"] = e.record(t, step)
	return m.With("params", params)
}

func (e extension) record(t *core.Turn, s Step) map[string]any {
	record := map[string]any{"type": "progress", "operation_id": operation.ID(t)}
	if s.Total > 0 {
		fraction := min(1, max(0, s.Done/s.Total))
		record["progress"] = fraction
		if began, ok := t.Kept(beganKey{}).(time.Time); ok && fraction > 0 {
			rest := e.Now().Sub(began).Seconds() * (1 - fraction) / fraction
			record["estimated_remaining_seconds"] = math.Round(rest*1000) / 1000
		}
	}
	if s.Message != "" {
		record["message"] = s.Message
	}
	if s.Partial != nil {
		record["partial_result"] = s.Partial
	}
	if s.Checkpoint != "" {
		record["checkpoint_token"] = s.Checkpoint
	}
	return record
}
