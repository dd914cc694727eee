package probe_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Challenges are read in every notation.
func TestChallenges(t *testing.T) {
	t.Parallel()
	type params = map[string]string
	for name, row := range map[string]struct {
		values []string
		want   []probe.Challenge
	}{
		"none":          {nil, nil},
		"empty":         {[]string{"", " , "}, nil},
		"bare":          {[]string{"Bearer"}, []probe.Challenge{{"bearer", params{}}}},
		"a parameter":   {[]string{`Bearer realm="a"`}, []probe.Challenge{{"bearer", params{"realm": "a"}}}},
		"unquoted":      {[]string{`BEARER Error=invalid_token`}, []probe.Challenge{{"bearer", params{"error": "invalid_token"}}}},
		"blanks":        {[]string{`Bearer  scope = "a b" , realm="x"`}, []probe.Challenge{{"bearer", params{"scope": "a b", "realm": "x"}}}},
		"commas inside": {[]string{`Bearer realm="a, Basic b=c", error="d"`}, []probe.Challenge{{"bearer", params{"realm": "a, Basic b=c", "error": "d"}}}},
		"escapes":       {[]string{`Bearer realm="a\" ,b\\"`}, []probe.Challenge{{"bearer", params{"realm": `a" ,b\`}}}},
		"several": {[]string{`Negotiate, Basic realm="a", Bearer error="b"`, `DPoP algs="ES256"`}, []probe.Challenge{
			{"negotiate", params{}}, {"basic", params{"realm": "a"}}, {"bearer", params{"error": "b"}}, {"dpop", params{"algs": "ES256"}},
		}},
		"a token":         {[]string{`Negotiate YWJj, Bearer`}, []probe.Challenge{{"negotiate", params{}}, {"bearer", params{}}}},
		"equals in value": {[]string{`Bearer resource_metadata="http://h/?a=b"`}, []probe.Challenge{{"bearer", params{"resource_metadata": "http://h/?a=b"}}}},
		"no end":          {[]string{`Bearer realm="a`}, []probe.Challenge{{"bearer", params{"realm": "a"}}}},
		"a stray param":   {[]string{`realm="a"`}, nil},
	} {
		got := probe.Challenges(http.Header{"Www-Authenticate": row.values})
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Whatever a header says, what is read of it stands in it, and one header beside another
// changes nothing in what the other says.
func FuzzChallenges(f *testing.F) {
	for _, seed := range []string{
		"", "Bearer", `Bearer realm="a, Basic b=c", error="d"`, `Negotiate YWJj==, Bearer scope = "a b"`, `Bearer realm="a\" ,b\\"`, `Bearer realm="a`,
		`a="b"`, `,,Basic ,=x`, "Bearer \t=a", `Bearer a=1, a=2, A=3`,
	} {
		f.Add(seed, `Basic realm="x"`)
	}
	f.Fuzz(func(t *testing.T, value, other string) {
		read := func(values ...string) []probe.Challenge {
			return probe.Challenges(http.Header{"Www-Authenticate": values})
		}
		got := read(value)
		lower := strings.ToLower(value)
		for _, c := range got {
			if c.Scheme == "" || strings.ContainsAny(c.Scheme, " =") || !strings.Contains(lower, c.Scheme) {
				t.Errorf("%q: the scheme is %q", value, c.Scheme)
			}
			for name, text := range c.Params {
				if name == "" || !strings.Contains(lower, name) || len(text) > len(value) {
					t.Errorf("%q: the parameter %q is %q", value, name, text)
				}
			}
		}
		if diff := cmp.Diff(got, read(value)); diff != "" {
			t.Errorf("%q, read twice:\n%s", value, diff)
		}
		if both := read(other, value); len(both) != len(read(other))+len(got) {
			t.Errorf("%q and %q: %v", other, value, both)
		}
	})
}
