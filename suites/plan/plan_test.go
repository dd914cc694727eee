package plan_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Each row is a target, the transport asked for, and the transports to judge.
func TestTransports(t *testing.T) {
	t.Parallel()
	serve := func(context.Context, <-chan struct{}, io.Reader, io.Writer, io.Writer) int { return 0 }
	command, url, sse := []string{"server"}, "http://h/mcp", "http://h/sse"
	const stdio, overHTTP, overSSE = requirements.Stdio, requirements.HTTP, requirements.SSE
	for name, row := range map[string]struct {
		target config.Target
		local  *plan.Local
		wanted config.Transport
		want   []requirements.Transport
	}{
		"nothing":                     {wanted: config.Auto},
		"a command":                   {target: config.Target{Command: command}, wanted: config.Auto, want: []requirements.Transport{stdio}},
		"a command, over HTTP":        {target: config.Target{Command: command}, wanted: config.HTTP},
		"both":                        {target: config.Target{Command: command, URL: url}, wanted: config.Auto, want: []requirements.Transport{stdio, overHTTP}},
		"one URL is the newer":        {target: config.Target{URL: url}, wanted: config.Auto, want: []requirements.Transport{overHTTP}},
		"one URL, over HTTP+SSE":      {target: config.Target{URL: url}, wanted: config.SSE, want: []requirements.Transport{overSSE}},
		"one URL, over stdio":         {target: config.Target{URL: url}, wanted: config.Stdio},
		"two URLs":                    {target: config.Target{URL: url, SSEURL: sse}, wanted: config.Auto, want: []requirements.Transport{overHTTP, overSSE}},
		"the older URL, over HTTP":    {target: config.Target{SSEURL: sse}, wanted: config.HTTP},
		"within the program":          {local: &plan.Local{Serve: serve, Handler: http.NotFoundHandler()}, wanted: config.Auto, want: []requirements.Transport{stdio, overHTTP}},
		"within, over HTTP+SSE":       {local: &plan.Local{Handler: http.NotFoundHandler(), SSE: "/sse"}, wanted: config.SSE, want: []requirements.Transport{overSSE}},
		"within, and has no HTTP+SSE": {local: &plan.Local{Handler: http.NotFoundHandler()}, wanted: config.SSE},
		"a command beside a handler": {target: config.Target{Command: command, URL: url}, local: &plan.Local{Handler: http.NotFoundHandler()}, wanted: config.Auto,
			want: []requirements.Transport{stdio, overHTTP}},
	} {
		cfg := config.Default()
		cfg.Target, cfg.Transport = row.target, row.wanted
		if got := plan.Transports(cfg, row.local); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// The parts hold everything once.
func TestShardHas(t *testing.T) {
	t.Parallel()
	for n := range 10 {
		parts := 0
		for i := 1; i <= 3; i++ {
			if (plan.Shard{Index: i, Of: 3}).Has(n) {
				parts++
			}
		}
		if parts != 1 || !(plan.Shard{}).Has(n) {
			t.Errorf("%d parts have %d", parts, n)
		}
	}
}

// A rig stays with its copy of the server.
func TestRigged(t *testing.T) {
	t.Parallel()
	plain := plan.Local{Path: "/mcp"}
	rigged := plan.Rigged(plain, plan.Rig{Within: true})
	if !plan.RigOf(rigged).Within || rigged.Path != "/mcp" || plan.RigOf(&plain).Within || plan.RigOf(nil).Within {
		t.Errorf("got %+v, %+v", rigged, plain)
	}
}
