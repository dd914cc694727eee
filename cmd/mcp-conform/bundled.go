package main

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// endpoint is the path of Streamable HTTP on the reference server.
const endpoint = inprocess.Path

// bundled is the reference server as a target: a separate process over stdio, like any
// other server; over HTTP a handler within this process, on loopback.
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
