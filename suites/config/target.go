package config

import (
	"errors"
	"slices"
	"time"
)

// Target is a server under test and how it is reached. It is usable without
// any file.
type Target struct {
	Command []string          // serves stdio
	Args    []string          // appended to Command, or without one to Start
	Cwd     string            // where Command, Start and every action run; empty is the working directory
	Env     map[string]string // added to the environment
	URL     string            // Streamable HTTP endpoint
	Headers map[string]string // sent with every request
	Start   []string          // serves URL
	Wait    time.Duration     // how long URL is polled until it answers
	Durable bool              // state outlives the stdio process

	SSEURL          string // HTTP+SSE endpoint, when it is not URL
	WellKnownURL    string // empty: derived from URL
	CapabilitiesURL string // empty: derived from URL
	KitURL          string // origin under which the target reaches the kit; empty: loopback

	CA    string // file of certificates that are trusted beside those of the system
	HTTP2 bool   // HTTP/2 is spoken from the first byte on
}

// Empty tells whether nothing is named that could be judged.
func (t Target) Empty() bool {
	return len(t.Command) == 0 && t.URL == "" && t.SSEURL == "" && len(t.Start) == 0
}

// Argv returns the command that serves stdio with its arguments, nil when
// there is none.
func (t Target) Argv() []string {
	if len(t.Command) == 0 {
		return nil
	}
	return slices.Concat(t.Command, t.Args)
}

// StartArgv returns the command that serves URL with its arguments, nil when
// there is none.
func (t Target) StartArgv() []string {
	if len(t.Start) == 0 {
		return nil
	}
	if len(t.Command) > 0 {
		return slices.Clone(t.Start)
	}
	return slices.Concat(t.Start, t.Args)
}

// Check finds what cannot be meant. It is asked when flags have had their say,
// since they may complete what the file began.
func (t Target) Check() error {
	switch {
	case len(t.Start) > 0 && t.URL == "" && t.SSEURL == "":
		return errors.New("target.start needs target.url, the URL that it serves")
	case len(t.Args) > 0 && len(t.Command) == 0 && len(t.Start) == 0:
		return errors.New("target.args needs target.command or target.start")
	}
	return nil
}

// Environ is the environment that commands of the target get beside that of the kit.
func (t Target) Environ() []string {
	var all []string
	for name, value := range t.Env {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}
