// Package commands runs the commands that the configuration names beside the target: the
// actions of roles, and the command that prints a token.
package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/record"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Runner runs commands in the directory and environment of the target.
type Runner struct {
	Dir     string
	Env     []string       // added to the environment of the kit
	Family  *target.Family // the processes of the target, which the commands join
	Timeout time.Duration  // how long one command may take

	Record *record.Recorder  // keeps what a command answered; nil: nothing does
	Replay *record.Recording // answers in place of every command
}

// longest bounds how many bytes of the output of a command are kept.
const longest = 64 << 10

// Act runs a command and waits until it ends.
func (r Runner) Act(ctx context.Context, argv []string) error {
	_, err := r.run(ctx, argv)
	return err
}

// Token runs a command that prints a token for a scope and a resource.
func (r Runner) Token(ctx context.Context, argv []string, scope, resource string) (string, error) {
	if len(argv) == 0 {
		return "", errors.New("it is not set")
	}
	expanded, err := roles.ExpandTexts(argv, roles.Vars{Given: map[string]any{"scope": scope, "resource": resource}})
	if err != nil {
		return "", err
	}
	printed, err := r.run(ctx, expanded)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(printed)
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", errors.New("it gave no token on a line of its own")
	}
	return token, nil
}

// run runs a command, or repeats what it answered when it was recorded.
func (r Runner) run(ctx context.Context, argv []string) (string, error) {
	question := strings.Join(append([]string{"the command"}, argv...), " ")
	if r.Replay != nil {
		return r.Replay.Answer(question)
	}
	printed, err := r.really(ctx, argv)
	r.Record.Answer(question, printed, err)
	return printed, err
}

// really runs a command, waits for its end at most as long as for an answer, and returns
// its output. Processes that the command leaves in the background are ended, too.
func (r Runner) really(ctx context.Context, argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	process, err := target.Command{Argv: argv, Dir: r.Dir, Env: r.Env, Trusted: true, Family: r.Family}.Launch(ctx)
	if err != nil {
		return "", err
	}
	closing, done := connect.Closing(ctx)
	defer func() { _ = process.Stop(closing, time.Second, nil); done() }()
	_ = process.Stdin.Close() // the command gets no input
	var printed bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&printed, io.LimitReader(process.Stdout, longest))
		_, _ = io.Copy(io.Discard, process.Stdout) // ends with the process
	}()
	select {
	case <-process.Exited():
	case <-ctx.Done():
		return "", fmt.Errorf("it did not end within %s", r.Timeout)
	}
	if code := process.ExitCode(); code != 0 {
		return "", fmt.Errorf("it ended with exit code %d: %s", code, strings.TrimSpace(process.Stderr()))
	}
	select {
	case <-read:
	case <-ctx.Done():
		return "", fmt.Errorf("what it printed did not end within %s", r.Timeout)
	}
	return printed.String(), nil
}
