package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// markWithin is how far from the begin or the end of a file its mark may be.
const markWithin = 4 << 10

// replaceable returns why the kit may not replace or remove the file of an output in a
// folder; nil: it is not there, it is empty, or the kit has written it. As generated code
// does, a file says itself who wrote it: a list of written files beside it would not come
// along where files are copied, kept by a build server or checked out.
func (o output) replaceable(dir string) error {
	path := filepath.Join(dir, o.file)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New(o.file + " is not a file")
	case info.Size() == 0:
		return nil
	}
	ends, err := endsOf(path, info.Size())
	if err != nil {
		return err
	}
	if !regexp.MustCompile(o.mark).MatchString(ends) {
		return errors.New("mcp-conform did not write the " + o.file + " that is there")
	}
	return nil
}

// endsOf reads the begin and the end of a file.
func endsOf(path string, size int64) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // a file opened for reading loses nothing
	begin, err := io.ReadAll(io.LimitReader(file, markWithin))
	if err != nil || size <= markWithin {
		return string(begin), err
	}
	end, err := io.ReadAll(io.NewSectionReader(file, max(size-markWithin, markWithin), markWithin))
	return string(begin) + string(end), err
}

// staysInside refuses a folder to which a symbolic link leads out of the working directory.
func staysInside(dir string) error {
	if to, out := leadsOut(dir); out {
		return &misuse{
			dir + " is a symbolic link, or lies behind one, that leads out of the working directory",
			"to write there, say --out " + shellWords([]string{to}),
		}
	}
	return nil
}

// leadsOut returns where a relative path really leads, if a symbolic link on it leads out
// of the working directory: whoever wrote the files there chose that, not the user.
func leadsOut(dir string) (to string, out bool) {
	here, err := os.Getwd()
	if err != nil || filepath.IsAbs(dir) {
		return "", false
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return "", false
	}
	path := filepath.Join(here, dir)
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err != nil && at != filepath.Dir(at) {
			continue // only what exists can be a link
		}
		is, err := filepath.EvalSymlinks(at)
		if err != nil || is == at {
			return "", false
		}
		rest, err := filepath.Rel(at, path)
		if err != nil {
			return "", false
		}
		to = filepath.Join(is, rest)
		inside, err := filepath.Rel(here, to)
		return to, err != nil || !filepath.IsLocal(inside)
	}
}
