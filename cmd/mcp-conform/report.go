package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/annotations"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// stdin is how a command line names standard input.
const stdin = "-"

func reportCommand(w world) *cobra.Command {
	var f outputFlags
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "report FILE [flags]",
		Short: "write a report.json in other formats",
		Long: `Read the report.json of an earlier run and write it in other formats, as that
run would have. FILE may be -, standard input.

One format goes to standard output. Several, or one that makes several files, go
to the folder of --out; what else stands there stays.`,
		Example: "mcp-conform report mcp-conform-report/report.json\n" +
			"mcp-conform report report.json --format junit > junit.xml\n" +
			"mcp-conform report report.json --format junit,badge --out reports",
		DisableFlagsInUseLine: true,
		Args:                  files(1, 1, "want one report.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkVolume(); err != nil {
				return err
			}
			r, err := readReport(w, args[0])
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("format") {
				f.formats.values = []string{textFormat}
			}
			if err := f.rewrite(w, r); err != nil {
				return err
			}
			return ending(exitCode, r)
		},
	}
	s := f.section()
	s.flags.Lookup("out").DefValue, f.dir = "", ""
	s.flags.Lookup("out").Usage = "write files to this `folder`"
	s.flags.Lookup("format").DefValue = textFormat
	s.flags.Lookup("format").Usage = "write these"
	f.formats.known = append(f.formats.known, outputsFormat)
	s.flags.Lookup("quiet").Usage = "show the verdict only"
	exitCodeFlag(s, &exitCode)
	sectioned(w, cmd, s)
	complete(cmd, "format", func() []string { return f.formats.known })
	return cmd
}

func exitCodeFlag(s section, to *bool) {
	s.flags.BoolVar(to, "exit-code", false, "end with the exit code of the verdict instead of 0")
}

// ending turns the exit code of the verdict into an error, if the flag asks for it.
func ending(asked bool, r reports.Report) error {
	if asked && r.Verdict.ExitCode != reports.ExitPassed {
		return exit(r.Verdict.ExitCode)
	}
	return nil
}

// files accepts a number of arguments within bounds, none of them empty.
func files(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return &misuse{what, `see "` + cmd.CommandPath() + ` --help"`}
		}
		if slices.Contains(args, "") {
			return &misuse{"the name of a file is empty", "is a variable unset?"}
		}
		return nil
	}
}

// readReport reads a named report.json. Any fault of the file counts as wrong use.
func readReport(w world, name string) (reports.Report, error) {
	in, shown := w.in, "standard input"
	if name != stdin {
		file, err := os.Open(name)
		if err != nil {
			return reports.Report{}, &misuse{"the report cannot be read: " + err.Error(), ""}
		}
		defer func() { _ = file.Close() }() // a file opened for reading loses nothing
		if info, err := file.Stat(); err == nil && info.Size() > jsonfile.Limit {
			return reports.Report{}, &misuse{fmt.Sprintf("%s: it has %d bytes, and a report at most %d", name, info.Size(), jsonfile.Limit), ""}
		}
		in, shown = file, name
	}
	r, err := jsonfile.Read(in)
	if err != nil {
		return r, &misuse{shown + ": " + err.Error(), ""}
	}
	return r, nil
}

// rewrite writes a report in the wanted formats.
func (f *outputFlags) rewrite(w world, r reports.Report) error {
	at := place{r.Run.Config, r.Run.ConfigLine}
	o := outcome{r.Run.Strict, at, f.asTests(r.Run.Strict)}
	var toFiles []output
	for _, one := range outputs() {
		if one.format != always && f.formats.has(one.format) {
			toFiles = append(toFiles, one)
		}
	}
	if f.dir != "" {
		if err := f.refresh(w, r, o, toFiles); err != nil {
			return err
		}
		toFiles = nil
	}
	screens := len(toFiles)
	for _, format := range []string{textFormat, githubFormat, outputsFormat} {
		if f.formats.has(format) {
			screens++
		}
	}
	if screens > 1 {
		return &misuse{"--format " + f.formats.String() + " makes several files", "name a folder with --out"}
	}
	var err error
	switch {
	case f.formats.has(textFormat):
		err = text.Write(w.out, r, text.Options{Color: colored(f.color.value, w), Width: width(w.out), Verbose: f.verbose, Quiet: f.quiet})
	case f.formats.has(githubFormat):
		err = annotations.Write(w.out, r, annotations.Options{Strict: o.strict, File: at.file, Line: at.line})
	case f.formats.has(outputsFormat):
		err = stepOutputs(w.out, r)
	case len(toFiles) == 1:
		err = toFiles[0].write(w.out, r, o)
	}
	return unread(err)
}

// unread drops the error of a reader that closed the pipe.
func unread(err error) error {
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// refresh writes files into a folder and keeps its other files.
func (f *outputFlags) refresh(w world, r reports.Report, o outcome, wanted []output) error {
	if err := staysInside(f.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return &misuse{"the folder cannot be created: " + err.Error(), "name another one with --out"}
	}
	var names []string
	for _, one := range wanted {
		if err := one.replaceable(f.dir); err != nil {
			return &misuse{"the folder cannot be written: " + err.Error(), "move that file away, or name another folder with --out"}
		}
		var b bytes.Buffer
		if err := one.write(&b, r, o); err != nil {
			return fmt.Errorf("make %s: %w", one.file, err)
		}
		if err := replace(filepath.Join(f.dir, one.file), b.Bytes()); err != nil {
			return err
		}
		names = append(names, one.file)
	}
	if len(names) > 0 {
		w.say("wrote %s in %s", strings.Join(names, ", "), f.dir)
	}
	return nil
}

// replace writes a file in one step: on failure the old file stays. What is no file, such as
// a pipe or /dev/null, stays what it is and takes the content.
func replace(path string, content []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return pour(path, content)
	}
	temp, err := stage(filepath.Dir(path), content)
	if err == nil {
		if err = os.Rename(temp, path); err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}
	if err != nil {
		return &misuse{"the file cannot be written: " + err.Error(), ""}
	}
	return nil
}

// writable refuses a file of a flag that could not be written at the end of a run: what the run
// has found would be lost then.
func writable(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a pipe or a device
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &misuse{fmt.Sprintf("%s: %s cannot be written: %s is not a folder", flag, path, folder), "create it, or name another file"}
	}
	temp, err := stage(folder, nil)
	if err == nil {
		err = os.Remove(temp)
	}
	if reason := (*fs.PathError)(nil); errors.As(err, &reason) {
		err = reason.Err // the name of the temporary file tells nobody anything
	}
	if err != nil {
		return &misuse{fmt.Sprintf("%s: %s cannot be written: %v", flag, path, err), "name another file"}
	}
	return nil
}

// pour writes into a pipe or a device.
func pour(path string, content []byte) error {
	into, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = into.Write(content)
		err = errors.Join(err, into.Close())
	}
	if err != nil {
		return &misuse{"the file cannot be written: " + err.Error(), ""}
	}
	return nil
}

// deliverFile writes to a file, or to standard output if no file is named.
func deliverFile(w world, path string, write func(io.Writer) error) error {
	if path == "" || path == stdin || path == "/dev/stdout" {
		return unread(write(w.out))
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := replace(path, b.Bytes()); err != nil {
		return err
	}
	w.say("wrote %s", path)
	return nil
}
