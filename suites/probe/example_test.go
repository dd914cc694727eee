package probe_test

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A watcher sees the results of a method, whichever case asked for them. Its
// judge returns an opinion; the watcher adds the frames.
func ExampleOnResult() {
	watch := probe.OnResult("tools/call", func(a probe.Answer) probe.Opinion {
		failed, ok := a.Result["isError"]
		switch failed.(type) {
		case bool:
			return probe.Kept()
		case nil:
			if !ok {
				return probe.Nothing()
			}
		}
		return probe.Breaks("$.result.isError is %s, want true or false", probe.Show(failed))
	})
	fmt.Println(watch() != nil) // the Watch of a suite.Case; each connection has its own watcher
	// Output: true
}

// A check of every item of a list is the Run of a case.
func ExampleEachItem() {
	run := probe.EachItem(protocol.Tools(), func(_ *probe.Client, tool probe.Item) probe.Opinion {
		if text, ok := tool.Get("description").(string); ok && text != "" {
			return probe.Kept()
		}
		return probe.Breaks("%s is %s, want a description", tool.Where("description"), probe.Show(tool.Get("description")))
	})
	fmt.Println(run != nil)
	// Output: true
}
