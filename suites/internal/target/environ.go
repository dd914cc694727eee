package target

import (
	"runtime"
	"slices"
	"strings"
)

// ForServer returns an environment without what lets a server act on the job of a build
// server that judges it: the files by which the steps of a job pass on variables, outputs
// and their summary, the folder of these files, the credentials of the job's own agent,
// and what the kit's own action passes on to the kit. A server that needs one of them gets
// it by its own settings.
func ForServer(environ []string) []string {
	circle := slices.ContainsFunc(environ, func(pair string) bool { return strings.HasPrefix(pair, "CIRCLECI=") })
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		if runtime.GOOS == "windows" { // names there have no case
			name = strings.ToUpper(name)
		}
		// CircleCI runs this file at the begin of each step. Elsewhere it is the user's.
		return ofJob(name) || circle && name == "BASH_ENV"
	})
}

// ofJob reports whether a variable belongs to the job, and not to what the job runs.
func ofJob(name string) bool {
	for _, prefix := range []string{"GITHUB_", "GITEA_", "FORGEJO_", "GITLAB_"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return slices.Contains([]string{"ENV", "PATH", "OUTPUT", "STATE", "STEP_SUMMARY", "ACTION_PATH"}, rest)
		}
	}
	if strings.HasPrefix(name, "ACTIONS_") || strings.HasPrefix(name, "MCP_CONFORM") {
		return true
	}
	return slices.Contains([]string{
		"RUNNER_TEMP",
		"BUILDKITE_ENV_FILE", "BUILDKITE_ENV_JSON_FILE", "BUILDKITE_AGENT_ACCESS_TOKEN",
		"BITBUCKET_PIPELINES_VARIABLES_PATH", "TEAMCITY_BUILD_PROPERTIES_FILE", "ENVMAN_ENVSTORE_PATH",
		"CIRCLE_OIDC_TOKEN", "CIRCLE_OIDC_TOKEN_V2",
	}, name)
}
