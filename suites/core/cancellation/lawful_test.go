package cancellation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestLawful: most servers work on nothing that can be cancelled, and may ignore each
// cancellation.
func TestLawful(t *testing.T) {
	offers := fakeserver.Offers("tools")
	pieces := &steps{given: map[string]bool{}, every: 1, pause: 50 * time.Millisecond, shown: true}
	lawful.Servers(t, "cancellation", []lawful.Row{
		{Name: "cancellations mean nothing to it", Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Reading()}},
		{
			Name: "a slow tool that cannot be cancelled", Over: requirements.Stdio, Config: "roles: {slow-tool: {tool: hours, duration: 50ms}}",
			Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Reading()},
		},
		{
			Name: "tools that are done before a cancellation can come", Over: requirements.Stdio,
			Config: "roles: {slow-tool: {tool: hours, duration: 50ms, cancellable: true, progress: true}}",
			Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Reading()},
		},
		{Name: "one request after the other, and a good second for each", Over: requirements.Stdio, Warned: []string{"ping/prompt"}, Server: &fakeserver.Server{
			Capabilities: offers, Tools: fakeserver.Reading(), Stdio: fakeserver.Stdio{Line: func([]byte, io.Writer) bool {
				time.Sleep(1200 * time.Millisecond)
				return false
			}},
		}},
		{
			Name: "calls that end some reports after their cancellation", Over: requirements.Stdio,
			Config: "roles: {slow-tool: {tool: hours, duration: 1s, cancellable: true, progress: true}}",
			Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Reading(), Stdio: fakeserver.Stdio{
				Line: (&steps{given: map[string]bool{}, every: 3, pause: 100 * time.Millisecond}).line,
			}},
			Judged: []string{"cancellation/no-response", "cancellation/zero-no-response"},
		},
		{
			Name: "an effect in pieces that ends with the cancellation", Over: requirements.Stdio,
			Config: "roles: {slow-tool: {tool: hours, duration: 1s, cancellable: true, progress: true, " +
				"observe: {tool: hours, pointer: /content/0/text, mode: value}}}",
			Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Reading(), Stdio: fakeserver.Stdio{
				Line: pieces.line,
			}},
			Judged: []string{"cancellation/stops-work"},
		},
		{Name: "an error status for cancellations", Over: requirements.HTTP, Server: &fakeserver.Server{
			Capabilities: offers, Tools: fakeserver.Reading(), HTTP: fakeserver.HTTP{Before: refusesCancellations},
		}},
	})
}

func refusesCancellations(w http.ResponseWriter, body []byte) bool {
	if !strings.Contains(string(body), "notifications/cancelled") {
		return false
	}
	http.Error(w, "nothing here can be cancelled", http.StatusBadRequest)
	return true
}

// TestStateless: whether a request or its cancellation comes first is chance, a server may
// answer either way, it need not work on several requests at once, and it may end a
// subscription in two ways.
func TestStateless(t *testing.T) {
	t.Parallel()
	const cancelled = "notifications/cancelled"
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "cancellation" }
	for name, habit := range map[string]*fault.Fault{
		"cancellations are read late": {Inbound: fault.On(cancelled).Verdict(func(fault.Exchange) fault.Verdict {
			return fault.Verdict{Delay: 20 * time.Millisecond}
		})},
		"only calls can be cancelled": {Inbound: fault.On(cancelled).And(func(x fault.Exchange) bool {
			id := fmt.Sprint(x.Param("requestId"))
			return !slices.ContainsFunc(x.Past, func(a fault.Asked) bool { return a.Method == "tools/call" && strings.Trim(string(a.ID), `"`) == id })
		}).Verdict(func(fault.Exchange) fault.Verdict { return fault.Verdict{Instead: true} })},
		"a report crosses the cancellation": {Inbound: fault.On(cancelled).Verdict(reportsOnce)},
		"one request after the other":       {Serial: true},
		"a second export is refused while one runs": {Inbound: fault.Tool("export_log").And(func(x fault.Exchange) bool {
			return x.After("tools/call")
		}).Refuse(-32000, "one at a time")},
		"a subscription ends by its answer alone": {Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
			if m["method"] == cancelled {
				return nil
			}
			return []fault.Message{m}
		}},
	} {
		lawful.Stateless(t, name, page, habit)
	}
}

// reportsOnce sends progress of a call of the slow tool just before its cancellation is read.
func reportsOnce(x fault.Exchange) fault.Verdict {
	for _, asked := range x.Past {
		var call struct {
			Name string
			Meta struct{ ProgressToken any } `json:"_meta"`
		}
		if fmt.Sprint(x.Param("requestId")) != strings.Trim(string(asked.ID), `"`) || json.Unmarshal(asked.Params, &call) != nil || call.Name != "export_log" {
			continue
		}
		return fault.Verdict{Delay: time.Millisecond, Answer: []fault.Message{{
			"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{"progressToken": call.Meta.ProgressToken, "progress": 99},
		}}}
	}
	return fault.Verdict{}
}
