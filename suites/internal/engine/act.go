package engine

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

// act runs a command that a role names as an action, where the target's own
// commands run, and waits for its end.
func (g *Gathering) act(ctx context.Context, argv []string) error {
	command := target.Command{Argv: argv, Dir: g.plan.Config.Target.Cwd, Env: g.plan.Environment}
	process, err := command.Launch(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = process.Stop(context.WithoutCancel(ctx), time.Second) }()
	go func() { _, _ = io.Copy(io.Discard, process.Stdout) }() // ends with the process
	select {
	case <-process.Exited():
	case <-ctx.Done():
		return ctx.Err()
	}
	if code := process.ExitCode(); code != 0 {
		return fmt.Errorf("it ended with exit code %d: %s", code, strings.TrimSpace(process.Stderr()))
	}
	return nil
}
