package config

import (
	"errors"
	"slices"
	"time"
)

// Target is a server under test and the ways to reach it. It is usable without
// any file.
type Target struct {
	Command []string          // serves stdio
	Args    []string          // appended to Command, or to Start where there is no Command
	Cwd     string            // the directory of Command, Start and every action; empty is the working directory
	Env     map[string]string // added to the environment
	URL     string            // Streamable HTTP endpoint
	Headers map[string]string // sent with every request
	Start   []string          // serves URL
	Wait    time.Duration     // how long to poll URL until it answers
	Durable bool              // state survives the stdio process
	Own     bool              // durable: false is written: each stdio process has a state of its own

	SSEURL          string // HTTP+SSE endpoint, if it differs from URL
	WellKnownURL    string // empty: derived from URL
	CapabilitiesURL string // empty: derived from URL
	KitURL          string // origin at which the target reaches the kit; empty: loopback

	CA    string // file of certificates to trust in addition to the system's
	HTTP2 bool   // the server speaks HTTP/2 from the first byte on
}

// Empty reports whether the target names no server.
func (t Target) Empty() bool {
	return len(t.Command) == 0 && t.URL == "" && t.SSEURL == "" && len(t.Start) == 0
}

// Argv returns the command that serves stdio with its arguments, nil without
// one.
func (t Target) Argv() []string {
	if len(t.Command) == 0 {
		return nil
	}
	return slices.Concat(t.Command, t.Args)
}

// StartArgv returns the command that serves URL with its arguments, nil without
// one.
func (t Target) StartArgv() []string {
	if len(t.Start) == 0 {
		return nil
	}
	if len(t.Command) > 0 {
		return slices.Clone(t.Start)
	}
	return slices.Concat(t.Start, t.Args)
}

// Check finds settings that contradict each other. Call it after the flags,
// since they may complete the file.
func (t Target) Check() error {
	switch {
	case len(t.Start) > 0 && t.URL == "" && t.SSEURL == "":
		return errors.New("target.start needs target.url, the URL that it serves")
	case len(t.Args) > 0 && len(t.Command) == 0 && len(t.Start) == 0:
		return errors.New("target.args needs target.command or target.start")
	}
	return nil
}

// Environ is the environment that commands of the target get in addition to the kit's.
func (t Target) Environ() []string {
	var all []string
	for name, value := range t.Env {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}
