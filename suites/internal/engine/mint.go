package engine

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/internal/commands"
)

// commands runs the commands that the configuration names beside the target.
func (p Plan) commands() commands.Runner {
	return commands.Runner{
		Dir: p.Config.Target.Cwd, Env: p.Config.Target.Environ(), Family: p.Processes.Family(), Timeout: p.Timeout,
		Record: p.Record, Replay: p.Replay,
	}
}

// mint gets a token for a scope and a resource, and hides the token in the report.
func (r *Run) mint(ctx context.Context, scope, resource string) (string, error) {
	get := r.plan.Mint
	if get == nil {
		get = func(ctx context.Context, scope, resource string) (string, error) {
			return r.plan.commands().Token(ctx, r.plan.Config.Principals.TokenCommand, scope, resource)
		}
	}
	token, err := get(ctx, scope, resource)
	if err != nil {
		return "", err
	}
	r.plan.Secrets.Add(token)
	return token, nil
}
