package config_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "10s": 10 * time.Second, "5m": 5 * time.Minute, "1h30m": 90 * time.Minute,
		"3": 3 * time.Second, "0.25": 250 * time.Millisecond, "0": 0, "1e2": 100 * time.Second,
	} {
		if got, err := config.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "-1s", "soon", "5 s", "NaN", "Inf", "1e40", "1d"} {
		if got, err := config.ParseDuration(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "12": 12, "12B": 12, "64KiB": 64 << 10, "8MiB": 8 << 20, "2GiB": 2 << 30, "8589934591GiB": 8589934591 << 30,
	} {
		if got, err := config.ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "KiB", "-1", "1KB", "1M", "1.5MiB", "1 MiB", "8589934592GiB", "1iB"} {
		if got, err := config.ParseSize(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestSplitCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"node dist/index.js":       {"node", "dist/index.js"},
		"  a\t b\n":                {"a", "b"},
		`a 'b c' "d e"`:            {"a", "b c", "d e"},
		`a b'c'"d"e`:               {"a", "bcde"},
		`a '' ""`:                  {"a", "", ""},
		`a b\ c \'d \\`:            {"a", "b c", "'d", `\`},
		`a "b\"c" "d\e" "\$x" "'"`: {"a", `b"c`, `d\e`, "$x", "'"},
		`a 'b\' '"'`:               {"a", `b\`, `"`},
		`a $HOME ~ * $(x)`:         {"a", "$HOME", "~", "*", "$(x)"},
		"a \\\nb":                  {"a", "b"},
		`a '|' "&&" \> x=>y a;b`:   {"a", "|", "&&", ">", "x=>y", "a;b"},
		"ä ü":                      {"ä", "ü"},
	} {
		got, err := config.SplitCommand(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"", "  ", `a 'b`, `a "b`, `a \`, "a | b", "a && b", "a > b", "a ; b", "a &"} {
		if got, err := config.SplitCommand(text); err == nil {
			t.Errorf("%q: got %q, want an error", text, got)
		}
	}
}

func TestParseRevisionsOfFlags(t *testing.T) {
	t.Parallel()
	got, err := config.ParseRevisions([]string{"2025-06-18, 2025-11-25"}, known().Revisions)
	if diff := cmp.Diff(config.Revisions{Dates: []string{"2025-06-18", "2025-11-25"}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, words := range [][]string{nil, {""}, {"all", "2025-11-25"}, {"auto,all"}, {"2025-11-2"}} {
		if got, err := config.ParseRevisions(words, nil); err == nil {
			t.Errorf("%q: got %v, want an error", words, got)
		}
	}
}

func TestExpandFlag(t *testing.T) {
	t.Parallel()
	got, values, err := config.Expand("X-Key: ${ACME_API_KEY}, $${PLAIN} $5", environment)
	if got != "X-Key: acme-key-value, ${PLAIN} $5" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{"acme-key-value"}, values); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"${NO_SUCH_VARIABLE}", "${lower}", "${", "${1A}", "${A:b}"} {
		if got, _, err := config.Expand(text, environment); err == nil {
			t.Errorf("%q: got %q, want an error", text, got)
		}
	}
}
