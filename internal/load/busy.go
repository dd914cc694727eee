package main

import (
	"context"
	"os"
	"os/exec"
)

// spinning is the argument that makes this program only keep a core busy.
const spinning = "spin"

// spin never returns. The process ends with its standard input, so that it does not
// outlive the program that started it.
func spin() {
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	for n := uint64(1); n > 0; n += 2 {
		_ = n // an odd number never becomes zero
	}
}

// load starts processes that keep the machine busy, until ease is called.
func load(ctx context.Context, processes int) (ease func(), err error) {
	var ends []func()
	ease = func() {
		for _, end := range ends {
			end()
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for range processes {
		c := exec.CommandContext(ctx, self, spinning)
		in, err := c.StdinPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			ease()
			return nil, err
		}
		ends = append(ends, func() { _ = in.Close(); _ = c.Wait() })
	}
	return ease, nil
}
