// Package operations reads what servers say of a call while it runs: records of
// its progress, pieces of its result, and checkpoints.
package operations

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A Record is what one notification says of an operation.
type Record struct {
	Seen   probe.Seen
	Method string
	Params map[string]any
	Fields map[string]any // the record itself; nil where there is none
	Where  string         // its place in the message
}

// Canonical reports whether a record of progress stands in the place that the
// proposal gives it.
func (r Record) Canonical() bool { return r.Method == "notifications/progress" && r.Where == inMeta }

// Pointer is the place of the record as a JSON pointer.
func (r Record) Pointer() string {
	return strings.ReplaceAll(strings.TrimPrefix(r.Where, "$"), ".", "/")
}

// Shown puts the exhibits of one connection together in the order in which they
// crossed the wire: an answer comes behind what was said before it.
func Shown(exhibits ...probe.Evident) probe.Evidence {
	all := probe.Shown(exhibits...)
	slices.SortStableFunc(all, func(a, b frame.Frame) int { return a.Seq - b.Seq })
	return slices.CompactFunc(all, func(a, b frame.Frame) bool { return a.Seq == b.Seq })
}

const inMeta = "$.params._meta"

// Progress are the notifications about progress among the frames, whether or not
// they carry a record.
func Progress(seen []probe.Seen) []Record {
	var all []Record
	for _, n := range notifications(seen) {
		switch n.Method {
		case "notifications/progress":
			meta, _ := n.Params["_meta"].(map[string]any)
			if meta["type"] == "stream_chunk" {
				continue
			}
			switch {
			case marked(meta) || has(meta, "progress"):
				n.Fields, n.Where = meta, inMeta
			case marked(n.Params):
				n.Fields, n.Where = n.Params, "$.params"
			}
			all = append(all, n)
		case "notifications/operation_progress":
			n.Fields, n.Where = n.Params, "$.params"
			all = append(all, n)
		}
	}
	return all
}

// Chunks are the pieces of results among the frames.
func Chunks(seen []probe.Seen) []Record {
	var all []Record
	for _, n := range notifications(seen) {
		meta, _ := n.Params["_meta"].(map[string]any)
		switch {
		case n.Method == "notifications/stream_chunk":
			n.Fields, n.Where = n.Params, "$.params"
			all = append(all, n)
		case n.Method == "notifications/progress" && meta["type"] == "stream_chunk":
			n.Fields, n.Where = meta, inMeta
			all = append(all, n)
		}
	}
	return all
}

// Foreign reports whether the server streams by the mechanism of a core draft,
// which is another one.
func Foreign(seen []probe.Seen) bool {
	return slices.ContainsFunc(notifications(seen), func(n Record) bool { return n.Method == "notifications/tools/partial_result" })
}

// Text is a property of the record that is a string; false when it is absent or
// of another type.
func (r Record) Text(name string) (string, bool) {
	text, ok := r.Fields[name].(string)
	return text, ok
}

// Checkpoint is the token behind which the operation can be resumed, empty where the
// record has none.
func (r Record) Checkpoint() string { return probe.TextOf(r.Fields["checkpoint_token"]) }

// Number is a property of the record that is a number.
func (r Record) Number(name string) (float64, bool) { return probe.NumberOf(r.Fields[name]) }

// Reached is the progress that core defines.
func (r Record) Reached() (float64, bool) {
	if r.Method != "notifications/progress" {
		return 0, false
	}
	return probe.NumberOf(r.Params["progress"])
}

// Fraction is how much of the operation is done, as a number from 0 to 1, as far
// as the record says so. Beside the properties of core there is no room for one of
// its own: there it is progress by total.
func (r Record) Fraction() (float64, bool) {
	if r.Method == "notifications/progress" && r.Where != inMeta {
		done, reached := probe.NumberOf(r.Params["progress"])
		total, known := probe.NumberOf(r.Params["total"])
		return done / total, reached && known && total > 0
	}
	return r.Number("progress")
}

// Sequence is the number of a chunk.
func (r Record) Sequence() (int, bool) {
	n, ok := r.Fields["sequence"].(json.Number)
	if !ok {
		return 0, false
	}
	return frame.Integer(n.String())
}

// marked reports whether an object has a property that only the extension knows.
func marked(o map[string]any) bool {
	return o["type"] == "progress" ||
		slices.ContainsFunc([]string{"operation_id", "estimated_remaining_seconds", "partial_result", "checkpoint_token"},
			func(name string) bool { return has(o, name) })
}

func has(o map[string]any, name string) bool {
	_, ok := o[name]
	return ok
}

func notifications(seen []probe.Seen) []Record {
	var all []Record
	for _, s := range seen {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			continue
		}
		for _, m := range probe.Singles(s.Message()) {
			if m.Class != frame.Notification {
				continue
			}
			all = append(all, Record{Seen: s, Method: m.Method, Params: probe.ObjectOf(m.Members["params"])})
		}
	}
	return all
}

// Before are the frames of a call that came before its answer.
func Before(reply *probe.Reply, seen []probe.Seen) []probe.Seen {
	answer, ok := reply.Seen()
	if !ok {
		return seen
	}
	i := slices.IndexFunc(seen, func(s probe.Seen) bool { return s.Seq >= answer.Seq })
	if i < 0 {
		return seen
	}
	return seen[:i]
}

// Behind are the frames that came after the answer of a call.
func Behind(reply *probe.Reply, seen []probe.Seen) []probe.Seen {
	return seen[len(Before(reply, seen)):]
}
