// Package provenance serves the provenance extension: an answer says where its data comes
// from, beside the data. The answer itself stays as it is.
package provenance

import (
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// A Record is one source of an answer.
type Record struct {
	Source         string // where the data is kept, without credentials
	Location       map[string]any
	Version        string
	Confidence     string // exact, derived, estimated or uncertain
	Transformation string // what was done to the data; derived and estimated values need it
}

// Options are the options of the extension.
type Options struct {
	Now     func() time.Time
	Sources map[string][]Record // by tool
	Fault   *fault.Fault        // nil keeps every rule
}

// Switches make the extension misbehave for a fault. The zero Switches keep every rule.
type Switches struct {
	Once bool // only the first answer of a tool names its sources
}

// New returns the extension.
func New(o Options) core.Extension {
	d := &desk{Options: o}
	if o.Fault != nil {
		d.faults, _ = o.Fault.Ext.(Switches) // zero if Ext holds another extension's switches
	}
	return core.Extension{Name: "provenance", Key: Prefix + "provenance", CallTool: d.call}
}

type desk struct {
	Options
	faults Switches
	told   sync.Map // for a fault: the tools that have named their sources
}

func (d *desk) call(call *core.ToolCall, run func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	result, failure := run()
	sources := d.Sources[call.Name]
	if failure != nil || len(sources) == 0 || result["isError"] == true {
		return result, failure
	}
	if _, told := d.told.LoadOrStore(call.Name, true); told && d.faults.Once {
		return result, failure
	}
	meta := result.Object("_meta")
	meta["provenance"] = d.records(sources)
	if call.Modern() {
		meta[Prefix+"provenance"] = d.records(sources)
	}
	return result, nil
}

// records writes the sources of an answer: several as a list.
func (o Options) records(sources []Record) any {
	all := make([]any, len(sources))
	for i, s := range sources {
		record := map[string]any{"source": s.Source, "retrieved_at": o.Now().UTC().Format(time.RFC3339), "confidence": s.Confidence}
		for name, text := range map[string]string{"version": s.Version, "transformation": s.Transformation} {
			if text != "" {
				record[name] = text
			}
		}
		if len(s.Location) > 0 {
			record["location"] = s.Location
		}
		all[i] = record
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}
