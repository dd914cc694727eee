//go:build !linux

package target

import "os/exec"

// Elsewhere no process becomes the parent of others' children, and none ends with
// its parent.

func tie(*exec.Cmd) {}

func adopt() {}

func children() []orphan { return nil }

func (c orphan) ended() bool { return c.dead }

func (c orphan) kill() {}
