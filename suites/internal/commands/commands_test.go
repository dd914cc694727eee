package commands_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/commands"
)

// What a command leaves in the background may hold its output open. An action is over
// with its command.
func TestActionLeavesSomethingBehind(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	runner := commands.Runner{Timeout: 3 * time.Second}
	if err := runner.Act(t.Context(), []string{"sh", "-c", "sleep 20 & exit 0"}); err != nil {
		t.Error(err)
	}
	if err := runner.Act(t.Context(), []string{"sh", "-c", "exit 3"}); err == nil || !strings.Contains(err.Error(), "exit code 3") {
		t.Errorf("got %v, want the exit code", err)
	}
	token, err := runner.Token(t.Context(), []string{"sh", "-c", "echo ${scope}-of-tides"}, "read", "http://h/mcp")
	if err != nil || token != "read-of-tides" {
		t.Errorf("got %q, %v", token, err)
	}
	for _, printed := range []string{"", "two words", "a line, and another\\n"} {
		if token, err := runner.Token(t.Context(), []string{"sh", "-c", "printf '" + printed + "'"}, "read", ""); err == nil {
			t.Errorf("%q was taken as the token %q", printed, token)
		}
	}
}
