package discover_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A tool that says that it takes its time, asks the client for something or fails is called
// for a role only where no other one fits.
func TestSlowToolsComeLast(t *testing.T) {
	t.Parallel()
	const number = `{"type":"object","properties":{"n":{"type":"integer"}}}`
	swift := tool("other", required(`{"type":"integer"}`))
	said := func(name, member string) string {
		return `{"name":"` + name + `",` + member + `,"annotations":{"readOnlyHint":true},"inputSchema":` + number + `}`
	}
	for name, row := range map[string]struct {
		tools []string
		want  string
	}{
		"a name":              {[]string{tool("slow_report", number), swift}, "other"},
		"a name with a hump":  {[]string{tool("simulateDelay", number), swift}, "other"},
		"a verb":              {[]string{tool("wait-for-job", number), swift}, "other"},
		"a description":       {[]string{said("crunch", `"description":"A long-running job. Sleeps 5 s."`), swift}, "other"},
		"some words":          {[]string{said("crunch", `"description":"Crunches numbers for a while"`), swift}, "other"},
		"a number of seconds": {[]string{said("crunch", `"description":"Crunches numbers; takes about 30 seconds."`), swift}, "other"},
		"milliseconds":        {[]string{said("crunch", `"description":"Takes some 30 milliseconds."`), swift}, "crunch"},
		"no words of that":    {[]string{said("crunch", `"description":"Takes numbers, for a whole list"`), swift}, "crunch"},
		"a title":             {[]string{said("crunch", `"title":"Long running job"`), swift}, "other"},
		"the order is no use": {[]string{swift, tool("slow_report", number)}, "other"},
		"a question":          {[]string{said("greet", `"description":"Greets. Asks the user for a name."`), swift}, "other"},
		"an elicitation":      {[]string{tool("elicitName", number), swift}, "other"},
		"slow, or a question": {[]string{tool("elicit_name", number), tool("slow_report", number)}, "slow_report"},
		"a word of users":     {[]string{said("count", `"description":"Counts the users who asked."`), swift}, "count"},
		"another word":        {[]string{tool("list_waiters", number), swift}, "list_waiters"},
		"roots":               {[]string{tool("get_roots_list", number), swift}, "other"},
		"a failure":           {[]string{tool("fail", number), swift}, "other"},
		"a failure, or slow":  {[]string{tool("fail_always", number), tool("slow_report", number)}, "slow_report"},
		"a failure, or asks":  {[]string{tool("elicit_name", number), tool("fail", number)}, "fail"},
		"an exception":        {[]string{said("crunch", `"description":"Raises an exception, to try clients."`), swift}, "other"},
		"a list of failures":  {[]string{tool("list_fails", number), swift}, "list_fails"},
		"raising a number":    {[]string{said("crunch", `"description":"Raises a number to a power."`), swift}, "crunch"},
		"no other":            {[]string{tool("slow_report", number)}, "slow_report"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := discover.Fill(roles.NewSet(roles.Known()), listed(t, row.tools...), false, false)
			for _, role := range []roles.Name{roles.ReadOnlyTool, roles.InvalidInput} {
				if filled, _ := set.Role(role); filled.Fields.Text("tool") != row.want {
					t.Errorf("%s is filled with %v, want %s", role, filled.Fields, row.want)
				}
			}
		})
	}
}

// Some cases stop at the first tool that does not answer, so the tools that say that they may
// not are the last ones.
func TestSafeToolsInOrder(t *testing.T) {
	t.Parallel()
	const number = `{"type":"object","properties":{"n":{"type":"integer"}}}`
	s := listed(t, tool("ask_user", number), tool("fail", number), tool("long_time", number), tool("zebra", number), tool("yak", number))
	var got []string
	for _, call := range discover.ReadOnly(s.Lists["tools/list"]) {
		got = append(got, call.Tool)
	}
	if want := []string{"yak", "zebra", "long_time", "fail", "ask_user"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
