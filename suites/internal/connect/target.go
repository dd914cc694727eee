package connect

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Target is the server to judge, started where necessary.
type Target struct {
	Ways   []Way
	Config config.Config // including the credentials of a local server
	// Mint gets a token for a scope and a resource from a local server with such a
	// function.
	Mint func(ctx context.Context, scope, resource string) (string, error)
	// Trouble says why the start command did not serve; empty where it did.
	Trouble string

	started *target.Process // the server of the URL; nil: none was started
	stops   []func()
}

// To finds the ways to the target of a plan, and starts the servers for them.
// It fails only for a plan that cannot be carried out.
func To(ctx context.Context, p plan.Plan) (*Target, error) {
	t := &Target{Config: p.Config}
	if err := t.find(ctx, p); err != nil {
		t.Stop()
		return nil, err
	}
	return t, nil
}

// Stop ends everything that To started.
func (t *Target) Stop() {
	for _, each := range slices.Backward(t.stops) {
		each()
	}
}

func (t *Target) find(ctx context.Context, p plan.Plan) error {
	transports := plan.Transports(p.Config, p.Local)
	if len(transports) == 0 {
		return errors.New(missingWay(p.Config))
	}
	first := p.Config.AsFirst()
	pool, err := pooled(p.Config)
	if err != nil {
		return err
	}
	pace := wire.NewPace(p.Config.Limits.Rate)
	defer func() { t.stops = append(t.stops, pool.CloseIdleConnections) }()
	for _, tr := range transports {
		way := Way{Transport: tr, Pool: pool, Pace: pace, Record: p.Record, Replay: p.Replay}
		switch path := plan.PathOf(p.Local, tr); {
		case tr == requirements.Stdio:
			way.Pool, way.Launcher = nil, launcher(p, first)
		case path != "":
			if way, err = t.serve(ctx, p.Local, path, way); err != nil {
				return err
			}
		default:
			way.Headers, way.Login = header(first.Headers), first.HasLogin()
			if way.URL = first.URL; tr == requirements.SSE {
				way.URL = cmp.Or(first.SSEURL, first.URL)
			}
			way.Older = tr == requirements.HTTP && first.SSEURL == "" && p.Config.Transport == config.Auto
		}
		t.Ways = append(t.Ways, way)
	}
	if p.Replay != nil {
		return nil // nothing is started
	}
	remote := slices.IndexFunc(t.Ways, func(w Way) bool { return w.Transport != requirements.Stdio && !w.Own })
	if remote < 0 {
		return nil
	}
	if argv := first.StartArgv(); argv != nil {
		t.start(ctx, first, target.Command{Argv: argv, Dir: first.Cwd, Env: first.Environ(), Family: p.Processes.Family()}, t.Ways[remote])
	}
	t.Ways[remote].Settle(ctx)
	return nil
}

// launcher starts the server over stdio: a local one, or the command.
func launcher(p plan.Plan, t config.Target) target.Launcher {
	if p.Local != nil && p.Local.Serve != nil {
		return target.Memory{Serve: p.Local.Serve}
	}
	return target.Command{Argv: t.Argv(), Dir: t.Cwd, Env: t.Environ(), Family: p.Processes.Family()}
}

// missingWay says why a target lacks the transport that the user asked for.
func missingWay(cfg config.Config) string {
	if cfg.Transport == config.Auto {
		return "the target has neither a command nor a URL: Config.Target in Go, target in mcp-conform.yaml"
	}
	return "the target names no " + string(cfg.Transport) + " server: stdio needs a command, http a URL"
}

func header(of map[string]string) http.Header {
	h := http.Header{}
	for name, value := range of {
		h.Set(name, value)
	}
	return h
}
