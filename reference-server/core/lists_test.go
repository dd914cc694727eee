package core

import "testing"

func TestCursorsAreSealed(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"", "a", "Berth A1", "\x00", "käse"} {
		cursor := seal("tools/list", last)
		if got, ok := unseal("tools/list", cursor); !ok || got != last {
			t.Errorf("%q comes back as %q, %t", last, got, ok)
		}
		if _, ok := unseal("prompts/list", cursor); ok {
			t.Errorf("the cursor behind %q opens another list", last)
		}
		for i := range len(cursor) {
			altered := cursor[:i] + "_" + cursor[i+1:]
			if _, ok := unseal("tools/list", altered); ok && altered != cursor {
				t.Errorf("%s passes for %s", altered, cursor)
			}
		}
	}
}

func TestAbsoluteURIs(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]bool{
		"test://a": true, "harbour://berths/A1": true, "urn:x": true, "file:///a": true,
		"": false, "a": false, "../a": false, "//a": false, "test://a b": false, "test://a\n": false, "1x://a": false,
	} {
		if got := absolute(uri); got != want {
			t.Errorf("%q: got %t, want %t", uri, got, want)
		}
	}
}
