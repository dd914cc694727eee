package engine

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/reach"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

// act runs a command that a role names as an action, where the target's own
// commands run, and waits for its end as for an answer. What it leaves in the
// background ends with it.
func (p Plan) act(ctx context.Context, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	command := target.Command{Argv: argv, Dir: p.Config.Target.Cwd, Env: p.Environment, Family: p.Family}
	process, err := command.Launch(ctx)
	if err != nil {
		return err
	}
	closing, done := reach.Closing(ctx)
	defer func() { _ = process.Stop(closing, time.Second); done() }()
	_ = process.Stdin.Close()                                  // it has nothing to read
	go func() { _, _ = io.Copy(io.Discard, process.Stdout) }() // ends with the process
	select {
	case <-process.Exited():
	case <-ctx.Done():
		return fmt.Errorf("it did not end within %s", p.Timeout)
	}
	if code := process.ExitCode(); code != 0 {
		return fmt.Errorf("it ended with exit code %d: %s", code, strings.TrimSpace(process.Stderr()))
	}
	return nil
}
