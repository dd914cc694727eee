package completion

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func valuesMaxFaults() []fault.Fault {
	reply := fault.Changes(fault.Set(complete, "/result/completion/values", berths(101)), fault.Drop(complete, "/result/completion/total"))
	written := typed(func(value any) bool { text, _ := value.(string); return text != "" })
	return []fault.Fault{
		{Name: "completion-101-values", Title: "101 values are suggested at once", Breaks: "completion-max-100", Reply: reply},
		{
			Name: "completion-101-values-legacy", Title: "101 values are suggested at once, after a handshake",
			Breaks: "completion-max-100-legacy", Reply: reply,
		},
		{
			Name: "completion-101-values-typed", Title: "101 values are suggested once something is typed", Breaks: "completion-max-100",
			Reply: fault.Changes(written.Set("/result/completion/values", berths(101)), written.Drop("/result/completion/total")),
		},
	}
}

// berths are the names of so many berths.
func berths(n int) []any {
	names := make([]any, n)
	for i := range names {
		names[i] = fmt.Sprintf("B%d", i+1)
	}
	return names
}
