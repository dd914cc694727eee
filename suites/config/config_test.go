package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

func environment(name string) (string, bool) {
	value, ok := map[string]string{
		"ACME_API_KEY": "acme-key-value",
		"FOREIGN":      "foreign-token-value",
		"PLAIN":        "two words",
		"TEMPLATE":     "raw ${nonce} $",
		"DOLLAR":       "$",
		"EMPTY":        "",
		"YES":          "true",
		"SEVEN":        "7",
		"SHORT":        "ab",
		"HOME":         "/home/somebody",
	}[name]
	return value, ok
}

func known() config.Known {
	return config.Known{Revisions: []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}}
}

func maximal(t *testing.T) config.Config {
	t.Helper()
	c, err := config.Load(filepath.Join("testdata", "maximal.yaml"), environment, known())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parse(t *testing.T, yaml string) config.Config {
	t.Helper()
	c, err := config.Parse("mcp-conform.yaml", []byte(yaml), environment, known())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	until := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	want := config.Config{
		File: filepath.Join("testdata", "maximal.yaml"), TargetLine: 3,
		Dir: "testdata",
		Target: config.Target{
			Command: []string{"node", "dist/my server.js", "--greeting", `hello "you"`, "two words"},
			Args:    []string{"--port", "8080", "--verbose", "true"},
			Cwd:     filepath.Join("testdata", "server"),
			Env: map[string]string{
				"API_KEY": "acme-key-value", "PORT": "8080", "DOLLAR": "${NOT_A_VARIABLE} costs $5",
			},
			URL:             "https://mcp.example.com/mcp",
			Headers:         map[string]string{"Authorization": "Bearer acme-key-value", "X-Trace": "on"},
			Start:           []string{"./server", "--listen", "127.0.0.1:8081"},
			Wait:            90 * time.Second,
			Durable:         true,
			SSEURL:          "http://127.0.0.1:8081/sse",
			WellKnownURL:    "http://127.0.0.1:8081/.well-known/mcp.json",
			CA:              filepath.Join("testdata", "certificates", "harbour.pem"),
			HTTP2:           true,
			CapabilitiesURL: "http://127.0.0.1:8081/capabilities",
			KitURL:          "http://10.0.0.5:9090",
		},
		Revisions: config.Revisions{Dates: []string{"2025-06-18", "2025-11-25"}},
		Transport: config.HTTP,
		Principals: config.Principals{
			First: &config.Principal{Token: "first-token-value"},
			Second: &config.Principal{
				Headers: map[string]string{"X-Api-Key": "second-key-value", "X-Other": "plain"},
				Env:     map[string]string{"API_TOKEN": "second-env-value"},
			},
			Limited:      &config.Principal{Headers: map[string]string{"Cookie": "sid=limited-cookie; theme=dark"}},
			Foreign:      &config.Principal{Token: "foreign-token-value"},
			Expired:      &config.Principal{Token: "expired-token-value"},
			TokenCommand: []string{"issue-token", "--scope", "${scope}", "--for", "${resource}", "--key=acme-key-value"},
		},
		Claims: config.Claims{
			Forced:     []string{"idempotency", "dashdash-ai-help", "dashdash-init", "dashdash-resources", "dashdash-tools", "content"},
			Suppressed: []string{"push"},
		},
		Dialects: map[string]config.Dialect{
			"idempotency": {Carriers: []string{"B", "P"}, Method: "M"},
			"well-known":  {Method: "W"},
		},
		Wait: config.Wait{Event: 2 * time.Second, DefaultTTL: time.Second, Max: time.Minute},
		Limits: config.Limits{
			MaxUpload: 64 << 10, Frame: 1 << 20, Pages: 7, Reads: 8, Depth: 5, Rounds: 3, Ping: 250 * time.Millisecond, ProgressRate: 40, Rate: 30,
		},
		Words: config.Words{Recommend: "tide_tables", TriggerPhrases: []string{"ahoy", "land in sight"}},
		Baseline: []config.Expected{
			{Case: "tools/invalid-arguments", Revision: "2025-11-25", Transport: config.HTTP, Reason: "upstream #41", Until: until, Line: 58},
			{Case: "ping/answered", Reason: "on it", Line: 63},
		},
		Stress:   true,
		External: true,
		Checked: []string{
			"acme-key-value", "expired-token-value", "first-token-value", "foreign-token-value", "limited-cookie", "literal-secret", "second-key-value",
		},
		Secrets: []string{
			"acme-key-value", "dark", "expired-token-value", "first-token-value", "foreign-token-value", "limited-cookie", "literal-secret",
			"raw ${nonce} $", "second-env-value", "second-key-value", "two words",
		},
	}
	got := maximal(t)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(config.Config{}, "Roles"), cmpopts.IgnoreUnexported(config.Config{})); diff != "" {
		t.Error(diff)
	}
}

func TestEveryRoleFieldIsInTheMaximalFile(t *testing.T) {
	t.Parallel()
	set := maximal(t).Roles
	for _, spec := range roles.Known() {
		filled, _ := set.Role(spec.Name)
		for _, field := range spec.Fields {
			if _, ok := filled.Any(field.Name); !ok {
				t.Errorf("%s.%s is not in the maximal file", spec.Name, field.Name)
			}
			path := "role:" + string(spec.Name) + "." + field.Name
			want := path != "role:slow-tool.resumable" // it is set to false
			if got := set.Has(path); got != want {
				t.Errorf("Has(%q) is %v, want %v", path, got, want)
			}
		}
	}
}

func TestRoleValues(t *testing.T) {
	t.Parallel()
	set := maximal(t).Roles
	pick := func(name roles.Name) roles.Fields {
		filled, _ := set.Role(name)
		return filled.Fields
	}
	tide := map[string]any{
		"harbour": "Westerland", "days": uint64(2), "exact": 1.5, "scale": 1000.0, "deep": []any{uint64(1), map[string]any{"a": nil}}, "on": true,
	}
	badTide := map[string]any{}
	for key, value := range tide {
		badTide[key] = value
	}
	badTide["days"] = "many"
	for name, row := range map[string]struct{ got, want any }{
		"json values":      {pick(roles.ReadOnlyTool)["arguments"], tide},
		"alias":            {pick(roles.InvalidInput)["arguments"], tide},
		"merge key":        {pick(roles.InvalidInput)["invalid-arguments"], badTide},
		"nested failure":   {pick(roles.Failure)["tool"], "break_mast"},
		"nested arguments": {pick(roles.Failure)["arguments"], map[string]any{"how": "loud"}},
		"split command":    {pick(roles.Failure).At("request").At("after").Texts("command"), []string{"rm", "broken"}},
		"escaped template": {pick(roles.StateChange)["arguments"], map[string]any{
			"vessel": "kit-${nonce}", "berth": "A4", "note": "$${kept}", "key": "raw $${nonce} $",
		}},
		"call in a flag's place": {pick(roles.SchemaTool).At("fetches").Text("tool"), "check"},
		"duration":               {pick(roles.Gated).Duration("window", 0), 2 * time.Minute},
		"steps":                  {len(pick(roles.Transaction).List("steps")), 2},
		"file beside config":     {pick(roles.BinaryTool).Text("sample"), filepath.Join("testdata", "samples", "a.png")},
		"absolute file":          {pick(roles.BinaryTool).At("unlisted").Text("sample"), "/samples/b.odd"},
		"text like a boolean":    {pick(roles.Completion).Text("value"), "No"},
		"source":                 {set.All()[0].Source, roles.Config},
	} {
		if diff := cmp.Diff(row.want, row.got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A value of a file is still the same after an expansion.
func TestTemplatesSurviveExpansion(t *testing.T) {
	t.Parallel()
	filled, _ := maximal(t).Roles.Role(roles.StateChange)
	call, _ := filled.Call()
	got, err := call.Expand(roles.Vars{Nonce: "abc"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"vessel": "kit-abc", "berth": "A4", "note": "${kept}", "key": "raw ${nonce} $"}
	if diff := cmp.Diff(want, got.Arguments); diff != "" {
		t.Error(diff)
	}
}

func TestNothingSaidIsTheDefault(t *testing.T) {
	t.Parallel()
	want := config.Default()
	for name, yaml := range map[string]string{
		"empty": "", "comments": "# roles:\n#   slow-tool: {}\n", "null": "~\n", "keys without values": "target:\n  # command:\nroles:\nlimits:\n  pages:\n",
		"byte order mark": "\ufeffstress: false\n", "document start": "---\nstress: false\n", "directive": "%YAML 1.2\n---\nstress: false\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := parse(t, yaml)
			ignore := cmpopts.IgnoreFields(config.Config{}, "File", "TargetLine", "Roles", "Target.Cwd")
			if diff := cmp.Diff(want, got, ignore, cmpopts.IgnoreUnexported(config.Config{}), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if got.Target.Cwd != "." || got.Dir != "." || len(got.Roles.All()) != 0 || got.Target.Wait != 30*time.Second || !got.Production {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestEnvironmentFillsEveryKind(t *testing.T) {
	t.Parallel()
	c := parse(t, "stress: ${YES}\nlimits: {pages: \"${SEVEN}\", frame: \"${SEVEN}MiB\"}\nwait:\n  max: ${SEVEN}s\ntarget:\n  env: {E: \"${EMPTY}\"}\n")
	if !c.Stress || c.Limits.Pages != 7 || c.Limits.Frame != 7<<20 || c.Wait.Max != 7*time.Second || c.Target.Env["E"] != "" || len(c.Secrets) != 0 {
		t.Errorf("got %+v", c)
	}
}

func TestRevisionWords(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]config.Revisions{
		"auto": {}, "all": {All: true}, "2025-11-25": {Dates: []string{"2025-11-25"}}, "[auto]": {},
		"[2025-11-25, 2025-11-25]": {Dates: []string{"2025-11-25"}},
	} {
		got := parse(t, "revision: "+word+"\n").Revisions
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", word, diff)
		}
		again, err := config.ParseRevisions([]string{got.String()}, nil)
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Errorf("%s: round trip: %v %s", word, err, diff)
		}
	}
}

func TestLoadNamesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.yaml")
	_, err := config.Load(path, environment, known())
	var mistake *config.Error
	if !errors.As(err, &mistake) || !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("got %v", err)
	}
	large := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("#", 1<<20+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(large, environment, known()); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}

func TestBaselineFile(t *testing.T) {
	t.Parallel()
	const entry = "{case: a/b, reason: known, until: 2027-03-01}"
	for _, yaml := range []string{"- " + entry, "baseline:\n  - " + entry, "[" + entry + "]"} {
		got, err := config.ParseBaseline("b.yaml", []byte(yaml), environment, known())
		if err != nil || len(got) != 1 || got[0].Case != "a/b" {
			t.Errorf("%q: got %v, %v", yaml, got, err)
		}
	}
	if got, err := config.ParseBaseline("b.yaml", nil, environment, known()); err != nil || got != nil {
		t.Errorf("empty: got %v, %v", got, err)
	}
	if _, err := config.ParseBaseline("b.yaml", []byte("limits: {}"), environment, known()); err == nil {
		t.Error("another key passes")
	}
}

func TestTarget(t *testing.T) {
	t.Parallel()
	args := []string{"-v"}
	for name, row := range map[string]struct {
		target      config.Target
		argv, start []string
		empty, bad  bool
	}{
		"nothing":       {empty: true},
		"command":       {target: config.Target{Command: []string{"a"}, Args: args}, argv: []string{"a", "-v"}},
		"start":         {target: config.Target{Start: []string{"s"}, Args: args, URL: "http://h/"}, start: []string{"s", "-v"}},
		"both":          {target: config.Target{Command: []string{"a"}, Start: []string{"s"}, Args: args, URL: "http://h/"}, argv: []string{"a", "-v"}, start: []string{"s"}},
		"start, no url": {target: config.Target{Start: []string{"s"}}, start: []string{"s"}, bad: true},
		"args alone":    {target: config.Target{Args: args, URL: "http://h/"}, bad: true},
	} {
		if diff := cmp.Diff(row.argv, row.target.Argv()); diff != "" {
			t.Errorf("%s: argv %s", name, diff)
		}
		if diff := cmp.Diff(row.start, row.target.StartArgv()); diff != "" {
			t.Errorf("%s: start %s", name, diff)
		}
		if row.target.Empty() != row.empty || (row.target.Check() != nil) != row.bad {
			t.Errorf("%s: empty %v, check %v", name, row.target.Empty(), row.target.Check())
		}
	}
}

// A target that says nothing of durable may keep its state outside of its processes.
func TestDurable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"target: {command: a}": {false, false}, "target: {command: a, durable: true}": {true, false}, "target: {command: a, durable: false}": {false, true},
	} {
		cfg, err := config.Parse("c.yaml", []byte(text), func(string) (string, bool) { return "", false }, config.Known{})
		if got := [2]bool{cfg.Target.Durable, cfg.Target.Own}; err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}

// The line that names the server, wherever it stands below target.
func TestTargetLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"target:\n  cwd: .\n  command: [a]\n":          3,
		"target: {url: \"http://127.0.0.1/mcp\"}\n":    1,
		"# a\n\ntarget:\n  # b\n  url: http://a/mcp\n": 5,
		"target:\n  durable: true\n":                   2,
		"revision: auto\n":                             0,
	} {
		path := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := config.Load(path, environment, known())
		if err != nil {
			t.Fatal(err)
		}
		if got.TargetLine != want {
			t.Errorf("%q: line %d, want %d", text, got.TargetLine, want)
		}
	}
}

func TestPlaceOfPrincipals(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("a.yaml", []byte("principals:\n  first: {token: harbour-token-first}\n  second:\n    token: harbour-token-second\n"), environment, known())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"first": "a.yaml:2", "second": "a.yaml:3", "limited": ""} {
		if got := c.PlaceOf(name); got != want {
			t.Errorf("%s is at %q, want %q", name, got, want)
		}
	}
}
