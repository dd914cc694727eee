package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	redact := parse(t, `secrets: [abcdef, "abcdefghi", 'say "hi" & <bye>']`).Redactor()
	for text, want := range map[string]string{
		"":                           "",
		"nothing here":               "nothing here",
		"x abcdef y":                 "x [redacted] y",
		"abcdefghi and abcdefgh":     "[redacted] and [redacted]",
		`{"a":"say \"hi\" & <bye>"}`: `{"a":"[redacted]"}`,
		`{"a":"say \"hi\" \u0026 \u003cbye\u003e"}`: `{"a":"[redacted]"}`,
		"?q=say+%22hi%22+%26+%3Cbye%3E":             "?q=[redacted]",
		"?q=say%20%22hi%22%20%26%20%3cbye%3e":       "?q=[redacted]",
		"abcdefabcdef":                              "[redacted][redacted]",
	} {
		if got := redact(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := config.Default().Redactor()("as it was"); got != "as it was" {
		t.Errorf("without secrets: got %q", got)
	}
	made := config.Default()
	made.Secrets = []string{"own-secret"}
	made.Target.Headers = map[string]string{"Authorization": "Bearer a-token"}
	if got := made.Redactor()("own-secret a-token"); got != "[redacted] [redacted]" {
		t.Errorf("made by a program: got %q", got)
	}
}

// A secret that comes again makes no work, and several new ones are hidden together.
func TestSecretsThatAppear(t *testing.T) {
	t.Parallel()
	secrets := config.NewSecrets(parse(t, "secrets: [from-the-file]"))
	secrets.Add("first-token")
	secrets.Add("second-token")
	if got, want := secrets.Hide("from-the-file first-token second-token"), "[redacted] [redacted] [redacted]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"first-token", "from-the-file", "second-token"}, secrets.All()); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
}

func TestSecretThatComesAgain(t *testing.T) { // counting allocations excludes other tests
	secrets := config.NewSecrets(parse(t, "secrets: [from-the-file]"))
	secrets.Add("first-token")
	secrets.Hide("")
	if n := testing.AllocsPerRun(10, func() { secrets.Add("first-token") }); n != 0 {
		t.Errorf("to add a known secret allocates %v times", n)
	}
}

// The error about a secret that cannot be hidden does not show the secret.
func TestShortSecrets(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"stress: true\nsecrets: [abcd, xyz]":  "c.yaml:2:17: secrets[1]: a secret of 3 characters cannot be hidden, want at least 4",
		"secrets: [ééé]":                      "c.yaml:1:11: secrets[0]: a secret of 3 characters cannot be hidden, want at least 4",
		"secrets: ['${SHORT}']":               "c.yaml:1:11: secrets[0]: a secret of 2 characters cannot be hidden, want at least 4",
		"secrets: [éééé, abcd, '${EMPTY}']":   "",
		"principals:\n  second: {token: abc}": "c.yaml:2:19: principals.second.token: a secret of 3 characters cannot be hidden, want at least 4",
		"principals: {second: {token: abcd}}": "",
	} {
		got := ""
		if _, err := config.Parse("c.yaml", []byte(yaml), environment, known()); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", yaml, got, want)
		}
	}
}

func TestWhichValuesAreSecret(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		yaml            string
		secret, checked []string
	}{
		"none":              {yaml: "target: {url: 'http://h/', headers: {Accept: something-long}}"},
		"bearer":            {"target: {headers: {authorization: Bearer abcdefgh}}", []string{"abcdefgh"}, []string{"abcdefgh"}},
		"bare":              {"target: {headers: {Authorization: abcdefgh}}", []string{"abcdefgh"}, []string{"abcdefgh"}},
		"short":             {"target: {headers: {X-Api-Key: abcdefg}}", []string{"abcdefg"}, nil},
		"token header":      {"target: {headers: {X-Auth-Token: abcdefgh}}", []string{"abcdefgh"}, []string{"abcdefgh"}},
		"cookie":            {`target: {headers: {Cookie: 'a=12345678; b="x=y"; flag'}}`, []string{"12345678", "flag", "x=y"}, []string{"12345678"}},
		"variable":          {"target: {command: ['a', '${ACME_API_KEY}']}", []string{"acme-key-value"}, nil},
		"declared variable": {"secrets: ['${ACME_API_KEY}']", []string{"acme-key-value"}, []string{"acme-key-value"}},
		"declared short":    {"secrets: [abcd]", []string{"abcd"}, []string{"abcd"}},
		"usual variable":    {"target: {command: ['a', '${HOME}/b'], env: {DIR: '${HOME}'}}", nil, nil},
		"empty variable":    {"target: {env: {A_KEY: '${EMPTY}'}}", nil, nil},
		"literal variable":  {"target: {env: {MY_SECRET: abcdefgh, PATH: /bin}}", []string{"abcdefgh"}, nil},
		"password in a URL": {"target: {url: 'http://me:abcdefgh@h/'}", []string{"abcdefgh"}, nil},
		"principal":         {"principals: {second: {token: abcdefgh, env: {API_KEY: ijklmnop}}}", []string{"abcdefgh", "ijklmnop"}, []string{"abcdefgh"}},
		"other names": {
			yaml: "target: {env: {PGPASSWORD: aaaa, DB_PASSWD: bbbb, PGPASS: cccc, APIKEY: dddd, MYSQL_PWD: eeee, GITHUB_PAT: ffff, " +
				"MONKEY: no-secret, BYPASS: no-secret, PWD: /no/secret, TOKEN_LIMIT: '4096', USE_TOKEN: 'true'}}",
			secret: []string{"aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff"},
		},
		"DSN": {
			yaml:   "target: {env: {DB_DSN: 'me:p@ss:word@tcp(db:3306)/x', CONNECTION: 'host=h;user=me;Password=abcdefgh'}}",
			secret: []string{"abcdefgh", "me:p@ss:word@tcp(db:3306)/x", "p@ss:word"},
		},
		"URLs anywhere": {
			yaml: "target: {command: [server, 'postgres://me:p/w#1@h/db', 'https://h/?api-key=abc%2Fd&page=2'], " +
				"env: {DATABASE_URL: 'mysql://me:efgh@h/db', MIRROR: 'https://a-long-user-token@h/', HOME: 'http://me@h/'}}",
			secret: []string{"a-long-user-token", "abc/d", "efgh", "p/w#1"},
		},
		"command line": {
			yaml: "target: {command: [env, -i, API_KEY=aaaa, DEBUG=no-secret, server, --auth-token=bbbb, --password, cccc, --port, '8080', " +
				"--header, 'Authorization: Bearer dddd', --secret, --quiet, 'X_SECRET=eeee and blanks', sh, -c, 'Y_SECRET=ffff exec server']}",
			secret: []string{"aaaa", "bbbb", "cccc", "dddd", "eeee", "eeee and blanks", "ffff"}, // a value may have blanks
		},
		"start": {"target: {url: 'http://h/', start: [env, API_KEY=aaaa, server]}", []string{"aaaa"}, nil},
		"Basic": {"target: {headers: {Authorization: Basic bWU6YWJjZGVmZ2g=}}", []string{"abcdefgh", "bWU6YWJjZGVmZ2g="}, []string{"bWU6YWJjZGVmZ2g="}},
	} {
		c := parse(t, row.yaml)
		if diff := cmp.Diff(row.secret, append([]string(nil), c.Secrets...)); diff != "" {
			t.Errorf("%s: secrets: %s", name, diff)
		}
		if diff := cmp.Diff(row.checked, append([]string(nil), c.Checked...)); diff != "" {
			t.Errorf("%s: checked: %s", name, diff)
		}
	}
}

func TestFirstPrincipalComesFromTheTarget(t *testing.T) {
	t.Parallel()
	c := parse(t, "target: {headers: {Authorization: Bearer abcdefgh, X-Trace: on1}, env: {API_KEY: k, HOME: /}}\nprincipals: {second: {token: other-token}}")
	want := &config.Principal{Headers: map[string]string{"Authorization": "Bearer abcdefgh"}, Env: map[string]string{"API_KEY": "k"}}
	if diff := cmp.Diff(want, c.Principals.First); diff != "" {
		t.Error(diff)
	}
	if !c.Roles.Has("role:principals.first") || !c.Roles.Has("role:principals.second") || c.Roles.Has("role:principals.limited") {
		t.Errorf("got %v", c.Roles.All())
	}

	// A flag comes later, and its header counts too.
	c.Target.Headers["X-Api-Key"] = "from-a-flag"
	c = c.Hide("from-the-environment").Settled()
	if got := c.Principals.First.Headers["X-Api-Key"]; got != "from-a-flag" {
		t.Errorf("got %q", got)
	}
	if got := c.Redactor()("from-a-flag from-the-environment other-token"); got != "[redacted] [redacted] [redacted]" {
		t.Errorf("got %q", got)
	}

	named := parse(t, "target: {headers: {Authorization: Bearer abcdefgh}}\nprincipals: {first: {token: named-token}}").Settled()
	if diff := cmp.Diff(&config.Principal{Token: "named-token"}, named.Principals.First); diff != "" {
		t.Error(diff)
	}
	if c := config.Default().Settled(); c.Principals.First != nil || c.Roles.Has("role:principals.first") {
		t.Error("a principal without credentials")
	}
}

func TestRolesOfThirdParties(t *testing.T) {
	t.Parallel()
	specs := append(roles.Known(), roles.Spec{Name: "tide-gauge", Fields: []roles.Field{
		{Name: "tool", Kind: roles.KindTool, Required: true}, {Name: "metres", Kind: roles.KindNumber},
	}})
	c, err := config.Parse("c.yaml", []byte("roles: {tide-gauge: {tool: gauge, metres: 3}}\nclaims: [tides]"), environment,
		config.Known{Roles: specs, Extensions: []string{"tides"}})
	if err != nil {
		t.Fatal(err)
	}
	filled, _ := c.Roles.Role("tide-gauge")
	if metres, _ := filled.Number("metres"); metres != 3 || !c.Roles.Has("role:tide-gauge.metres") {
		t.Errorf("got %v", filled)
	}
}

// A target without credentials of its own gets the first principal's.
func TestAsFirst(t *testing.T) {
	t.Parallel()
	const first = "principals: {first: {token: abcd, headers: {X-Site: north}, env: {API_KEY: key-of-first}}}\n"
	for name, row := range map[string]struct {
		yaml         string
		headers, env map[string]string
	}{
		"nothing of its own": {first + "target: {url: http://h/, headers: {X-Trace: on}, env: {MODE: quiet}}",
			map[string]string{"X-Trace": "on", "Authorization": "Bearer abcd", "X-Site": "north"}, map[string]string{"MODE": "quiet", "API_KEY": "key-of-first"}},
		"credentials of its own": {first + "target: {url: http://h/, headers: {x-api-key: mine}, env: {MY_TOKEN: mine}}",
			map[string]string{"x-api-key": "mine"}, map[string]string{"MY_TOKEN": "mine"}},
		"no first": {"target: {url: http://h/}\nprincipals: {second: {token: abcd}}", nil, nil},
	} {
		c := parse(t, row.yaml)
		judged := c.AsFirst()
		if diff := cmp.Diff(row.headers, judged.Headers); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(row.env, judged.Env); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(c.Target.Headers) > 1 {
			t.Errorf("%s: the target itself was changed: %v", name, c.Target.Headers)
		}
	}
}

func TestInheritedSecrets(t *testing.T) {
	t.Parallel()
	got := config.InheritedSecrets([]string{
		"ACME_API_KEY=sk-0123456789", "DATABASE_URL=postgres://kit:harbour-master@127.0.0.1/db", "CI_JOB_TOKEN=glcbt-64_x",
		"PATH=/usr/bin:/bin", "HOME=/srv/kit", "PWD=/srv/kit/server", "SSH_AUTH_SOCK=/tmp/agent.1",
		"SIGNING_KEY=/srv/kit/signing.pem", "REQUIRE_TOKEN=required", "SHORT_TOKEN=test", "EMPTY_TOKEN=", "=C:=C:\\kit",
	})
	if diff := cmp.Diff([]string{"sk-0123456789", "harbour-master", "glcbt-64_x"}, got); diff != "" {
		t.Error(diff)
	}
}
