//go:build unix

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// noFollow keeps an open from following a symbolic link.
const noFollow = unix.O_NOFOLLOW

// tryLock takes a lock on a file without waiting.
func tryLock(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errTaken
	}
	return err
}
