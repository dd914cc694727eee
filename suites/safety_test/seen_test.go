package safety_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The policy notices each forbidden message by its text on the wire.
func TestHarmIsSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"method":"tools/call","params":{"name":"look"}}`:                                                     "",
		`{"method":"tools/call","params":{"name":"look","arguments":{"any":"thing"}}}`:                         "",
		`{"method":"tools/call","params":{"name":"no_such_tool"}}`:                                             "",
		`{"method":"tools/call","params":{"name":"test_error_handling"}}`:                                      "",
		`{"method":"tools/call","params":{"name":7}}`:                                                          "",
		`{"method":"tools/call","params":{"name":"delete_all"}}`:                                               "the tool delete_all is called",
		`{"method":"tools/call","params":{"name":"delete_\u0061ll"}}`:                                          "the tool delete_all is called",
		`{"method":"tools/call","params":{"name":"twice"}}`:                                                    "the tool twice is called",
		`{"method":"tools/call","params":{"name":"says_so_as_text"}}`:                                          "the tool says_so_as_text is called",
		`{"method":"tools/call","params":{"name":"test_simple_text"}}`:                                         "the tool test_simple_text is called",
		`{"method":"tools/call","params":{"name":"LOOK"}}`:                                                     `the tool Look is called as "LOOK"`,
		`{"method":"tools/call","params":{"name":" Delete_All"}}`:                                              `the tool delete_all is called as " Delete_All"`,
		`{"method":"ping"},{"method":"tools/call","params":{"name":"delete_all"}`:                              "a broken message names the tool delete_all",
		`[{"method":"ping"},{"method":"tools/call","params":{"name":"delete_all"}}]`:                           "the tool delete_all is called",
		`{"method":"tools/call","params":{"name":"begin_transaction","arguments":{"transaction_id":"kit-1"}}}`: "",
		`{"method":"tools/call","params":{"name":"import_from_ref"}}`:                                          "the tool import_from_ref, which is not listed is called",
		`{"method":"transaction/begin","params":{"transaction_id":"kit-1"}}`:                                   "",
		`{"method":"transaction/commit","params":{"transaction_id":"order-1"}}`:                                `transaction_id is "order-1", which is not the kit's own`,
		`{"method":"transaction/step","params":{"transaction_id":"kit-1"}}`:                                    "transaction/step is called",
		`{"method":"scopes/negotiate","params":{"requested_scopes":["nope:x"]}}`:                               "",
		`{"method":"scopes/negotiate","params":{"requested_scopes":["write:all"]}}`:                            "scopes/negotiate requests [write:all]",
		`{"method":"resources/subscribe","params":{"uri":"test://static-text"}}`:                               "",
		`{"method":"import_from_ref"}`:                                                                         "import_from_ref is called",
		`{"method":"resume","params":{"checkpoint_token":"kit-x"}}`:                                            "",
		`{"method":"resume","params":{"checkpoint_token":"given"}}`:                                            `checkpoint_token is "given", which is not the kit's own`,
		`{"method":"permissions/check","params":{"tool":"delete_all","scopes_held":[]}}`:                       "",
		`{"id":1,"result":{}}`: "",
	} {
		listed := offer{}
		for _, tool := range tools() {
			listed.add([]any{tool})
		}
		if got := listed.judge(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// The recorder notices a case with a forbidden call over both transports.
func TestHarmIsRecorded(t *testing.T) {
	t.Parallel()
	harm := suite.Suite{Name: "harm", Title: "something is deleted", Cases: []suite.Case{{
		ID: "harm/delete", Title: "all is deleted", Checks: []requirements.ID{"ping-empty-result"}, Fix: "delete nothing",
		Run: func(c *probe.Client) error {
			c.Call("tools/call", probe.Object{"name": "delete_all", "arguments": probe.Object{}})
			return nil
		},
	}}}
	s := (&temptation{}).server()
	local := &suites.Local{Serve: s.Serve, Handler: s.Handler(), Path: "/mcp"}
	sent, listed, _ := run(t, local, config.Revisions{Dates: []string{"2025-11-25"}}, suites.Plan{Suites: []suite.Suite{harm}})
	problems, _ := listed.judgeAll(sent)
	if got := problems["the tool delete_all is called"]; got != 2 || len(problems) != 1 {
		t.Errorf("got %v, want the call once over each transport", problems)
	}
}
