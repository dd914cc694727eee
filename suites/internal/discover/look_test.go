package discover_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func look(t requirements.Transport, dial func(context.Context) (probe.Conn, error)) discover.Look {
	return discover.Look{Transport: t, Setup: probe.Setup{
		Memory: &probe.Memory{}, Capabilities: probe.Object{}, Kit: probe.Object{"name": "kit", "version": "1"},
		Waits: probe.Waits{Answer: 10 * time.Second, Event: time.Second, Pages: 3},
		Dial: func(ctx context.Context) (probe.Link, error) {
			conn, err := dial(ctx)
			return probe.Link{Conn: conn}, err
		},
	}}
}

func stdio(s *fakeserver.Server) discover.Look {
	return look(requirements.Stdio, func(ctx context.Context) (probe.Conn, error) {
		return wire.DialStdio(ctx, target.Memory{Serve: s.Serve}, wire.Options{})
	})
}

func overHTTP(t *testing.T, s *fakeserver.Server) discover.Look {
	t.Helper()
	front := httptest.NewServer(s.Handler())
	t.Cleanup(front.Close)
	return look(requirements.HTTP, func(ctx context.Context) (probe.Conn, error) {
		return wire.DialHTTP(ctx, wire.HTTPTarget{URL: front.URL}, wire.Options{})
	})
}

// discovery is what a server answers that knows the stateless era.
func discovery(versions ...any) map[string]func(fakeserver.Request) any {
	return map[string]func(fakeserver.Request) any{"server/discover": func(fakeserver.Request) any {
		return map[string]any{"resultType": "complete", "supportedVersions": versions, "capabilities": map[string]any{"tools": map[string]any{}},
			"_meta": map[string]any{"io.modelcontextprotocol/serverInfo": map[string]any{"name": "modern", "version": "2"}}}
	}}
}

// all gives the same answer to everything.
func all(answer any) map[string]func(fakeserver.Request) any {
	answers := map[string]func(fakeserver.Request) any{}
	for _, method := range []string{"initialize", "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping"} {
		answers[method] = func(fakeserver.Request) any { return answer }
	}
	return answers
}
