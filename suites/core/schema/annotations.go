package schema

import (
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// An annotations watcher finds the annotations in what the server answers and
// judges each by itself. Those of tools are of another type and left alone.
type annotations struct {
	bound probe.Binding
	judge func(s probe.Seen, pointer string, value any) probe.Opinion
}

func (w *annotations) See(s probe.Seen) probe.Opinion {
	said := probe.Nothing()
	m, ok := w.bound.Message(s)
	if !ok || m.Class != frame.Result || s.Schemas == nil {
		return probe.Nothing()
	}
	s.Revision = w.bound.Revision()
	for _, holder := range holders(s.Request.Method, m) {
		value, ok := m.At(holder + "/annotations")
		if !ok {
			continue
		}
		said = said.And(w.judge(s, holder+"/annotations", value))
	}
	return said
}

// holders are the places in a result whose objects may be annotated.
func holders(method string, m frame.Message) []string {
	list := map[string]string{
		"resources/list": "/result/resources", "resources/templates/list": "/result/resourceTemplates",
		"tools/call": "/result/content", "prompts/get": "/result/messages",
	}[method]
	items, _ := m.At(list)
	all, _ := items.([]any)
	if list == "" || len(all) == 0 {
		return nil
	}
	inner := map[string]string{"prompts/get": "/content"}[method]
	places := make([]string, len(all))
	for i := range all {
		places[i] = list + "/" + strconv.Itoa(i) + inner
	}
	return places
}

func fitting(s probe.Seen, pointer string, value any) probe.Opinion {
	return probe.Fits(probe.SchemaProblem(s.Schemas, string(s.Revision), "Annotations", pointer, value))
}

// A timestamp of another type is the business of the schema.
func dated(_ probe.Seen, pointer string, value any) probe.Opinion {
	members, _ := value.(map[string]any)
	text, ok := members["lastModified"].(string)
	if !ok {
		return probe.Nothing()
	}
	if !iso8601(text) {
		return probe.Breaks("%s is %s, want a time in ISO 8601", probe.Place(pointer+"/lastModified"), probe.Show(text))
	}
	return probe.Kept()
}
