package probe

import "testing"

func TestMisspelt(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		``:       "",
		`Bearer`: "",
		`Bearer realm="a, \"b\"", error=invalid_token`:                       "",
		`Basic realm="x", Bearer resource_metadata="https://a/b", Negotiate`: "",
		`Negotiate a8749aa8209==, DPoP algs="ES256 PS256"`:                   "",
		`Negotiate a874/9aa8209, Bearer realm = x ,scope="a b"`:              "",
		`Bearer scope=""`:                                   "",
		`Bearer , realm="x"`:                                "",
		`,Bearer realm="x",,a=b`:                            "",
		`Bearer resource_metadata=https://a/b`:              `has a value of resource_metadata without double quotes, although there is ":" in it`,
		`Bearer error='x', resource_metadata='https://a/b'`: `has a value of resource_metadata without double quotes, although there is ":" in it`,
		`Bearer error="x"; scope="y"`:                       `has ";" behind the value of error, where a comma belongs`,
		`Bearer error="x" scope="y"`:                        `has "s" behind the value of error, where a comma belongs`,
		`Bearer, error="x"`:                                 "has a comma between the scheme and error",
		`error="x"`:                                         "has a comma between the scheme and error",
		`Bearer: error="x"`:                                 `has ":" behind Bearer, where a blank or = belongs`,
		`Bearer error="x`:                                   "has a value of error whose quotes do not end",
		`Bearer scope=a b`:                                  `has a value of scope without double quotes, although there is "b" in it`,
		`Bearer {"error":"x"}`:                              `has "{\"error\":\"x\"}" behind Bearer, where a parameter belongs`,
	} {
		if got := misspelt(header); got != want {
			t.Errorf("%s\n got %s\nwant %s", header, got, want)
		}
	}
}
