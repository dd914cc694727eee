package main

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A folder that is abandoned in the midst of a change holds the old files or the new ones,
// and nothing else.
func TestAbandonedFolder(t *testing.T) {
	t.Parallel()
	files := func(content string) map[string][]byte {
		made := map[string][]byte{}
		for _, o := range outputs() {
			made[o.file] = []byte(content)
		}
		return made
	}
	for i := range 40 {
		dir := t.TempDir()
		f, err := openFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.put(files("old")); err != nil {
			t.Fatal(err)
		}
		var putting sync.WaitGroup
		putting.Go(func() { _ = f.put(files("new")) })
		time.Sleep(time.Duration(i*i) * 10 * time.Microsecond)
		f.abandon()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int{}
		for _, e := range entries {
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			found[string(content)]++
		}
		if len(entries) != len(outputs()) || len(found) != 1 {
			t.Errorf("the folder holds %v, %d files of each content: %v", entries, len(outputs()), found)
		}
		putting.Wait()
	}
}
