package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/html"
)

// The files over all servers.
const (
	indexFile = "fleet.json"
	indexPage = "index.html"
)

// fleetOutputs are the files of a fleet, by which it knows what it may replace.
func fleetOutputs() []output {
	return []output{
		{file: indexFile, mark: `"plan": "[0-9a-f]{24}"`},
		{file: indexPage, mark: `<meta name="generator" content="mcp-conform`},
	}
}

func rowOutput() output { return output{file: rowFile, mark: `"plan": "[0-9a-f]{24}"`} }

// A fleetFolder is the directory of a fleet, which owns it until it closes it.
type fleetFolder struct{ *folder }

func openFleet(dir string) (*fleetFolder, error) {
	f, err := openFolder(dir, nil)
	if err != nil {
		return nil, err
	}
	for _, o := range fleetOutputs() {
		if err := o.replaceable(f.dir); err != nil {
			const hint = "move that file away, or name another folder with --out"
			return nil, errors.Join(&misuse{"the folder cannot be written: " + err.Error(), hint}, f.close())
		}
	}
	return &fleetFolder{f}, nil
}

// put writes the index, the page first: who finds fleet.json finds both.
func (f *fleetFolder) put(x fleet.Index) error {
	var page, data bytes.Buffer
	if err := errors.Join(html.WriteFleet(&page, x), fleet.Write(&data, x)); err != nil {
		return err
	}
	return errors.Join(replace(filepath.Join(f.dir, indexPage), page.Bytes()), replace(filepath.Join(f.dir, indexFile), data.Bytes()))
}

// readIndex reads the index of a part.
func readIndex(dir string) (fleet.Index, error) {
	var x fleet.Index
	text, err := os.ReadFile(filepath.Join(dir, indexFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return x, &misuse{dir + " has no " + indexFile, "was that part killed? The same command with --resume finishes it"}
	case err != nil:
		return x, &misuse{err.Error(), ""}
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return x, &misuse{filepath.Join(dir, indexFile) + ": " + err.Error(), ""}
	}
	if x.Format != fleet.Format {
		return x, &misuse{fmt.Sprintf("%s has format %d, want %d", filepath.Join(dir, indexFile), x.Format, fleet.Format), ""}
	}
	codes := []int{reports.ExitPassed, reports.ExitFailed, reports.ExitUsage, reports.ExitUnjudged, reports.ExitInterrupted}
	for i, row := range x.Servers {
		if !row.Status.Known() || !slices.Contains(codes, row.ExitCode) {
			return x, &misuse{fmt.Sprintf("%s: %s has the status %s and the exit code %d, as no run does", filepath.Join(dir, indexFile),
				quoted(row.Name), quoted(string(row.Status)), row.ExitCode), ""}
		}
		x.Servers[i].Folder = folderOf(row.Name) // a file of somebody else names no path
	}
	return x, nil
}

// take copies the files of a server from the folder of a part, in the place of those of an
// earlier join.
func (f *fleetFolder) take(part string, row fleet.Row) error {
	of := filepath.FromSlash(row.Folder)
	from, to := filepath.Join(part, of), filepath.Join(f.dir, of)
	if row.Page && !isFile(filepath.Join(from, pageFile)) {
		return &misuse{filepath.Join(from, pageFile) + " is not there, and " + filepath.Join(part, indexFile) + " names it", ""}
	}
	if same, err := sameFolder(from, to); err != nil || same {
		return err
	}
	if err := cleared(to); err != nil {
		return &misuse{to + " cannot be written: " + err.Error(), ""}
	}
	for _, o := range append(outputs(), rowOutput()) {
		path := filepath.Join(from, o.file)
		if !isFile(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := o.replaceable(to); err != nil {
			return &misuse{to + " cannot be written: " + err.Error(), ""}
		}
		if err := replace(filepath.Join(to, o.file), text); err != nil {
			return err
		}
	}
	return nil
}

func sameFolder(a, b string) (bool, error) {
	one, err := os.Stat(a)
	if err != nil {
		return false, ignoreMissing(err) // a server without a report has no folder
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two), ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
