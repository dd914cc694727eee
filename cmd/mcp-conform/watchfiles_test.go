package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// A server writes its log during each run, one of another name, or one in a folder of each
// run; none of them may begin runs for ever.
func TestOwnFilesEnd(t *testing.T) {
	writers := map[string]func(run int, there stamps){
		"one log":     func(run int, there stamps) { there["logs/a.log"] = fmt.Sprint(run) },
		"a log a run": func(run int, there stamps) { there[fmt.Sprintf("logs/%d.log", run)] = "x" },
		"a folder":    func(run int, there stamps) { there[fmt.Sprintf("logs/%d/a.log", run)] = "x" },
		"a lock":      func(run int, there stamps) { delete(there, fmt.Sprintf("tmp/%d", run)) },
		"in turns":    func(run int, there stamps) { there[fmt.Sprintf("logs/%d.log", run%4)] = fmt.Sprint(run) },
	}
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			there, own := stamps{"src/a.go": "1", "logs/kept": "1"}, ownFiles{}
			for i := range 40 {
				there[fmt.Sprintf("tmp/%d", i)] = "1"
			}
			run := 0
			settle := func(atMost int) {
				t.Helper()
				for begun := 0; ; begun++ {
					before := maps.Clone(there)
					write(run, there)
					run++
					if seen, _ := own.without(before, there); maps.Equal(seen, there) {
						return
					}
					if begun == atMost {
						t.Fatalf("still begins again after %d runs", begun+1)
					}
					own.begin(there, there)
				}
			}
			settle(4 * runsOfOwn)
			before := maps.Clone(there)
			there["src/a.go"] = "2" // somebody edits between two runs
			own.begin(before, there)
			settle(4 * runsOfOwn)
			before = maps.Clone(there)
			write(run, there)
			there["src/a.go"] = "3" // and during a run, which still counts
			if seen, _ := own.without(before, there); maps.Equal(seen, there) {
				t.Error("an edit during a run is overlooked")
			}
		})
	}
}

// What a symbolic link leads to is watched: that is what somebody edits.
func TestStampsBehindLinks(t *testing.T) {
	t.Parallel()
	behind, watched := t.TempDir(), t.TempDir()
	file := filepath.Join(behind, "server.js")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	folder, link := filepath.Join(watched, "src"), filepath.Join(watched, "server.js")
	if err := errors.Join(os.Symlink(behind, folder), os.Symlink(file, link)); err != nil {
		t.Skip(err) // Windows lets not everybody make links
	}
	for _, path := range []string{folder, link, watched} {
		f := watchFlags{paths: []string{path}}
		before := f.stamps()
		write(path)
		if maps.Equal(before, f.stamps()) {
			t.Errorf("%s: a change is not seen", path)
		}
	}
}
