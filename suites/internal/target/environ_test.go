package target_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

// What belongs to the job of a build server is not the server's; all else is.
func TestForServer(t *testing.T) {
	t.Parallel()
	ours := []string{
		"PATH=/bin", "HOME=/h", "GITHUB_TOKEN=t", "GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=/w", "CI=true", "GITHUB_PATHS=x", "BASH_ENV=/b", "EMPTY=", "=C:=C:\\",
	}
	of := []string{
		"GITHUB_ENV=/e", "GITHUB_PATH=/p", "GITHUB_OUTPUT=/o", "GITHUB_STATE=/s", "GITHUB_STEP_SUMMARY=/m", "GITHUB_ACTION_PATH=/a", "FORGEJO_OUTPUT=/o",
		"GITEA_ENV=/e", "GITLAB_ENV=/e", "ACTIONS_RUNTIME_TOKEN=t", "ACTIONS_ID_TOKEN_REQUEST_URL=u", "RUNNER_TEMP=/t", "MCP_CONFORM=/k",
		"MCP_CONFORM_HEADER_1=secret", "BUILDKITE_ENV_FILE=/b", "BUILDKITE_AGENT_ACCESS_TOKEN=t", "BITBUCKET_PIPELINES_VARIABLES_PATH=/v",
		"TEAMCITY_BUILD_PROPERTIES_FILE=/p", "ENVMAN_ENVSTORE_PATH=/e", "CIRCLE_OIDC_TOKEN=t",
	}
	if diff := cmp.Diff(ours, target.ForServer(append(of, ours...))); diff != "" {
		t.Error(diff)
	}
	circle := []string{"BASH_ENV=/b", "CIRCLECI=true"}
	if diff := cmp.Diff(circle[1:], target.ForServer(circle)); diff != "" {
		t.Error(diff)
	}
}

// A server gets what its settings name, and a command of the user's own gets everything.
func TestLaunchLeavesOut(t *testing.T) {
	t.Setenv("GITHUB_ENV", "/of/the/job")
	t.Setenv("GITHUB_OUTPUT", "/of/the/job/too")
	for _, row := range []struct {
		name    string
		command target.Command
		want    string
	}{
		{"a server", target.Command{}, "[] []"},
		{"a server that names one", target.Command{Env: []string{"GITHUB_ENV=mine"}}, "[mine] []"},
		{"the user's own", target.Command{Trusted: true}, "[/of/the/job] [/of/the/job/too]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := row.command
			c.Argv, c.Env = []string{os.Args[0]}, append(c.Env, childEnv+"=environment", "GORACE=atexit_sleep_ms=0")
			p, err := c.Launch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out, err := io.ReadAll(p.Stdout)
			<-p.Done()
			if got := strings.TrimSpace(string(out)); got != row.want || err != nil {
				t.Errorf("the process has %s, %v, want %s", got, err, row.want)
			}
		})
	}
}
