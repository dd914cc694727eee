package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A folder is the directory in which a run writes its files. The run owns it until it
// closes it: another run that wants it gets an error. Files of others stay as they are.
type folder struct {
	dir     string
	lock    *os.File // nil: released
	foreign []string // files of others under names of ours

	changing  sync.Mutex // held while files change
	abandoned bool
}

const (
	lockFile = ".mcp-conform.lock"
	tempFile = ".mcp-conform-*.tmp"
)

// openFolder makes a folder ready before anything is judged. Files of an earlier run
// stay until new files replace them.
func openFolder(dir string, wanted []output) (*folder, error) {
	return openFolderWithin(0, dir, wanted)
}

// openFolderWithin waits so long for another run to leave the folder.
func openFolderWithin(patience time.Duration, dir string, wanted []output) (*folder, error) {
	if dir == "" {
		return nil, &misuse{"--out is empty", "is a variable unset?"}
	}
	const hint = "name another folder with --out"
	dir = filepath.Clean(dir)
	if err := staysInside(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &misuse{"the report folder cannot be created: " + err.Error(), hint}
	}
	lock, err := takeLock(filepath.Join(dir, lockFile))
	for began := time.Now(); errors.Is(err, errTaken) && time.Since(began) < patience; lock, err = takeLock(filepath.Join(dir, lockFile)) {
		time.Sleep(50 * time.Millisecond)
	}
	switch {
	case errors.Is(err, errTaken):
		return nil, &misuse{"another run is writing into " + dir, "wait for it, or " + hint}
	case err != nil:
		return nil, &misuse{"the report folder cannot be written: " + err.Error(), hint}
	}
	f := &folder{dir: dir, lock: lock}
	for _, o := range outputs() {
		if err := o.replaceable(dir); err != nil {
			f.foreign = append(f.foreign, o.file)
			if slices.ContainsFunc(wanted, func(w output) bool { return w.file == o.file }) {
				return nil, errors.Join(&misuse{"the report folder cannot be written: " + err.Error(), "move that file away, or " + hint}, f.close())
			}
		}
	}
	f.sweep() // a run that was killed leaves such files
	return f, nil
}

// close releases the folder.
func (f *folder) close() error {
	f.changing.Lock()
	defer f.changing.Unlock()
	return f.release()
}

func (f *folder) release() error {
	if f.lock == nil {
		return nil
	}
	gone := os.Remove(f.lock.Name())
	err := errors.Join(gone, f.lock.Close())
	f.lock = nil
	return err
}

// abandon releases the folder for a process that ends at once. If the files are about to
// be replaced, either all of them are, or none.
func (f *folder) abandon() {
	f.changing.Lock()
	defer f.changing.Unlock()
	f.abandoned = true
	f.sweep()
	_ = f.release() // the next run finds a file that stayed
}

// sweep removes the temporary files. One that stays does no harm.
func (f *folder) sweep() {
	inside, _ := os.ReadDir(f.dir)
	for _, each := range inside {
		if left, _ := filepath.Match(tempFile, each.Name()); left { // the pattern is well formed
			_ = os.Remove(filepath.Join(f.dir, each.Name()))
		}
	}
}

// change makes a change of the files, unless the folder was abandoned.
func (f *folder) change(do func() error) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	if f.abandoned {
		return errors.New("the run is over")
	}
	return do()
}

// takeLock takes a lock that ends with the process at the latest. Its last owner may
// have removed the file in the meantime. A link would lead the lock anywhere.
func takeLock(path string) (*os.File, error) {
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return nil, errors.New(filepath.Base(path) + " is not a file")
		}
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o644)
		if err != nil {
			return nil, err
		}
		if err := tryLock(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		mine, err := file.Stat()
		there, err2 := os.Lstat(path)
		if err == nil && err2 == nil && os.SameFile(mine, there) {
			return file, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

var errTaken = errors.New("somebody else has the lock")

// put replaces the files of an earlier run, and removes those that this run did not make,
// but no file that was there before and that the kit did not write. If one file cannot be
// written, all files stay as they were.
func (f *folder) put(files map[string][]byte) (err error) {
	staged := map[string]string{}
	defer func() {
		for _, temp := range staged {
			if gone := os.Remove(temp); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}()
	for name, content := range files {
		err := f.change(func() (err error) {
			staged[name], err = stage(f.dir, content)
			return err
		})
		if err != nil {
			delete(staged, name)
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return f.change(func() error { return f.exchange(staged) })
}

// exchange gives the new files their names, and removes those that have no successor.
func (f *folder) exchange(staged map[string]string) error {
	for name, temp := range staged {
		if err := os.Rename(temp, filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	for _, o := range outputs() {
		if _, made := staged[o.file]; made || slices.Contains(f.foreign, o.file) {
			continue
		}
		if err := os.Remove(filepath.Join(f.dir, o.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// stage writes a file under a temporary name and returns the name.
func stage(dir string, content []byte) (name string, err error) {
	file, err := os.CreateTemp(dir, tempFile)
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err == nil {
		err = file.Sync() // otherwise a full disk may report its error too late
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// names lists files in the order of outputs.
func names(files map[string][]byte) string {
	var all []string
	for _, o := range outputs() {
		if _, made := files[o.file]; made && !slices.Contains(all, o.file) {
			all = append(all, o.file)
		}
	}
	return strings.Join(all, ", ")
}
