package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/reach"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// secrets hide what a text must not show. What comes to light in the midst of a run,
// such as a new token, is hidden from then on.
type secrets struct {
	mu     sync.Mutex
	cfg    config.Config
	latest atomic.Pointer[func(string) string]
}

func newSecrets(cfg config.Config) *secrets {
	s := &secrets{cfg: cfg}
	hide := cfg.Redactor()
	s.latest.Store(&hide)
	return s
}

func (s *secrets) hide(text string) string { return (*s.latest.Load())(text) }

func (s *secrets) add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg = s.cfg.Hide(secret)
	hide := s.cfg.Redactor()
	s.latest.Store(&hide)
}

// longestToken bounds what is read of a command that prints one.
const longestToken = 64 << 10

// mint gets a token for a scope and a resource, and hides it from now on.
func (r *Run) mint(ctx context.Context, scope, resource string) (string, error) {
	get := r.plan.Mint
	if get == nil {
		get = r.plan.tokenCommand
	}
	token, err := get(ctx, scope, resource)
	if err != nil {
		return "", err
	}
	token = strings.TrimSpace(token)
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", errors.New("it gave no token on a line of its own")
	}
	r.secrets.add(token)
	return token, nil
}

// tokenCommand runs the command that the configuration names.
func (p Plan) tokenCommand(ctx context.Context, scope, resource string) (string, error) {
	if len(p.Config.Principals.TokenCommand) == 0 {
		return "", errors.New("it is not set")
	}
	argv, err := roles.ExpandTexts(p.Config.Principals.TokenCommand, roles.Vars{Given: map[string]any{"scope": scope, "resource": resource}})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	process, err := target.Command{Argv: argv, Dir: p.Config.Target.Cwd, Env: p.Environment, Family: p.Family}.Launch(ctx)
	if err != nil {
		return "", err
	}
	closing, done := reach.Closing(ctx)
	defer func() { _ = process.Stop(closing, time.Second); done() }()
	_ = process.Stdin.Close() // it has nothing to read
	var printed bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&printed, io.LimitReader(process.Stdout, longestToken))
		_, _ = io.Copy(io.Discard, process.Stdout) // ends with the process
	}()
	select {
	case <-read:
	case <-ctx.Done():
		return "", fmt.Errorf("it did not end within %s", p.Timeout)
	}
	<-process.Exited()
	if code := process.ExitCode(); code != 0 {
		return "", fmt.Errorf("it ended with exit code %d: %s", code, strings.TrimSpace(process.Stderr()))
	}
	return printed.String(), nil
}
