package resources_test

import (
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	offers := fakeserver.Offers("resources")
	lawful.Servers(t, "resources", []lawful.Row{
		{Name: "no resources at all", Server: &fakeserver.Server{Capabilities: offers}},
		{Name: "resources without descriptions", Server: &fakeserver.Server{Capabilities: offers, Resources: logs(3)}},
		{Name: "a thousand resources", Server: &fakeserver.Server{Capabilities: offers, Resources: logs(1000)}},
		{Name: "extra properties everywhere", Server: &fakeserver.Server{Capabilities: offers, Resources: logs(2), Extra: true}},
		{Name: "an empty list that is not declared", Server: &fakeserver.Server{Answer: fakeserver.Answers{
			"resources/list": func(fakeserver.Request) any { return map[string]any{"resources": []any{}} },
		}}},
		{Name: "where the resources are cannot be reached", Server: &fakeserver.Server{Capabilities: offers, Answer: fakeserver.Answers{
			"resources/list": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32603, Message: "no such host"} },
		}}},
	})
}

// A list that changes by itself shows nothing of connections, of what was asked on them,
// or of items that are there twice.
func TestChangingLists(t *testing.T) {
	t.Parallel()
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "resources" }
	var asked atomic.Int64
	lawful.Stateless(t, "another resource each time", page, &fault.Fault{
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method != "resources/list" {
				return items
			}
			return slices.Insert(items, 0, fault.Message{"uri": fmt.Sprint("harbour://log/", asked.Add(1)), "name": "A line of the log"})
		},
	})
	t.Run("newest first, in pages", func(t *testing.T) {
		t.Parallel()
		server := newestFirst()
		lawful.NothingSaid(t, lawful.Judge(t, &suites.Local{Serve: server.Serve}, page))
	})
}

// logs are resources, the newest first.
func logs(n int) []map[string]any {
	all := make([]map[string]any, n)
	for i := range all {
		at := strconv.Itoa(n - i)
		all[i] = map[string]any{"uri": "harbour://log/" + at, "name": "line " + at}
	}
	return all
}

// newestFirst has one line more at each request, so that the next page begins with the
// last line of the page before.
func newestFirst() *fakeserver.Server {
	var lines atomic.Int64
	lines.Store(6)
	return &fakeserver.Server{Capabilities: fakeserver.Offers("resources"), Answer: fakeserver.Answers{"resources/list": func(r fakeserver.Request) any {
		all := logs(int(lines.Add(1)))
		cursor, _ := r.Params["cursor"].(string)
		from, _ := strconv.Atoi(cursor)
		if from+3 >= len(all) {
			return map[string]any{"resources": all[min(from, len(all)):]}
		}
		return map[string]any{"resources": all[from : from+3], "nextCursor": strconv.Itoa(from + 3)}
	}}}
}
