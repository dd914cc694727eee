package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// onAnnotations judges each annotation in a result by itself. It leaves out the
// annotations of tools, which have another type.
func onAnnotations(judge func(a probe.Answer, pointer string) probe.Opinion) func() probe.Watcher {
	annotated := protocol.Annotated()
	return probe.OnResults(slices.Collect(maps.Keys(annotated)), func(a probe.Answer) probe.Opinion {
		said := probe.Nothing()
		place := annotated[a.Request.Method]
		items, _ := a.Value(place.Array).([]any)
		for i := range items {
			pointer := place.Array + "/" + strconv.Itoa(i) + place.Inner + "/annotations"
			if _, ok := a.At(pointer); ok {
				said = said.And(judge(a, pointer))
			}
		}
		return said
	})
}

func annotationsFit(a probe.Answer, pointer string) probe.Opinion {
	return a.Fits("Annotations", pointer)
}

// lastModified passes over values that are not strings; the schema judges those.
func lastModified(a probe.Answer, pointer string) probe.Opinion {
	pointer += "/lastModified"
	text, ok := a.Value(pointer).(string)
	if !ok {
		return probe.Nothing()
	}
	if !iso8601(text) {
		return probe.Breaks("%s is %s, want a time in ISO 8601", a.Where(pointer), probe.Show(text))
	}
	return probe.Kept()
}
