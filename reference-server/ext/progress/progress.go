// Package progress serves the progress extension: it makes a record of each
// notifications/progress, which says which operation it is about, how much of it
// is done as a fraction, how long the rest may take, and what there is already.
//
// A tool calls Report. Whether the client wants to know is not its business: the
// core sends progress for calls with a progressToken only, and never after the
// answer.
package progress

import (
	"maps"
	"math"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/internal/operation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Options are what the extension is made with.
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

// A Step is how far the work of a tool is. It has to be further with every step.
type Step struct {
	Done, Total float64 // a total of zero: nobody knows how much there is to do
	Message     string
	Partial     map[string]any // what is there already; nil for nothing to show
	Checkpoint  string         // where the work could be resumed; empty if it cannot be
}

type (
	stepKey  struct{}
	beganKey struct{}
)

// Report tells the client how far the work is, if it asked to be told.
func Report(t *core.Turn, s Step) {
	t.Keep(stepKey{}, s)
	t.Progress(s.Done, s.Total, s.Message)
}

type extension Options

// begin takes the time, which the estimates rest on.
func (e extension) begin(t *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	t.Keep(beganKey{}, e.Now())
	return next()
}

// extend puts the record into the metadata of a progress notification. What core
// defines stays as it is, so that a client that does not know the extension
// misses nothing.
func (e extension) extend(t *core.Turn, m fault.Message) fault.Message {
	said, ok := m["params"].(map[string]any)
	if m["method"] != "notifications/progress" || !ok {
		return m
	}
	step, reported := t.Kept(stepKey{}).(Step)
	if !reported { // by a tool that knows nothing of this extension
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
