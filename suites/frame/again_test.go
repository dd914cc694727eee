package frame_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A repeated text with another id has the reading that it would have by itself.
func TestReadings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600)
	ids := []string{"1", "2", "30", "4", "0", "07", "1.5", "1e3", "-2", `"6"`, "null", "x", ""}
	for _, form := range []string{
		`{"jsonrpc":"2.0","id":%s,"result":{"a":"` + long + `"}}`,
		`{"id":%s,"result":{"a":"` + long + `"},"jsonrpc":"2.0"}`,
		`{"result":{"a":"` + long + `"},"jsonrpc":"2.0","id":%s}`,
		`{"result":{"a":"` + long + `","id":%s}}`,
		`{"result":{"a":"` + long + `","id":%s},"jsonrpc":"2.0","id":3}`,
		`{"jsonrpc":"2.0","id":3,"result":{"a":"` + long + `"},"id":%s}`,
		`{"jsonrpc":"2.0","id":%s,"result":{"a":"` + long + `"},"id":3}`,
		`{"jsonrpc":"2.0","id":%s,"result":{"a":"` + long + `"}`,
		`{"jsonrpc":"2.0","id":%s,"result":{"a":"` + long + `","a":1}}`,
		`[{"result":{"a":"` + long + `"},"id":%s}]`,
		`["` + long + `,"id":%s}`,
	} {
		var r frame.Readings
		for _, id := range append(ids, ids...) {
			text := fmt.Sprintf(form, id)
			f := frame.New(frame.Received, frame.KindMessage, []byte(text))
			r.Read(f)
			if diff := cmp.Diff(frame.Read([]byte(text)), f.Message()); diff != "" {
				t.Errorf("%s with the id %s (-alone +again):\n%s", strings.ReplaceAll(form, long, "..."), id, diff)
			}
		}
	}
}

// From the third copy on, each text has one shared tree.
func TestReadingsShared(t *testing.T) {
	t.Parallel()
	var r frame.Readings
	trees := map[string][]uintptr{}
	for i := range 6 {
		for _, letter := range []string{"x", "y"} {
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"a":"%s"}}`, i, strings.Repeat(letter, 5000))
			f := frame.New(frame.Received, frame.KindMessage, []byte(text))
			r.Read(f)
			result := f.Message().Members["result"]
			if got := result.(map[string]any)["a"].(string)[:1]; got != letter {
				t.Errorf("message %d has %s, want %s", i, got, letter)
			}
			trees[letter] = append(trees[letter], reflect.ValueOf(result).Pointer())
		}
	}
	for letter, all := range trees {
		for i, tree := range all[1:] {
			if tree != all[1] {
				t.Errorf("message %d of %s has a tree of its own", i+1, letter)
			}
		}
	}
}
