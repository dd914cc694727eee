package words_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/words"
)

func TestBanned(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		want []string
	}{
		{"what is no JSON gets a parse error", []string{"what is no JSON"}},
		{"there is no tool, and it is no longer listed", nil},
		{"There are no tools", nil},
		{"a cursor nobody issued is met with an error", []string{"nobody issued", "met with"}},
		{"a list that was\nbegun on one connection goes on on another", []string{"begun", "goes on"}},
		{"the mention of an amendment", nil},
		{"a text content, a text file, a text", []string{"a text"}},
		{"the member name is a text of 64 characters", []string{"member", "a text of"}},
		{"the server turned the kit away", []string{"turned the kit away"}},
		{`answer with the status "begun"`, nil},
		{"Remember the string, array and property", nil},
	} {
		if got := words.Banned(row.text); !slices.Equal(got, row.want) {
			t.Errorf("%q: got %q, want %q", row.text, got, row.want)
		}
	}
}
