package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// stamps are the files that are watched, each with a mark that is another one when it
// changed.
type stamps map[string]string

// stamps looks at what is watched. It leaves out what is hidden, what was installed, and
// what the run itself writes: its folder and its files.
func (f *watchFlags) stamps(written ...string) stamps {
	roots := f.paths
	if len(roots) == 0 {
		roots = []string{"."}
	}
	var left []fs.FileInfo
	for _, name := range written {
		if info, err := os.Stat(name); name != "" && err == nil {
			left = append(left, info)
		}
	}
	seen := stamps{}
	for _, root := range roots {
		if to, err := filepath.EvalSymlinks(root); err == nil && to != filepath.Clean(root) {
			root = to // a walk follows no link
		}
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // a file that is gone by now
			}
			info, err := entry.Info()
			if err != nil {
				return nil //nolint:nilerr // likewise
			}
			if entry.Type()&fs.ModeSymlink != 0 { // a link stays as it is when somebody edits its file
				if behind, err := os.Stat(path); err == nil && !behind.IsDir() {
					info = behind
				}
			}
			name := entry.Name()
			skipped := path != root && strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "__pycache__"}, name) ||
				slices.ContainsFunc(left, func(own fs.FileInfo) bool { return os.SameFile(own, info) })
			switch {
			case skipped && entry.IsDir():
				return filepath.SkipDir
			case !skipped && !entry.IsDir():
				seen[path] = fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return seen
}

// changed waits for a change, and for a second without one behind it: builds write several
// files. It returns what is there then, or nil when somebody interrupts.
func changed(ctx context.Context, look func() stamps, seen stamps) stamps {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	const pause = 500 * time.Millisecond
	for now := seen; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		before := now
		if now = look(); !maps.Equal(now, seen) && maps.Equal(now, before) {
			return now
		}
	}
}

// takers are the files that changed since and end in what this command wrote last, such as a log
// that tee writes.
func takers(seen, now stamps) (names []string) {
	const last = 4 << 10
	for path, mark := range now {
		if seen[path] == mark {
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		if info, err := file.Stat(); err == nil {
			tail, _ := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-last), last))
			if strings.HasSuffix(strings.TrimSpace(string(tail)), program+": "+waiting) {
				names = append(names, path)
			}
		}
		_ = file.Close() // it was only read
	}
	slices.Sort(names)
	return names
}

// runsOfOwn is in how many runs, each begun by what changed during the one before, a file
// has to change until it is the run's own. Somebody who edits a file saves it during two.
const runsOfOwn = 3

// ownFiles counts during how many such runs a file changed. The server that is judged may
// write a log into the folder that is watched, and each run would begin another.
type ownFiles map[string]int

// begin forgets files that changed between two runs: they are somebody else's. A change
// between two runs also ends a row of runs that began each other.
func (o ownFiles) begin(ended, begun stamps) {
	if maps.Equal(ended, begun) {
		return
	}
	for name, count := range o {
		if count < runsOfOwn || ended[name] != begun[name] {
			delete(o, name)
		}
	}
}

// without is what was there when a run began, with the changes of the run's own files since
// then: what differs from it begins another run. It names the files that became its own.
func (o ownFiles) without(begun, ended stamps) (seen stamps, own []string) {
	seen = maps.Clone(begun)
	counted := map[string]bool{}
	for path := range both(begun, ended) {
		mark, there := ended[path]
		if begun[path] == mark {
			continue
		}
		name := path
		if begun[path] == "" || !there { // each run may write a file with another name
			name = holderOf(path, begun)
		}
		if !counted[name] {
			counted[name] = true
			if o[name]++; o[name] == runsOfOwn {
				own = append(own, name)
			}
		}
		switch {
		case o[name] < runsOfOwn:
		case there:
			seen[path] = mark
		default:
			delete(seen, path)
		}
	}
	slices.Sort(own)
	return seen, own
}

func both(a, b stamps) stamps {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// holderOf names the new or removed files of the nearest folder that held any file.
func holderOf(path string, held stamps) string {
	dir := filepath.Dir(path)
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		for other := range held {
			if other != path && strings.HasPrefix(other, dir+string(filepath.Separator)) {
				return filepath.Join(dir, "*")
			}
		}
	}
	return filepath.Join(dir, "*")
}
