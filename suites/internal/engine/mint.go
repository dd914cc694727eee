package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/commands"
)

// commands runs the commands that the configuration names beside the target.
func (p Plan) commands() commands.Runner {
	return commands.Runner{Dir: p.Config.Target.Cwd, Env: p.Config.Target.Environ(), Family: p.Processes.Family(), Timeout: p.Timeout}
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
	token = strings.TrimSpace(token)
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", errors.New("it gave no token on a line of its own")
	}
	r.plan.Secrets.Add(token)
	return token, nil
}
