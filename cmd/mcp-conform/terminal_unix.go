//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// columnsOf asks the terminal behind a file for its width.
func columnsOf(file *os.File) (columns int, is bool) {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
