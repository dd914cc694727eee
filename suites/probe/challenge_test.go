package probe_test

import (
	"net/http"
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
