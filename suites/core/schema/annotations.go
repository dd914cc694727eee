package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// onAnnotations judges the annotations in results, each by itself. Those of
// tools are of another type and left alone.
func onAnnotations(judge shapes.Judge) func() probe.Watcher {
	annotated := protocol.Annotated()
	return probe.OnResults(slices.Collect(maps.Keys(annotated)), func(a probe.Answer) probe.Opinion {
		said := probe.Nothing()
		place := annotated[a.Request.Method]
		items, _ := a.Value(place.Array).([]any)
		for i := range items {
			pointer := place.Array + "/" + strconv.Itoa(i) + place.Inner + "/annotations"
			if _, ok := a.At(pointer); ok {
				said = said.And(judge(a.Message, pointer))
			}
		}
		return said
	})
}

func annotationParts() []suite.Part {
	annotated := protocol.Annotated()
	var parts []suite.Part
	for _, method := range slices.Sorted(maps.Keys(annotated)) {
		place := annotated[method]
		array := strings.TrimPrefix(place.Array, "/result")
		parts = append(parts, suite.Part{Of: method, At: array + "/*" + place.Inner + "/annotations"})
	}
	return parts
}
