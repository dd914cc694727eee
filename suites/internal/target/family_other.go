//go:build !linux

package target

import "os/exec"

// Other systems cannot make this program the parent of orphans, or end a
// process with its parent.

func tie(*exec.Cmd) {}

func adopt() {}

func children() []orphan { return nil }

func (c orphan) ended() bool { return c.dead }

func (c orphan) kill() {}
