package config_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// Of the script of a shell only the secrets are hidden: readers copy the command.
func TestScripts(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`exec server --listen http://localhost:8080/mcp "$@"`:          "",
		`API_URL=https://h/v1 exec server "$@"`:                        "",
		`exec server --url=http://h:9/"$@"`:                            "",
		`curl http://h/ready; exec server 'a@b' $@`:                    "",
		`DB_PASSWORD="$MINE" exec server --token ${MINE} "$@"`:         "",
		`API_TOKEN=hunter22 exec server "$@"`:                          `API_TOKEN=[redacted] exec server "$@"`,
		`API_TOKEN='hunter 22' exec server "$@"`:                       `API_TOKEN=[redacted] exec server "$@"`,
		`API_TOKEN=hunt\ er22; server`:                                 `API_TOKEN=[redacted]; server`,
		`API_TOKEN="hun"'ter22' server`:                                `API_TOKEN=[redacted] server`,
		`server --db postgres://me:hunter22@h/db "$@" | tee log`:       `server --db postgres://me:[redacted]@h/db "$@" | tee log`,
		`server --header "Authorization: Bearer hunter22" "$@"`:        `server --header "Authorization: Bearer [redacted]" "$@"`,
		`(curl "https://h/?a=1&token=hunter22&b=2" >x) && server "$@"`: `(curl "https://h/?a=1&token=[redacted]&b=2" >x) && server "$@"`,
	} {
		if want == "" {
			want = script
		}
		for _, shell := range [][]string{{"sh", "-c"}, {"/bin/bash", "-euc"}, {"env", "A=b", "sh", "-x", "-c"}} {
			c := config.Default()
			c.Target.Command = append(shell, script, "x", "http://localhost:99")
			if got := c.Redactor()(script); got != want {
				t.Errorf("%v: got %s, want %s", shell, got, want)
			}
		}
	}
}
