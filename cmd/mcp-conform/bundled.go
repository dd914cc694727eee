package main

import (
	"fmt"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// endpoint is where the reference server serves Streamable HTTP.
const endpoint = "/mcp"

// bundled is the reference server as a target: over stdio a process of its
// own, as any other server would be; over HTTP within this one.
func bundled(w world) (config.Config, *suites.Local, error) {
	cfg, err := referenceConfig(w.env)
	if err != nil {
		return cfg, nil, err
	}
	self, err := w.self()
	if err != nil {
		return cfg, nil, fmt.Errorf("start the reference server: %w", err)
	}
	s, err := server.New(server.Options{})
	if err != nil {
		return cfg, nil, fmt.Errorf("make the reference server: %w", err)
	}
	cfg.Target.Command = []string{self, "serve"}
	return cfg.Settled(), &suites.Local{Handler: s.Handler(), Path: endpoint}, nil
}

// referenceConfig is the configuration that the reference server comes with,
// without a way to reach it.
func referenceConfig(env config.Environment) (config.Config, error) {
	cfg, err := config.Parse("mcp-conform.yaml of the reference server", referenceserver.Config, env, known())
	if err != nil {
		return cfg, err
	}
	own := cfg.Target
	cfg.Target = config.Default().Target
	cfg.Target.Durable = own.Durable
	cfg.File, cfg.Dir = "", "."
	return cfg, nil
}
