package idempotency_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A yard books berths, once for each key, and takes whatever arguments are there.
type yard struct {
	mu     sync.Mutex
	booked map[string]int
	kept   map[string]any
	refuse func(key string) bool // calls that get an error
	idle   func(key string) bool // calls that are answered without an effect
}

func (y *yard) call(r fakeserver.Request) any {
	y.mu.Lock()
	defer y.mu.Unlock()
	arguments, _ := r.Params["arguments"].(map[string]any)
	meta, _ := r.Params["_meta"].(map[string]any)
	key, _ := meta["idempotency_key"].(string)
	vessel, named := arguments["vessel"].(string)
	said := func(text string, wrong bool) any {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": wrong}
	}
	switch {
	case r.Params["name"] == "list":
		return map[string]any{"content": []any{}, "structuredContent": map[string]any{"total": y.booked[vessel]}}
	case !named:
		return said("vessel is missing", true)
	case y.refuse != nil && y.refuse(key):
		return said("not now", true)
	case y.kept[key] != nil:
		return y.kept[key]
	}
	if y.idle == nil || !y.idle(key) {
		y.booked[vessel]++
	}
	answer := said(fmt.Sprintf("berth %d of %s", y.booked[vessel], vessel), false)
	if key != "" {
		y.kept[key] = answer
	}
	return answer
}

// A role with wrong arguments, or with an observer that looks elsewhere, is a mistake of
// the file: nothing is failed for it. A server that treats calls with a key worse is.
func TestMistakenRole(t *testing.T) {
	t.Parallel()
	const right, there = `vessel: "kit-${nonce}"`, `vessel: "kit-${nonce}"`
	keyed, plain := func(key string) bool { return key != "" }, func(key string) bool { return key == "" }
	for name, row := range map[string]struct {
		yard                *yard
		arguments, observed string
		first, optional     string // the status of the case, or the text of its skip
	}{
		"right":                 {&yard{}, right, there, "pass", "pass"},
		"another argument":      {&yard{}, `vesel: "kit-${nonce}"`, there, "a.yaml:4: book refuses", "a.yaml:4: book refuses"},
		"looks elsewhere":       {&yard{}, right, "vessel: other", "a.yaml:4: the observer", "a.yaml:4: the observer"},
		"keys are refused":      {&yard{refuse: keyed}, right, there, "fail", "pass"},
		"a key is demanded":     {&yard{refuse: plain}, right, there, "pass", "fail"},
		"keys have no effect":   {&yard{idle: keyed}, right, there, "fail", "pass"},
		"only keys have effect": {&yard{idle: plain}, right, there, "pass", "fail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := row.yard
			y.booked, y.kept = map[string]int{}, map[string]any{}
			yaml := "claims: [idempotency]\nroles:\n  state-change:\n    tool: book\n    arguments: {" + row.arguments +
				"}\n    observe: {tool: list, arguments: {" + row.observed + "}, pointer: /structuredContent/total}\n"
			cfg, err := config.Parse("a.yaml", []byte(yaml), nil, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			server := &fakeserver.Server{
				Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{
					{"name": "book", "inputSchema": map[string]any{"type": "object"}},
					{"name": "list", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true}},
				},
				Answer: fakeserver.Answers{"tools/call": y.call},
			}
			report := proof.Judge(t, plan.Plan{
				Config: cfg, Local: &plan.Local{Serve: server.Serve}, Suites: []suite.Suite{idempotency.Suite()}, Seed: 1,
			})
			mistaken := strings.HasPrefix(row.first, "a.yaml")
			for _, f := range report.Findings {
				if mistaken && f.Status != reports.Skip {
					t.Errorf("%s: %s: %s, want a skip", f.Case, f.Status, f.Problem)
				}
				want := map[string]string{"ext-idempotency/first-runs": row.first, "ext-idempotency/optional": row.optional}[f.Case]
				got := string(f.Status)
				if f.Status == reports.Skip {
					got = f.Reason.Text
				}
				if !strings.HasPrefix(got, want) {
					t.Errorf("%s: got %s %s, want %s", f.Case, got, f.Problem, want)
				}
			}
			if len(report.Findings) == 0 {
				t.Errorf("nothing was judged: %s", report.Verdict.Text)
			}
		})
	}
}
