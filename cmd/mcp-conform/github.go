package main

import (
	"bytes"
	"errors"
	"os"
	"syscall"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/annotations"
	"github.com/mcp-conform/mcp-conform/reports/markdown"
)

// toGitHub writes the output for GitHub Actions: annotations, where they are asked for
// or a step shows the text, and the summary of the job. If writing them fails, the step
// keeps its result.
func (f *outputFlags) toGitHub(w world, r reports.Report, o outcome) {
	running, _ := w.env("GITHUB_ACTIONS")
	if f.formats.has(githubFormat) || running == "true" && f.formats.has(textFormat) {
		err := annotations.Write(w.out, r, annotations.Options{Strict: o.strict, File: o.at.file, Line: o.at.line})
		if err != nil && !errors.Is(err, syscall.EPIPE) {
			w.say("write the annotations: %s", err)
		}
	}
	if path, set := w.env("GITHUB_STEP_SUMMARY"); set && path != "" && f.formats.has(summaryFormat) {
		if err := appendSummary(path, r); err != nil {
			w.say("write the summary of the job: %s; it is in %s", err, f.dir)
		}
	}
}

// appendSummary adds to the summary that other commands of the step have written: all of
// it together has to fit.
func appendSummary(path string, r reports.Report) (err error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if info.Size() > 0 {
		b.WriteString("\n\n") // the text before may end amid a line, or in a list
	}
	room := max(markdown.Limit-info.Size(), 1)
	if err := markdown.Write(&b, r, markdown.Options{Limit: int(room)}); err != nil {
		return err
	}
	if info.Size()+int64(b.Len()) > mostOfStep {
		return errors.New("there is no room left in it")
	}
	_, err = file.Write(b.Bytes())
	return err
}

// mostOfStep is the size at which GitHub refuses the whole summary of a step.
const mostOfStep = 1 << 20
