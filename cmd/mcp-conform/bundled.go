package main

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// endpoint is where the reference server serves Streamable HTTP.
const endpoint = inprocess.Path

// bundled is the reference server as a target: over stdio a process of its
// own, as any other server would be; over HTTP within this one, on
// loopback.
func bundled(w world) (config.Config, *suites.Local, error) {
	cfg, err := inprocess.Config(w.env)
	if err != nil {
		return cfg, nil, err
	}
	self, err := w.self()
	if err != nil {
		return cfg, nil, fmt.Errorf("start the reference server: %w", err)
	}
	cfg.Target.Command = []string{self, "serve"}
	local := inprocess.Server(nil)
	local.Serve = nil
	rig := plan.RigOf(local)
	rig.Within = false
	return cfg.Settled(), plan.Rigged(*local, rig), nil
}
