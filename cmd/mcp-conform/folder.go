package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A folder is where a run writes its files. Until it is closed it belongs to the
// run: another one that wants it is told so.
type folder struct {
	dir  string
	lock *os.File
}

const (
	lockFile = ".mcp-conform.lock"
	tempFile = ".mcp-conform-*.tmp"
)

// openFolder makes a folder ready before anything is judged. What an earlier run
// wrote stays until there is something to put in its place.
func openFolder(dir string) (*folder, error) {
	if dir == "" {
		return nil, &misuse{"--out is empty", "is a variable unset?"}
	}
	const hint = "name another folder with --out"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &misuse{"the report folder cannot be created: " + err.Error(), hint}
	}
	lock, err := takeLock(filepath.Join(dir, lockFile))
	switch {
	case errors.Is(err, errTaken):
		return nil, &misuse{"another run is writing into " + dir, "wait for it, or " + hint}
	case err != nil:
		return nil, &misuse{"the report folder cannot be written: " + err.Error(), hint}
	}
	f := &folder{dir, lock}
	for _, o := range outputs() {
		if info, err := os.Stat(filepath.Join(dir, o.file)); err == nil && !info.Mode().IsRegular() {
			return nil, errors.Join(&misuse{"the report folder cannot be written: " + o.file + " is not a file", hint}, f.close())
		}
	}
	// A run that was killed leaves some.
	left, _ := filepath.Glob(filepath.Join(dir, tempFile)) // the pattern is well formed
	for _, each := range left {
		_ = os.Remove(each) // it stays behind, and is in nobody's way
	}
	return f, nil
}

// close gives the folder back.
func (f *folder) close() error {
	gone := os.Remove(f.lock.Name())
	return errors.Join(gone, f.lock.Close())
}

// takeLock takes a lock that ends with the process at the latest. Whoever had it
// before may have removed the file in the meantime.
func takeLock(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := tryLock(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		mine, err := file.Stat()
		there, err2 := os.Stat(path)
		if err == nil && err2 == nil && os.SameFile(mine, there) {
			return file, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

var errTaken = errors.New("somebody else has the lock")

// put replaces the files of an earlier run by those of this one, and removes what
// this one did not make. Where one of them cannot be written, all stay as they
// were.
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
		temp, err := stage(f.dir, content)
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		staged[name] = temp
	}
	for name, temp := range staged {
		if err := os.Rename(temp, filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	for _, o := range outputs() {
		if _, made := files[o.file]; made {
			continue
		}
		if err := os.Remove(filepath.Join(f.dir, o.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// stage writes a file under a name of its own and returns it.
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
		err = file.Sync() // else a disk that is full may say so later
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
