// Package together finds requests for cases that send two of them at the same time.
package together

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Rounds is how often the two requests are sent together. Both were answered within Alone
// before; Most is how long an answer is awaited then, also from a server that serves one
// request after the other.
const (
	Rounds = 3
	Alone  = time.Second
	Most   = 3 * time.Second
)

// An Asking is a request that changes nothing, and the result that it gets alone.
type Asking struct {
	Method string
	Params probe.Object
	Result string
}

// A Pair is two requests with different results.
type Pair [2]Asking

// Name tells two calls of tools apart.
func (a Asking) Name() string {
	if tool, ok := a.Params["name"].(string); ok {
		return a.Method + " of " + probe.Show(tool)
	}
	return a.Method
}

// Differing finds two requests with different results, two calls of tools if possible, that
// are each answered within the given time.
func Differing(c *probe.Client, within time.Duration) (pair Pair, ok bool) {
	const most = 4
	var candidates []Asking
	safe := c.Survey().Safe
	for _, call := range safe[:min(len(safe), most)] {
		params := probe.Object{"name": call.Tool, "arguments": probe.Object(call.Arguments)}
		candidates = append(candidates, Asking{Method: "tools/call", Params: params})
	}
	for _, list := range c.Declared() {
		candidates = append(candidates, Asking{Method: list.Method})
	}
	for _, method := range []string{"ping", "server/discover"} { // a revision has one of them
		candidates = append(candidates, Asking{Method: method})
	}
	var found []Asking
	for _, one := range candidates {
		if one.Result = one.steady(c, within); one.Result == "" || len(found) == 1 && one.Result == found[0].Result {
			continue
		}
		if found = append(found, one); len(found) == len(pair) {
			return Pair(found), true
		}
	}
	return pair, false
}

// Steady reports whether the request alone still gets the same result within the given time.
func (a Asking) Steady(c *probe.Client, within time.Duration) bool {
	return a.steady(c, within) == a.Result
}

// steady is the result of a request, if two requests get the same one promptly.
func (a Asking) steady(c *probe.Client, within time.Duration) string {
	var results [2]string
	for i := range results {
		reply := c.Call(a.Method, a.Params, probe.Within(within))
		if !reply.Served() {
			return ""
		}
		results[i] = Essence(reply.Message())
	}
	if results[0] != results[1] {
		return ""
	}
	return results[0]
}

// Essence is a result without its metadata, which may differ each time; empty for an error.
func Essence(m frame.Message) string {
	value, _ := m.At("/result")
	result := probe.ObjectOf(value)
	if result == nil {
		return ""
	}
	return probe.JSON(probe.Object(result).Without("_meta"))
}
