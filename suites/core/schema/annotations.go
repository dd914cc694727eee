package schema

import (
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// An annotations watcher finds the annotations in what the server answers and
// judges each by itself. Those of tools are of another type and left alone.
type annotations struct {
	bound probe.Bound
	judge func(s probe.Seen, pointer string, value any) (judged bool, problem string)
}

func (w *annotations) See(s probe.Seen) (judged bool, v *probe.Violation) {
	m, ok := w.bound.Message(s)
	if !ok || m.Class != frame.Result || s.Schemas == nil {
		return false, nil
	}
	s.Revision = w.bound.Revision()
	for _, holder := range holders(s.Request.Method, m) {
		value, ok := m.At(holder + "/annotations")
		if !ok {
			continue
		}
		applies, problem := w.judge(s, holder+"/annotations", value)
		judged = judged || applies
		if problem != "" {
			return true, s.Break(problem)
		}
	}
	return judged, nil
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

func fitting(s probe.Seen, pointer string, value any) (judged bool, problem string) {
	problem, err := probe.Misfit(s.Schemas, string(s.Revision), "Annotations", pointer, value)
	return err == nil, problem
}

// A timestamp of another type is the business of the schema.
func dated(_ probe.Seen, pointer string, value any) (judged bool, problem string) {
	members, _ := value.(map[string]any)
	text, ok := members["lastModified"].(string)
	if !ok {
		return false, ""
	}
	if !iso8601(text) {
		return true, probe.Place(pointer+"/lastModified") + " is " + probe.Show(text) + ", want a time in ISO 8601"
	}
	return true, ""
}
