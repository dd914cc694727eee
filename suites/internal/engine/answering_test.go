package engine_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/engine"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/record"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// all are the read-only tools of reading.
const all = "alpha bravo charlie"

// reading is a server with the read-only tools alpha, bravo and charlie, of which discovery
// chooses alpha by what is listed. The answer is that of the tools in fails; the others work.
func reading(fails string, answer func(fakeserver.Request) any) *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"),
		Tools: []map[string]any{
			fakeserver.Tool("acts", false), fakeserver.Tool("charlie", true), fakeserver.Tool("bravo", true), fakeserver.Tool("alpha", true),
		},
		Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
			if slices.Contains(strings.Fields(fails), probe.TextOf(r.Params["name"])) {
				return answer(r)
			}
			return fakeserver.Text("done")
		}},
	}
}

func refused(fakeserver.Request) any { return &fakeserver.Error{Code: -32602, Message: "no such id"} }

func silent(fakeserver.Request) any { return fakeserver.Silence{} }

// Where a call of the chosen tool fails with arguments that are made up, the cases call the next
// tool that works, and the report says why.
func TestReadOnlyToolWorks(t *testing.T) {
	t.Parallel()
	asks := func(fakeserver.Request) any { return map[string]any{"resultType": "input_required"} }
	configured := roles.Filled{Name: roles.ReadOnlyTool, Source: roles.Config, Fields: roles.Fields{
		"tool": "alpha", "arguments": map[string]any{"text": "any"},
	}}
	dying := reading("", nil)
	dying.Stdio.Exit = func(r fakeserver.Request) bool { return r.Params["name"] == "alpha" }
	for name, row := range map[string]struct {
		server *fakeserver.Server
		given  []roles.Filled
		need   suite.Need // zero: the role
		want   string     // the tool of the role
		called []string   // by discovery
	}{
		"the first works":            {server: reading("", nil), want: "alpha", called: []string{"alpha"}},
		"the first is flagged":       {server: reading("alpha", fakeserver.Flagged), want: "bravo", called: []string{"alpha", "bravo"}},
		"the first is refused":       {server: reading("alpha", refused), want: "bravo", called: []string{"alpha", "bravo"}},
		"the first asks":             {server: reading("alpha", asks), want: "bravo", called: []string{"alpha", "bravo"}},
		"two fail":                   {server: reading("alpha bravo", refused), want: "charlie", called: strings.Fields(all)},
		"all fail":                   {server: reading(all, refused), want: "alpha", called: strings.Fields(all)},
		"the first ends the process": {server: dying, want: "alpha"}, // the server keeps no call that ends it
		"the configuration names it": {server: reading("alpha", refused), given: []roles.Filled{configured}, want: "alpha"},
		"no case may call it":        {server: reading("alpha", refused), need: suite.Opening(), want: "alpha"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.need.Any == nil {
				row.need = suite.Role(roles.ReadOnlyTool)
			}
			var call *probe.ToolCall
			p := plan(t, row.server, suite.Case{
				ID: "try/role", Needs: []suite.Need{row.need}, Proves: []suite.Need{suite.Role(roles.ReadOnlyTool)},
				Run: func(c *probe.Client) error {
					call = c.Role(roles.ReadOnlyTool).Call()
					return nil
				},
			})
			p.Config.Roles = roles.NewSet(roles.Known(), row.given...)
			_, found := gather(t, p)
			if diff := cmp.Diff(row.called, row.server.Called()); diff != "" {
				t.Errorf("the calls of discovery differ (-want +got):\n%s", diff)
			}
			f := found["try/role"]
			if call == nil || call.Tool != row.want || call.Arguments["text"] == nil {
				t.Errorf("the cases call %+v, want %s; the finding is %s %+v", call, row.want, f.Status, f.Reason)
			}
			says := slices.ContainsFunc(f.Notes, func(note string) bool {
				return strings.Contains(note, "discovery chose "+probe.Show(row.want)) && strings.Contains(note, `"alpha"`)
			})
			if says != (row.want != "alpha") {
				t.Errorf("the cases call %s, and the notes are %q", row.want, f.Notes)
			}
		})
	}
}

// A server whose tools hang or are slow keeps discovery waiting once, and one that is slow as a
// whole is asked nothing more than its lists. The first tool stays where no other was seen to work.
func TestReadOnlyToolIsAwaitedShortly(t *testing.T) {
	t.Parallel()
	takes := func(long time.Duration) func(fakeserver.Request) any {
		return func(r fakeserver.Request) any {
			time.Sleep(long)
			return refused(r)
		}
	}
	for name, row := range map[string]struct {
		server *fakeserver.Server
		slow   time.Duration // every answer
		want   time.Duration // the calls of discovery
		called []string
	}{
		"the first never answers": {server: reading("alpha", silent), want: 2 * time.Second, called: []string{"alpha"}},
		"a failure, and silence": {
			server: reading("alpha bravo", func(r fakeserver.Request) any {
				if r.Params["name"] == "alpha" {
					return takes(500 * time.Millisecond)(r)
				}
				return silent(r)
			}),
			want: 2 * time.Second, called: []string{"alpha", "bravo"},
		},
		"all fail late": {
			server: reading(all, takes(900*time.Millisecond)), want: 2 * time.Second, called: strings.Fields(all),
		},
		"the server is slow": {server: reading("alpha", silent), slow: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				took := func(roles roles.Set) time.Duration {
					p := plan(t, row.server, suite.Case{ID: "try/role", Needs: []suite.Need{suite.Capability("tools")}, Run: passes})
					p.Config.Roles = roles
					row.server.Edit = func(text string) string {
						time.Sleep(row.slow)
						return text
					}
					began := time.Now()
					run, err := engine.Begin(t.Context(), p)
					if err != nil {
						t.Fatal(err)
					}
					defer run.Close(t.Context())
					return time.Since(began)
				}
				without := took(roles.Set{}) // that knows no role
				with := took(roles.NewSet(roles.Known()))
				if diff := cmp.Diff(row.called, row.server.Called()); diff != "" {
					t.Errorf("the calls of discovery differ (-want +got):\n%s", diff)
				}
				if with-without != row.want {
					t.Errorf("the calls of discovery took %s, want %s", with-without, row.want)
				}
			})
		})
	}
}

// A replay comes to the same tool, although it waits for nothing.
func TestReadOnlyToolInAReplay(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		takes time.Duration // a call of a tool
		want  string
	}{
		"in time":  {time.Millisecond, "bravo"},
		"too late": {1900 * time.Millisecond, "alpha"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var tool string
				p := plan(t, reading(all, func(r fakeserver.Request) any {
					time.Sleep(row.takes)
					if r.Params["name"] == "alpha" {
						return refused(r)
					}
					return fakeserver.Text("done")
				}), suite.Case{ID: "try/role", Needs: []suite.Need{suite.Role(roles.ReadOnlyTool)}, Run: func(c *probe.Client) error {
					tool = c.Role(roles.ReadOnlyTool).Call().Tool
					return nil
				}})
				p.Config.Roles, p.Record = roles.NewSet(roles.Known()), record.New()
				p.Ways[0].Record = p.Record
				gather(t, p)
				if tool != row.want {
					t.Errorf("the run chose %s, want %s", tool, row.want)
				}
				var written bytes.Buffer
				p.Record.Over(nil)
				if err := p.Record.Write(&written, nil); err != nil {
					t.Fatal(err)
				}
				recording, err := record.Read(&written)
				if err != nil {
					t.Fatal(err)
				}
				p.Record, p.Ways[0].Record, p.Replay, p.Ways[0].Replay = nil, nil, recording, recording
				if gather(t, p); tool != row.want {
					t.Errorf("the replay chose %s, want %s", tool, row.want)
				}
			})
		})
	}
}
